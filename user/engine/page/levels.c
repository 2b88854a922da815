// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trees: hosts at the bottom, and each switch as many levels up as it is links away from them
 *
 * Without its upper levels a tree falls apart into pods, whose switches are drawn together. The
 * lowest level is ordered by the names of its hosts, those above by the middle of what is below
 * them, and then by name.
 */
#include <stdlib.h>
#include <string.h>

#include "page/draft.h"

#define LEVELS_MAX 8
#define ROW 1250			/* at least, from level to level */
#define LEAD 560			/* from a switch to its hosts */
#define SIDEWAYS 150			/* from host to host if their names are upright */
#define FLAT_MAX 16000			/* width up to which names of hosts are written flat */

struct levels {
	const struct draft *draft;
	uint32_t top;			/* number of the highest level */
	int32_t letters;		/* of the longest name of a host */
	int32_t *middle;		/* by switch: the mean of what is below it, or its rank */
	/* pod[l * switches + s]: the first in the order of levels below l that s is joined to */
	uint32_t *pod;
	uint32_t *rank;			/* by switch of the lowest level */
};

/* Steps from the switches that have @least hosts. True if all are reached, and none is within */
static bool count_levels(const struct draft *draft, uint32_t least, uint32_t *top)
{
	uint32_t *level = draft->made->level;
	bool more = true;

	for (uint32_t s = 0; s < draft->switches; s++)
		level[s] = draft_guests(draft, s) >= least ? 0 : LIQUID_NONE;
	for (*top = 0; more && *top <= LEVELS_MAX; ++*top) {
		more = false;
		for (uint32_t s = 0; s < draft->switches; s++)
			for (uint32_t i = draft->first[s]; level[s] == *top &&
			     i < draft->first[s + 1]; i++) {
				if (level[draft->peer[i]] == *top)
					return false;
				if (level[draft->peer[i]] != LIQUID_NONE)
					continue;
				level[draft->peer[i]] = *top + 1;
				more = true;
			}
	}
	for (uint32_t s = 0; s < draft->switches; s++)
		if (level[s] == LIQUID_NONE)
			return false;
	return !more;
}

/* A manager's host at an upper switch does not make that one of the lowest level. */
static bool find_levels(const struct draft *draft, uint32_t *top)
{
	uint32_t most = 0;

	for (uint32_t s = 0; s < draft->switches; s++)
		most = draft_guests(draft, s) > most ? draft_guests(draft, s) : most;
	return most && (count_levels(draft, 1, top) || (most > 3 &&
		count_levels(draft, most / 4 + 1, top)));
}

/* ---- order ---- */

static const char *first_guest(const struct draft *draft, uint32_t s)
{
	return draft_guests(draft, s) ? liquid_fabric_node_name(draft->fabric,
		draft->guest[draft->stay[s]]) : "";
}

static int by_guest(const void *a, const void *b, void *context)
{
	const struct draft *draft = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strverscmp(first_guest(draft, x), first_guest(draft, y));

	return order ? order : (x > y) - (x < y);
}

static int by_pod(const void *a, const void *b, void *context)
{
	const struct levels *levels = context;
	const struct draft *draft = levels->draft;
	uint32_t x = *(const uint32_t *)a - draft->hosts, y = *(const uint32_t *)b - draft->hosts;
	const uint32_t *level = draft->made->level;
	int order;

	if (level[x] != level[y])
		return level[x] > level[y] ? -1 : 1;
	for (uint32_t l = levels->top + 1; l > level[x]; l--) {
		const uint32_t *pod = levels->pod + (size_t)l * draft->switches;

		if (pod[x] != pod[y])
			return pod[x] < pod[y] ? -1 : 1;
	}
	if (levels->middle[x] != levels->middle[y])
		return levels->middle[x] < levels->middle[y] ? -1 : 1;
	order = strverscmp(draft_name(draft, x), draft_name(draft, y));
	return order ? order : (x > y) - (x < y);
}

/* Rank the lowest level by its hosts; a pod is known by its first rank. */
static void find_pods(const struct levels *levels, uint32_t *list, uint32_t *least)
{
	const struct draft *draft = levels->draft;
	const uint32_t *level = draft->made->level;

	for (uint32_t s = 0; s < draft->switches; s++)
		list[s] = s;
	qsort_r(list, draft->switches, sizeof(*list), by_guest, (void *)draft);
	for (uint32_t i = 0; i < draft->switches; i++)
		levels->middle[list[i]] = 1024 * (int32_t)(levels->rank[list[i]] = i);
	for (uint32_t l = 1; l <= levels->top + 1; l++) {
		uint32_t *pod = levels->pod + (size_t)l * draft->switches;

		for (uint32_t s = 0; s < draft->switches; s++)
			pod[s] = s;
		for (uint32_t s = 0; s < draft->switches; s++)
			for (uint32_t i = draft->first[s]; i < draft->first[s + 1]; i++)
				if (level[s] < l && level[draft->peer[i]] < l)
					draft_join(pod, s, draft->peer[i]);
		memset(least, 0xff, draft->switches * sizeof(*least));
		for (uint32_t s = 0; s < draft->switches; s++) {
			uint32_t root = draft_find(pod, s);

			if (!level[s] && levels->rank[s] < least[root])
				least[root] = levels->rank[s];
		}
		for (uint32_t s = 0; s < draft->switches; s++)
			list[s] = least[draft_find(pod, s)];
		memcpy(pod, list, draft->switches * sizeof(*pod));
	}
}

/* ---- places ---- */

static int32_t most(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Width of a host; folded ones have that of a text */
static int32_t guest_width(const struct levels *levels, bool flat)
{
	return flat ? most(levels->letters * LAYOUT_LETTER + 60, 200) : SIDEWAYS;
}

static int32_t slot_width(const struct levels *levels, uint32_t s, bool flat)
{
	const struct draft *draft = levels->draft;
	int32_t box = draft_place(draft, s)->width;

	if (draft->made->layout.folded)
		return most(box, 600) + LAYOUT_GAP;
	return most(box, (int32_t)draft_guests(draft, s) * guest_width(levels, flat)) + LAYOUT_GAP;
}

static int32_t place_leaves(struct levels *levels, bool flat)
{
	const struct draft *draft = levels->draft;
	int32_t x = 100;

	for (uint32_t i = 0; i < draft->switches; i++) {
		uint32_t s = draft->made->order[i] - draft->hosts;
		int32_t width = slot_width(levels, s, flat);

		if (draft->made->level[s])
			continue;
		draft_place(draft, s)->x = x + width / 2;
		x += width;
	}
	return x;
}

/* The extent of the lowest level of the pod of @s below @l: its ends */
static void extent(const struct levels *levels, uint32_t s, uint32_t l, int32_t end[2])
{
	const struct draft *draft = levels->draft;
	const uint32_t *pod = levels->pod + (size_t)l * draft->switches;

	end[0] = INT32_MAX;
	end[1] = 0;
	for (uint32_t i = 0; i < draft->switches; i++) {
		const struct liquid_place *place = draft_place(draft, i);

		if (draft->made->level[i] || pod[i] != pod[s])
			continue;
		end[0] = -most(-end[0], place->width / 2 - place->x);
		end[1] = most(end[1], place->x + place->width / 2);
	}
	if (end[0] > end[1])
		end[0] = end[1];
}

/* Spread the switches of each pod over the pod. Returns by how much, in percent, that is narrow. */
static int32_t place_above(struct levels *levels)
{
	const struct draft *draft = levels->draft;
	const uint32_t *order = draft->made->order, *level = draft->made->level;
	int32_t narrow = 100;

	for (uint32_t i = 0, count; i < draft->switches; i += count) {
		uint32_t s = order[i] - draft->hosts, l = level[s] + 1;
		const uint32_t *pod = levels->pod + (size_t)l * draft->switches;
		int32_t end[2], need = 0;

		for (count = 0; i + count < draft->switches; count++) {
			uint32_t other = order[i + count] - draft->hosts;

			if (level[other] != level[s] || pod[other] != pod[s])
				break;
			need += draft_place(draft, other)->width + LAYOUT_GAP;
		}
		if (!level[s])
			continue;
		extent(levels, s, l, end);
		need = (int32_t)(100 * (int64_t)need / most(end[1] - end[0], 1) + 1);
		narrow = most(narrow, need);
		for (uint32_t k = 0; k < count; k++)
			draft_place(draft, order[i + k] - draft->hosts)->x = end[0] +
				(int32_t)((int64_t)(end[1] - end[0]) * (2 * k + 1) / (2 * count));
	}
	return narrow;
}

static void place_guests(struct levels *levels, uint32_t s, bool flat)
{
	const struct draft *draft = levels->draft;
	const struct liquid_place *own = draft_place(draft, s);
	uint32_t count = draft_guests(draft, s);
	int32_t step = draft->made->layout.folded ? 0 : guest_width(levels, flat);

	for (uint32_t i = 0; i < count; i++) {
		struct liquid_place *place = &draft->made->place[draft->guest[draft->stay[s] + i]];

		place->x = own->x + step * (int32_t)i - step * (int32_t)(count - 1) / 2;
		place->y = own->y + LEAD;
		if (draft->made->level[s]) {
			place->x += own->width / 2 + 200;
			place->y = own->y - LEAD / 2;
		}
	}
}

static void place(struct levels *levels)
{
	const struct draft *draft = levels->draft;
	struct draft_layout *made = draft->made;
	bool flat = place_leaves(levels, true) <= FLAT_MAX || made->layout.folded;
	int32_t width = place_leaves(levels, flat), narrow = place_above(levels), row;

	if (narrow > 100) {
		for (uint32_t s = 0; s < draft->switches; s++)
			draft_place(draft, s)->x = (int32_t)((int64_t)draft_place(draft, s)->x *
							     narrow / 100);
		width = (int32_t)((int64_t)width * narrow / 100);
	}
	row = most(ROW, width / 8 < 2 * ROW ? width / 8 : 2 * ROW);
	for (uint32_t s = 0; s < draft->switches; s++) {
		draft_place(draft, s)->y = 500 + (int32_t)(levels->top - made->level[s]) * row;
		place_guests(levels, s, flat);
	}
	made->layout.upright = !flat;
	made->layout.width = width + 100;
	made->layout.height = 500 + (int32_t)levels->top * row + LEAD + 200 +
		(flat ? 0 : levels->letters * LAYOUT_LETTER);
}

static void find_middles(const struct levels *levels)
{
	const struct draft *draft = levels->draft;
	const uint32_t *level = draft->made->level;

	for (uint32_t l = 1; l <= levels->top; l++)
		for (uint32_t s = 0; s < draft->switches; s++) {
			int64_t sum = 0;
			uint32_t below = 0;

			for (uint32_t i = draft->first[s]; level[s] == l && i < draft->first[s + 1];
			     i++)
				if (level[draft->peer[i]] < l) {
					sum += levels->middle[draft->peer[i]];
					below++;
				}
			if (below)
				levels->middle[s] = (int32_t)(sum / below);
		}
}

int draft_levels(struct draft *draft)
{
	struct levels levels = { .draft = draft };
	size_t count = draft->switches;
	uint32_t *memory;

	if (!find_levels(draft, &levels.top))
		return 0;
	levels.top--;			/* it was their number */
	memory = draft->scratch = calloc((levels.top + 7) * (count + 1), sizeof(*memory));
	if (!memory)
		return LIQUID_NO_MEMORY;
	levels.pod = memory;
	levels.rank = memory + (levels.top + 2) * count;
	levels.middle = (int32_t *)(levels.rank + count);
	for (uint32_t h = 0; h < draft->hosts; h++)
		levels.letters = most(levels.letters,
				      (int32_t)strlen(liquid_fabric_node_name(draft->fabric, h)));
	find_pods(&levels, levels.rank + 2 * count, levels.rank + 3 * count);
	find_middles(&levels);
	qsort_r(draft->made->order, count, sizeof(*draft->made->order), by_pod, &levels);
	place(&levels);
	return 1;
}
