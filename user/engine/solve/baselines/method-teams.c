// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * teams: the papers' own algorithm, frame after frame over full teams, with backtracking
 *
 * At the duration it is theirs; where its search ends there without a schedule, there
 * is no liquid one, and it goes on with K-teams for one frame more. A search that takes
 * long has mostly chosen badly early on: it starts over with other choices among equals and
 * twice the work, so that what one alone could end, or prove, is still ended.
 */
#include <stdlib.h>

#include "solve/baselines/categories.h"
#include "solve/methods.h"

/* The search goes as deep as there are transfers. */
#define TEAMS_TRANSFERS_MAX 16384

static int offer_frames(struct solving *solving, struct categories *search,
			struct liquid_error *err)
{
	uint32_t *frame = malloc(((size_t)solving->routes->transfer_count + 1) * sizeof(*frame));
	int status;

	if (!frame)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the frames");
	status = solving_offer(solving, frame, categories_frames(search, frame), err);
	free(frame);
	return status;
}

/* The first search's share of the work, and the least that it gets. */
enum { FIRST_PARTS = 64, FIRST_WORK_LEAST = 1 << 20 };

/* @frames frames: searches of twice the work each, until one has ended. */
static enum categories_outcome search_length(struct solving *solving, struct categories *search,
					     uint32_t frames)
{
	struct budget *budget = solving->budget;
	uint64_t slice = budget_left(budget) / FIRST_PARTS + FIRST_WORK_LEAST;
	enum categories_outcome outcome;

	search->shuffled = false;
	search->random.state = solving->seed;
	do {
		uint64_t outer = budget_narrow(budget, slice);

		outcome = categories_search(search, frames);
		budget_widen(budget, outer);
		search->shuffled = true;
		slice *= 2;
	} while (outcome == CATEGORIES_STOPPED && budget_left(budget));
	return outcome;
}

/* From the lower bound up, until a length is found or the budget ends. */
static int search_lengths(struct solving *solving, struct categories *search,
			  struct liquid_error *err)
{
	for (;;) {
		switch (search_length(solving, search, solving->lower_bound)) {
		case CATEGORIES_FOUND:
			solving->length = 0;	/* never longer than the one at hand */
			return offer_frames(solving, search, err);
		case CATEGORIES_STOPPED:
			return LIQUID_OK;
		case CATEGORIES_NO_MEMORY:
			return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the search");
		case CATEGORIES_GO_ON:
			solving->lower_bound++;
			witness_clear(&solving->witness);
			solving->witness.kind = WITNESS_SEARCH;
		}
	}
}

int method_teams(struct solving *solving, struct liquid_error *err)
{
	struct categories search;
	int status;

	if (solving->routes->transfer_count > TEAMS_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "teams: %u transfers; this method takes at most %u",
				   solving->routes->transfer_count, TEAMS_TRANSFERS_MAX);
	status = method_first_fit(solving, err);	/* in case the search takes too long */
	if (status)
		return status;
	if (categories_new(&search, solving->routes, &solving->inverse, solving->budget))
		status = search_lengths(solving, &search, err);
	else
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the search");
	categories_clear(&search);
	return status;
}
