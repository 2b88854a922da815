// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the first users of links wait for when a plan is run again at once
 *
 * The last user of a lane of a link in one epoch comes before the first user in the next. A rank
 * begins an epoch when its own pieces of the one before have left: what these have waited for
 * needs no token.
 */
#include <stdlib.h>

#include "run/draft.h"

/* Has everything of @rank, when it is done, waited for the piece @early? */
static bool done_after(const struct draft *draft, uint32_t rank, const struct draft_piece *early)
{
	uint32_t link = liquid_fabric_host_out(draft->fabric, draft_host(draft, rank));

	if (early->src == rank)
		return true;
	for (uint32_t lane = draft->first_lane[link]; lane < draft->first_lane[link + 1]; lane++)
		if (draft->last[lane].piece != LIQUID_NONE &&
		    clocks_reach(&draft->clocks, draft->last[lane].row, early->chain,
				 early->position))
			return true;
	return false;
}

/* Does @piece of the next epoch wait for the user of @lane by other ways? */
static bool implied(const struct draft *draft, uint32_t lane, uint32_t piece)
{
	const struct draft_piece *early = &draft->piece[draft->last[lane].piece];

	if (done_after(draft, draft->piece[piece].src, early))
		return true;
	for (uint32_t i = draft->first_from[piece]; i < draft->first_from[piece + 1]; i++)
		if (done_after(draft, draft->piece[draft->from[i]].src, early))
			return true;
	return false;
}

static int compare_agains(const void *a, const void *b)
{
	const struct draft_again *left = a, *right = b;

	if (left->to != right->to)
		return left->to < right->to ? -1 : 1;
	return left->from < right->from ? -1 : left->from > right->from;
}

bool draft_close_cycle(struct draft *draft)
{
	uint32_t lanes = draft->first_lane[liquid_fabric_link_count(draft->fabric)], kept = 0;

	draft->again = calloc((size_t)lanes + 1, sizeof(*draft->again));
	if (!draft->again)
		return false;
	for (uint32_t lane = 0; lane < lanes; lane++)
		if (draft->last[lane].piece != LIQUID_NONE &&
		    !implied(draft, lane, draft->opener[lane]))
			draft->again[draft->agains++] = (struct draft_again){
				draft->last[lane].piece, draft->opener[lane] };
	qsort(draft->again, draft->agains, sizeof(*draft->again), compare_agains);
	for (uint32_t i = 0; i < draft->agains; i++)
		if (!i || compare_agains(&draft->again[i], &draft->again[i - 1]))
			draft->again[kept++] = draft->again[i];
	draft->agains = kept;
	return true;
}
