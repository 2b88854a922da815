// SPDX-License-Identifier: LGPL-2.1-or-later
/* Dragonflies by groups on a circle; a fabric without any structure, switch by switch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/draft.h"

#define TURN (2 * 3.14159265358979323846)
#define LEAD 480			/* from a switch to its hosts */
#define GUEST 230			/* from host to host */

/* A link between two that have a neighbour in common is within a group. */
static bool share_a_peer(const struct draft *draft, uint32_t a, uint32_t b)
{
	uint32_t i = draft->first[a], j = draft->first[b];

	while (i < draft->first[a + 1] && j < draft->first[b + 1]) {
		if (draft->peer[i] == draft->peer[j])
			return true;
		if (draft->peer[i] < draft->peer[j])
			i++;
		else
			j++;
	}
	return false;
}

/* Returns how many groups there are; all on its own if there are no groups worth it. */
static uint32_t find_groups(const struct draft *draft, uint32_t *group)
{
	uint32_t groups = 0;

	for (uint32_t s = 0; s < draft->switches; s++)
		group[s] = s;
	for (uint32_t s = 0; s < draft->switches; s++)
		for (uint32_t i = draft->first[s]; i < draft->first[s + 1]; i++)
			if (share_a_peer(draft, s, draft->peer[i]))
				draft_join(group, s, draft->peer[i]);
	for (uint32_t s = 0; s < draft->switches; s++)
		groups += draft_find(group, s) == s;
	for (uint32_t s = 0; s < draft->switches; s++)
		group[s] = groups < 2 ? s : draft_find(group, s);
	return groups < 2 ? draft->switches : groups;
}

static int by_group(const void *a, const void *b, void *context)
{
	const struct draft *draft = context;
	const uint32_t *group = draft->scratch;
	uint32_t x = *(const uint32_t *)a - draft->hosts, y = *(const uint32_t *)b - draft->hosts;
	int order;

	if (group[x] != group[y])
		return group[x] < group[y] ? -1 : 1;
	order = strverscmp(draft_name(draft, x), draft_name(draft, y));
	return order ? order : (x > y) - (x < y);
}

/* Hosts are outside, side by side. */
static void place_guests(const struct draft *draft, uint32_t s, double angle)
{
	const struct liquid_place *own = draft_place(draft, s);
	uint32_t guests = draft_guests(draft, s);

	for (uint32_t i = 0; i < guests; i++) {
		double aside = draft->made->layout.folded ? 0 : GUEST * (i - (guests - 1) / 2.);

		draft->made->place[draft->guest[draft->stay[s] + i]] = (struct liquid_place){
			own->x + (int32_t)lround(LEAD * cos(angle) - aside * sin(angle)),
			own->y + (int32_t)lround(LEAD * sin(angle) + aside * cos(angle)), 0
		};
	}
}

/* The width of a switch and of its hosts */
static double slot_width(const struct draft *draft)
{
	double most = 0;

	for (uint32_t s = 0; s < draft->switches; s++) {
		double box = draft_place(draft, s)->width + LAYOUT_GAP / 2;
		double guests = draft->made->layout.folded ? 1 : draft_guests(draft, s);

		most = box > most ? box : most;
		most = GUEST * (guests + .5) > most ? GUEST * (guests + .5) : most;
	}
	return most;
}

int draft_groups(struct draft *draft)
{
	struct draft_layout *made = draft->made;
	uint32_t *group = draft->scratch = calloc(draft->switches + (size_t)1, sizeof(*group));
	uint32_t groups, slots, slot = 0;
	double radius, half;

	made->group = calloc(draft->switches + (size_t)1, sizeof(*made->group));
	if (!group || !made->group)
		return LIQUID_NO_MEMORY;
	memset(made->level, 0, draft->switches * sizeof(*made->level));
	groups = find_groups(draft, group);
	qsort_r(made->order, draft->switches, sizeof(*made->order), by_group, draft);
	slots = draft->switches + (groups < draft->switches ? groups : 0);
	radius = slots * slot_width(draft) / TURN;
	radius = radius > 700 ? radius : 700;
	half = radius + LEAD + 400;
	for (uint32_t i = 0; i < draft->switches; i++) {
		uint32_t s = made->order[i] - draft->hosts;
		bool first = i && group[s] != group[made->order[i - 1] - draft->hosts];
		double angle;

		slot += first && groups < draft->switches;
		angle = TURN * slot++ / slots - TURN / 4;
		draft_place(draft, s)->x = (int32_t)lround(half + radius * cos(angle));
		draft_place(draft, s)->y = (int32_t)lround(half + radius * sin(angle));
		place_guests(draft, s, angle);
		made->group[s] = (uint64_t)group[s] << 32 | i;
	}
	made->layout.width = made->layout.height = (int32_t)(2 * half);
	return 1;
}
