// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ejection
 *
 * A unit that is left goes where it puts out the least, by weights that grow with each time a unit
 * had to put out others: so the hard ones get their places, and the easy ones move. Every base
 * frame and phase is weighed.
 */
#include <stdlib.h>

#include "compact/pack.h"

#define WEIGHT_STEP 3
#define MOVE_WORK 800		/* operations, besides the choice of a place */

struct place {
	uint32_t arena, phase, frame, cost;
};

/* One of the frames of the least cost, by chance */
static uint32_t pick_frame(struct pack *pack, uint32_t frames, uint32_t least)
{
	uint32_t ties = 0, found = 0;

	for (uint32_t f = 0; f < frames; f++)
		if (pack->sum[f] == least && (!ties++ || !random_below(&pack->random, ties)))
			found = f;
	return found;
}

static struct place choose(struct pack *pack, uint32_t u)
{
	struct place best = { .cost = UINT32_MAX };
	uint32_t own[CELLS_OF_UNIT], ties = 0;
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);

	for (uint32_t a = 0; a < pack->arenas; a++) {
		const struct arena *arena = &pack->arena[a];

		if (!(pack->unit[u].fits & 1 << a) || arena->frames == arena->closed)
			continue;
		for (uint32_t p = 0; p < arena->cells->phases; p++) {
			uint32_t cost = pack_sum_rows(pack, arena, resource, n, p);

			ties = cost < best.cost ? 0 : ties;
			if (cost > best.cost || (ties++ && random_below(&pack->random, ties)))
				continue;
			best = (struct place){ a, p, arena->closed, cost };
			best.frame += pick_frame(pack, arena->frames - arena->closed, cost);
		}
	}
	return best;
}

/* False: a unit is left that fits only where there is no base frame. */
static bool move(struct pack *pack)
{
	uint32_t i = random_below(&pack->random, pack->lefts), u = pack->left[i];
	struct place place = choose(pack, u);

	if (place.cost == UINT32_MAX)
		return false;
	pack_count(pack, MOVE_WORK);
	pack->left[i] = pack->left[--pack->lefts];
	if (place.cost && pack->unit[u].weight + 0u + WEIGHT_STEP <= pack->heaviest)
		pack->unit[u].weight += WEIGHT_STEP;
	pack_put(pack, u, place.arena, place.frame, place.phase);
	return true;
}

void pack_eject(struct pack *pack, uint64_t work, uint64_t stale)
{
	uint64_t outer = budget_narrow(pack->budget, work), since = 0;
	uint32_t fewest = pack->lefts;

	while (pack->lefts && budget_left(pack->budget) && since++ < stale && move(pack)) {
		if (pack->lefts < fewest) {
			fewest = pack->lefts;
			since = 0;
		}
	}
	budget_widen(pack->budget, outer);
}

void pack_eject_rated(struct pack *pack, uint64_t *crowd)
{
	uint64_t half = budget_left(pack->budget) / 2, moves = 0, sum = 0;

	while (pack->lefts && budget_left(pack->budget) && move(pack)) {
		if (budget_left(pack->budget) > half)
			continue;
		sum += pack->lefts;
		moves++;
	}
	if (!moves) {
		sum = pack->lefts;
		moves = 1;
	}
	*crowd = pack->lefts ? sum * 64 / moves : 0;
}
