// SPDX-License-Identifier: LGPL-2.1-or-later
/* Full simultaneities and full teams as a list, and what the papers' four searches go through. */
#include <stdlib.h>

#include "solve/baselines/categories.h"

#define PAIRS_MAX 16384			/* the search goes as deep as there are pairs */

struct listing {
	const struct routes *routes;
	struct routes_inverse inverse;
	uint64_t work;
	enum liquid_team_search search;	/* the one that lists */
	liquid_team_report report;
	void *context;
	struct liquid_transfer *transfers;	/* of the set that is reported */
	bool cancelled;
	struct liquid_teams *teams;
};

static bool found(void *context, const uint32_t *pairs, uint32_t count)
{
	struct listing *listing = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct liquid_pair *pair = &listing->routes->pairs[pairs[i]];

		listing->transfers[i] = (struct liquid_transfer){ pair->src, pair->dst };
	}
	listing->cancelled = listing->report(listing->context, listing->transfers, count);
	return !listing->cancelled;
}

static void keep_counts(struct listing *listing, enum liquid_team_search number,
			const struct categories_counts *counts, bool ended)
{
	struct liquid_teams *teams = listing->teams;

	teams->categories[number] = counts->categories;
	teams->ended[number] = ended;
	/* Searches that leave out idle categories count only teams. */
	if (number <= LIQUID_TEAMS_BLANK &&
	    counts->full_simultaneities > teams->full_simultaneities)
		teams->full_simultaneities = counts->full_simultaneities;
	if (counts->full_teams > teams->full_teams)
		teams->full_teams = counts->full_teams;
}

static int run(struct listing *listing, enum liquid_team_search number, struct liquid_error *err)
{
	struct budget budget;
	struct categories search;
	enum categories_outcome outcome = CATEGORIES_NO_MEMORY;

	budget_start(&budget, &(struct liquid_solve_options){ .work = listing->work });
	if (categories_new(&search, listing->routes, &listing->inverse, &budget)) {
		search.enumerate = true;
		search.options = (struct categories_options){
			.blank = number >= LIQUID_TEAMS_BLANK, .idle = number >= LIQUID_TEAMS_IDLE,
			.skeleton = number >= LIQUID_TEAMS_SKELETON, .first_in_depot = true };
		if (listing->report && number == listing->search)
			search.found = found;
		search.context = listing;
		outcome = categories_search(&search, listing->routes->duration);
		keep_counts(listing, number, &search.counts, outcome == CATEGORIES_GO_ON);
	}
	categories_clear(&search);
	if (outcome == CATEGORIES_NO_MEMORY)
		return liquid_no_memory(err);
	return listing->cancelled ? liquid_fail(err, LIQUID_CANCELLED, "cancelled") : LIQUID_OK;
}

/* The list first, so that its reader need not wait for the others. */
static int run_all(struct listing *listing, struct liquid_error *err)
{
	int status = run(listing, listing->search, err);

	for (int i = 0; i < LIQUID_TEAMS_SEARCHES && !status; i++)
		if (i != (int)listing->search)
			status = run(listing, i, err);
	return status;
}

static bool uses_bottleneck(const struct routes *routes, uint32_t pair)
{
	uint32_t count;
	const uint32_t *links = routes_links(routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		if (routes->load[links[i]] >
		    (uint64_t)routes->capacity[links[i]] * (routes->duration - 1))
			return true;
	return false;
}

static void fill_figures(const struct routes *routes, struct liquid_teams *teams)
{
	teams->transfers = routes->transfer_count;
	teams->duration = routes->duration;
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		if (uses_bottleneck(routes, pair))
			teams->skeleton += routes->pairs[pair].count;
}

static int list(struct listing *listing, struct liquid_error *err)
{
	int status;

	if (!routes_invert(listing->routes, &listing->inverse))
		return liquid_no_memory(err);
	listing->transfers = calloc((size_t)listing->routes->pair_count + 1,
				    sizeof(*listing->transfers));
	if (listing->transfers)
		status = run_all(listing, err);
	else
		status = liquid_no_memory(err);
	free(listing->transfers);
	routes_inverse_clear(&listing->inverse);
	return status;
}

static int check(const struct routes *routes, struct liquid_error *err)
{
	if (routes->pair_count > PAIRS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a list of teams takes at most %d pairs; "
				   "these are %u", PAIRS_MAX, routes->pair_count);
	if (routes->whole)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no list of teams: several units of a "
				   "pair fit into one frame, by links of a capacity above 1");
	return LIQUID_OK;
}

int liquid_list_teams(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      bool all, uint64_t work, liquid_team_report report, void *context,
		      struct liquid_teams *teams, struct liquid_error *err)
{
	struct liquid_teams own = { 0 };
	struct listing listing = { .work = work, .report = report, .context = context,
				   .search = all ? LIQUID_TEAMS_BLANK : LIQUID_TEAMS_SKELETON,
				   .teams = &own };
	struct routes *routes;
	int status = routes_build(fabric, traffic, &routes, err);

	if (status)
		return status;
	listing.routes = routes;
	status = check(routes, err);
	fill_figures(routes, &own);
	for (int i = 0; i < LIQUID_TEAMS_SEARCHES; i++)
		own.ended[i] = true;
	if (!status && routes->transfer_count)
		status = list(&listing, err);
	routes_free(routes);
	if (!status)
		*teams = own;
	return status;
}
