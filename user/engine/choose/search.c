// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choosing by construction and exchange
 *
 * Starts: the first nodes; the same number of nodes on each of k switches, for every k; greedy
 * constructions. Each start is improved by exchanging one node at a time, first by the squares of
 * the loads, which tell more than lambda where many exchanges leave that as it is, then by the
 * spread. Everything ends when the work is spent, with the best result by then.
 */
#include <stdlib.h>
#include <string.h>

#include "choose/choose.h"

static bool out_of_work(const struct choosing *choosing)
{
	return choosing->work >= choosing->limit;
}

/* ---- the best so far ---- */

static bool is_complete(const struct choosing *choosing)
{
	for (uint32_t place = 0; place < choosing->count; place++)
		if (choosing->place[place] == LIQUID_NONE)
			return false;
	return true;
}

void choosing_offer(struct choosing *choosing)
{
	struct score score = { choosing_most(choosing), 0 };

	if (!is_complete(choosing))
		return;
	for (uint32_t link = 0; link < choosing->fabric->links; link++)
		score.spread += choosing->load[link];
	choosing->work += choosing->fabric->links;
	if (score_compare(&score, &choosing->best_score) >= 0)
		return;
	choosing->best_score = score;
	memcpy(choosing->best, choosing->place, choosing->count * sizeof(*choosing->best));
}

/* ---- exchange ---- */

/* Whether @v is free and the first of its class in this round. */
static bool is_new(struct choosing *choosing, uint32_t v)
{
	uint32_t *tried = &choosing->tried[choosing->node[v].class];

	if (choosing->used[v] || *tried == choosing->round)
		return false;
	*tried = choosing->round;
	return true;
}

/* Gives the empty @place the node that costs least there, @old if no other is better. */
static bool refill(struct choosing *choosing, uint32_t place, uint32_t old)
{
	struct score base = { choosing_most(choosing), 0 }, best = base;
	uint32_t found = old;

	choosing->round++;
	choosing->work += choosing->fabric->links;
	choosing->tried[choosing->node[old].class] = choosing->round;
	choosing_try(choosing, place, old, &best, NULL);
	choosing_undo(choosing);
	for (uint32_t v = 0; v < choosing->nodes && !out_of_work(choosing); v++) {
		struct score score = base;

		if (!is_new(choosing, v))
			continue;
		if (choosing_try(choosing, place, v, &score, &best) &&
		    score_compare(&score, &best) < 0) {
			best = score;
			found = v;
		}
		choosing_undo(choosing);
	}
	choosing_put(choosing, place, found);
	return found != old;
}

/* Exchange what two places have, if that is better. Only places of a traffic differ. */
static bool swap(struct choosing *choosing, uint32_t a, uint32_t b)
{
	uint32_t one = choosing->place[a], other = choosing->place[b];
	struct score base, before, after;
	bool better;

	choosing_take(choosing, a);
	choosing_take(choosing, b);
	base = (struct score){ choosing_most(choosing), 0 };
	choosing->work += choosing->fabric->links;
	before = after = base;
	choosing_try(choosing, a, one, &before, NULL);
	choosing->place[a] = one;
	choosing_try(choosing, b, other, &before, NULL);
	choosing_undo(choosing);
	choosing->place[a] = LIQUID_NONE;
	better = choosing_try(choosing, a, other, &after, &before);
	choosing->place[a] = other;
	better = better && choosing_try(choosing, b, one, &after, &before) &&
		score_compare(&after, &before) < 0;
	choosing_undo(choosing);
	choosing->place[a] = LIQUID_NONE;
	choosing_put(choosing, a, better ? other : one);
	choosing_put(choosing, b, better ? one : other);
	return better;
}

static bool swap_with_others(struct choosing *choosing, uint32_t place)
{
	bool better = false;

	for (uint32_t other = 0; other < place && !out_of_work(choosing); other++)
		better |= swap(choosing, other, place);
	return better;
}

/* Until no exchange of one node is better. */
static void exchange(struct choosing *choosing, enum choose_guide guide)
{
	uint32_t unchanged = 0;

	choosing->guide = guide;
	for (uint32_t place = 0; unchanged < choosing->count && !out_of_work(choosing);
	     place = (place + 1) % choosing->count) {
		uint32_t old = choosing->place[place];
		bool better;

		choosing_take(choosing, place);
		better = refill(choosing, place, old);
		if (choosing->weight)
			better |= swap_with_others(choosing, place);
		unchanged = better ? 0 : unchanged + 1;
	}
}

static void improve(struct choosing *choosing)
{
	choosing_offer(choosing);
	exchange(choosing, GUIDE_SQUARES);
	choosing_offer(choosing);
	exchange(choosing, GUIDE_SUM);
	choosing_offer(choosing);
}

/* ---- greedy construction ---- */

/* One node of each switch is tried: the exchange looks at the others. */
static bool is_new_corner(struct choosing *choosing, uint32_t v)
{
	uint32_t sw = choosing->node[v].from;

	if (choosing->used[v] || (sw != LIQUID_NONE && choosing->seen[sw] == choosing->round))
		return false;
	if (sw != LIQUID_NONE)
		choosing->seen[sw] = choosing->round;
	return true;
}

/* The node that costs least at @place; LIQUID_NONE if none has routes to all others. */
static uint32_t cheapest(struct choosing *choosing, uint32_t place)
{
	struct score base = { choosing_most(choosing), 0 }, best = { RATIO_NONE, UINT64_MAX };
	uint32_t found = LIQUID_NONE;

	choosing->round++;
	choosing->work += choosing->fabric->links;
	for (uint32_t v = 0; v < choosing->nodes; v++) {
		struct score score = base;

		/* Without work left, the first that will do. */
		if ((out_of_work(choosing) && found != LIQUID_NONE) || !is_new_corner(choosing, v))
			continue;
		if (choosing_try(choosing, place, v, &score, &best) &&
		    score_compare(&score, &best) < 0) {
			best = score;
			found = v;
		}
		choosing_undo(choosing);
	}
	return found;
}

static bool construct(struct choosing *choosing, enum choose_guide guide, uint32_t first)
{
	choosing_load(choosing, NULL);
	choosing->guide = guide;
	choosing_put(choosing, 0, first);
	for (uint32_t place = 1; place < choosing->count; place++) {
		uint32_t v = cheapest(choosing, place);

		if (v == LIQUID_NONE)
			return false;
		choosing_put(choosing, place, v);
	}
	return true;
}

/* ---- even starts ---- */

struct corner {
	uint32_t *first;		/* by switch, + 1: its nodes in list[] */
	uint32_t *list;			/* nodes by switch */
	uint32_t *taken;		/* by switch */
	uint32_t *start;		/* by place */
	uint32_t switches;		/* with nodes */
};

static void corner_clear(struct corner *corner)
{
	free(corner->first);
	free(corner->list);
	free(corner->taken);
	free(corner->start);
}

/* Nodes without a switch are left out: they have but one neighbour. */
static bool corner_open(const struct choosing *choosing, struct corner *corner)
{
	uint32_t switches = choosing->fabric->switches;

	*corner = (struct corner){
		.first = calloc((size_t)switches + 2, sizeof(uint32_t)),
		.list = calloc((size_t)choosing->nodes + 1, sizeof(uint32_t)),
		.taken = calloc((size_t)switches + 1, sizeof(uint32_t)),
		.start = calloc((size_t)choosing->count + 1, sizeof(uint32_t)),
	};
	if (!corner->first || !corner->list || !corner->taken || !corner->start)
		return false;
	for (uint32_t v = 0; v < choosing->nodes; v++)
		if (choosing->node[v].from != LIQUID_NONE)
			corner->first[choosing->node[v].from + 2]++;
	for (uint32_t sw = 0; sw < switches; sw++) {
		corner->switches += corner->first[sw + 2] != 0;
		corner->first[sw + 2] += corner->first[sw + 1];
	}
	for (uint32_t v = 0; v < choosing->nodes; v++)
		if (choosing->node[v].from != LIQUID_NONE)
			corner->list[corner->first[choosing->node[v].from + 1]++] = v;
	return true;
}

/* The next nodes of the first @switches that have any, one of each in turn. */
static uint32_t deal(const struct choosing *choosing, struct corner *corner, uint32_t switches,
		     uint32_t placed)
{
	uint32_t turn = 0;

	for (uint32_t sw = 0; sw < choosing->fabric->switches && turn < switches; sw++) {
		uint32_t at = corner->first[sw] + corner->taken[sw];

		turn += corner->first[sw + 1] > corner->first[sw];
		if (at < corner->first[sw + 1] && placed < choosing->count) {
			corner->start[placed++] = corner->list[at];
			corner->taken[sw]++;
		}
	}
	return placed;
}

/* False: these switches do not have so many. Places go from switch to switch. */
static bool even_start(const struct choosing *choosing, struct corner *corner, uint32_t switches)
{
	uint32_t placed = 0, before = LIQUID_NONE;

	memset(corner->taken, 0, choosing->fabric->switches * sizeof(*corner->taken));
	while (placed != before && placed < choosing->count) {
		before = placed;
		placed = deal(choosing, corner, switches, placed);
	}
	return placed == choosing->count;
}

/* Leaves the best of them in best. Where a quarter of the work is short, fewer are tried. */
static void try_even(struct choosing *choosing, struct corner *corner)
{
	uint64_t each = 8ull * choosing->count * choosing->count + 3ull * choosing->fabric->links;
	uint64_t tries = choosing->limit / 4 / each + 1;
	uint32_t stride = corner->switches / tries + 1;

	for (uint32_t k = 1; k <= corner->switches; k += stride)
		if (even_start(choosing, corner, k)) {
			struct score score = choosing_load(choosing, corner->start);

			if (ratio_compare(score.most, RATIO_NONE))
				choosing_offer(choosing);
		}
}

static bool start_even(struct choosing *choosing)
{
	struct corner corner;
	bool memory = corner_open(choosing, &corner);

	if (memory)
		try_even(choosing, &corner);
	corner_clear(&corner);
	return memory;
}

/* ---- all ---- */

#define RESTARTS 6		/* greedy constructions from random nodes */

bool choosing_search(struct choosing *choosing)
{
	bool memory = start_even(choosing);

	if (ratio_compare(choosing->best_score.most, RATIO_NONE)) {
		choosing_load(choosing, choosing->best);
		improve(choosing);
	}
	for (uint32_t start = 0; start < 2 + RESTARTS; start++) {
		uint32_t first = start < 2 ? 0 : random_below(&choosing->random, choosing->nodes);

		if (out_of_work(choosing) && ratio_compare(choosing->best_score.most, RATIO_NONE))
			break;
		if (construct(choosing, start & 1 ? GUIDE_SQUARES : GUIDE_SUM, first))
			improve(choosing);
	}
	return memory;
}
