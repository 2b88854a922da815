// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * teams: the papers' own algorithm, frame after frame over full teams, with backtracking
 *
 * The search at the duration is that of the papers. If it ends without a schedule, there is no
 * liquid one, and the search continues with K-teams for one more frame. A search that takes
 * long has mostly made a bad choice early. It then starts again, breaks ties differently and
 * gets twice the work; so a search that would end, or prove the bound, still does.
 */
#include <stdlib.h>

#include "solve/baselines/categories.h"
#include "solve/methods.h"

/* The search recurses as deep as there are transfers. */
#define TEAMS_TRANSFERS_MAX 16384

static int offer_frames(struct solving *solving, struct categories *search,
			struct liquid_error *err)
{
	uint32_t *frame = malloc(((size_t)solving->routes->transfer_count + 1) * sizeof(*frame));
	int status;

	if (!frame)
		return liquid_no_memory(err);
	status = solving_offer(solving, frame, categories_frames(search, frame), err);
	free(frame);
	return status;
}

/* Share of the work that the first search gets, and its minimum, operations. */
enum { FIRST_PARTS = 64, FIRST_WORK_LEAST = 1 << 20 };

/* Search for @frames frames, with doubled work each time, until a search has ended. */
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
			solving->length = 0;	/* it is at most as long as the best so far */
			return offer_frames(solving, search, err);
		case CATEGORIES_STOPPED:
			return LIQUID_OK;
		case CATEGORIES_NO_MEMORY:
			return liquid_no_memory(err);
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
		status = liquid_no_memory(err);
	categories_clear(&search);
	return status;
}
