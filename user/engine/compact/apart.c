// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Two kinds of base frames, one after the other
 *
 * On a dragonfly nearly all units fit into base frames in which all groups do the same. Those few
 * that would meet their own images there need base frames with a phase for each group. Such frames
 * have room for many others, but cannot be filled up, and ejection that has both kinds to choose
 * from moves units to and fro between them. Here those with phases get their units first, not more
 * than they can be expected to hold. All others then have frames of one phase alone.
 */
#include <stdlib.h>

#include "compact/bundles.h"
#include "compact/pack.h"

#define FULL 93			/* % of a link that base frames with phases can be given */
#define FINE 20			/* binary places of a number of frames */
#define MANY (INT64_C(1) << 50)	/* ... where there is no room */
#define PARTS 4			/* part of the work for them */
#define SAMPLE 32		/* sets of which the best is taken */
#define SAMPLE_WORK 32		/* operations for each of them */
#define MISSES 64		/* sets in a row for which there is no room: it is full */

struct filling {
	struct pack *pack;
	uint32_t *load;		/* by class of cells, at its first: uses in the second arena */
	uint32_t *total;	/* by the same: uses of all units */
	int64_t aim;		/* frames that the first arena should have */
	uint32_t *mixed;	/* those that may be left; a set's first unit means it */
};

static bool is_rare(const struct pack *pack, uint32_t u)
{
	return !(pack->unit[u].fits & 1);
}

/* @u and those that must be in the same arena. Returns how many they are. */
static uint32_t set_of(const struct pack *pack, const uint32_t *u, const uint32_t **set)
{
	const struct bundles *bundles = pack->bundles;
	uint32_t number = bundles->set_of[*u];

	*set = u;
	if (number == LIQUID_NONE)
		return 1;
	*set = bundles->unit + bundles->first[number];
	return bundles->first[number + 1] - bundles->first[number];
}

/* Is @u the one that means its set? */
static bool is_first(const struct pack *pack, uint32_t u)
{
	const uint32_t *set;

	return set_of(pack, &u, &set) && *set == u;
}

/* Count what @u uses, or stop counting it. True: no link gets more than it can be given. */
static bool add_load(struct filling *filling, uint32_t u, int change)
{
	const struct pack *pack = filling->pack;
	const struct arena *arena = &pack->arena[1];
	const struct cells *cells = arena->cells;
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);
	bool good = true;

	for (int k = 0; k < n; k++) {
		uint32_t cell = cells->first[resource[k]];
		uint64_t room = (uint64_t)arena->room[cell] * cells->span[cell] * arena->frames;

		filling->load[cell] += (uint32_t)change;
		good &= filling->load[cell] * UINT64_C(100) <= FULL * room;
	}
	return good;
}

/* Frames of one phase that the class of cells at @cell needs for what is not in the second arena */
static int64_t frames_for(const struct filling *filling, uint32_t cell)
{
	const struct arena *arena = &filling->pack->arena[1];
	uint64_t units = (uint64_t)(filling->total[cell] - filling->load[cell]);
	uint64_t room = (uint64_t)arena->room[cell] * arena->cells->span[cell];

	return room ? (int64_t)((units * arena->cells->phases << FINE) / room) : MANY;
}

/* How much the links of @u still have too much for the frames of the first arena, in sum */
static int64_t need_of(const struct filling *filling, uint32_t u)
{
	const struct pack *pack = filling->pack;
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);
	int64_t sum = 0;

	for (int k = 0; k < n; k++) {
		int64_t over = frames_for(filling, pack->arena[1].cells->first[resource[k]]) -
			       filling->aim;

		sum += over > 0 ? over : 0;
	}
	return sum;
}

/* Of some sets by chance, the one whose links need it most */
static uint32_t pick_needed(struct filling *filling, uint32_t count)
{
	struct pack *pack = filling->pack;
	uint32_t best = random_below(&pack->random, count);
	int64_t most = need_of(filling, filling->mixed[best]);

	budget_spend(pack->budget, SAMPLE * SAMPLE_WORK);
	for (uint32_t i = 1; i < SAMPLE; i++) {
		uint32_t other = random_below(&pack->random, count);
		int64_t need = need_of(filling, filling->mixed[other]);

		if (need <= most)
			continue;
		most = need;
		best = other;
	}
	return best;
}

/* What all units use, and how many frames of the first arena may do for what the second leaves */
static void set_aim(struct filling *filling)
{
	const struct pack *pack = filling->pack;
	const struct cells *cells = pack->arena[1].cells;
	int64_t most = 0;

	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t own[CELLS_OF_UNIT];
		const uint32_t *resource;
		int n = pack_path(pack, pack->order[i], own, &resource);

		for (int k = 0; k < n; k++)
			filling->total[cells->first[resource[k]]]++;
	}
	for (uint32_t c = 0; c < cells->cells; c += cells->span[c]) {
		int64_t frames = filling->total[c] ? frames_for(filling, c) : 0;

		most = frames > most ? frames : most;
	}
	filling->aim = most - (int64_t)(((uint64_t)cells->phases * pack->arena[1].frames << FINE) *
					FULL / 100);
}

/* Leave the set of @u, if there is room for it. */
static bool leave_set(struct filling *filling, uint32_t u)
{
	struct pack *pack = filling->pack;
	const uint32_t *set;
	uint32_t count = set_of(pack, &u, &set);
	bool good = true;

	for (uint32_t k = 0; k < count; k++) {
		good &= (pack->unit[set[k]].fits & 2) != 0;
		good &= add_load(filling, set[k], 1);
	}
	for (uint32_t k = 0; k < count; k++) {
		if (good)
			pack->left[pack->lefts++] = set[k];
		else
			add_load(filling, set[k], -1);
	}
	return good;
}

/* The rare ones are left, and as many others as fit beside them. */
static void leave_some(struct filling *filling)
{
	struct pack *pack = filling->pack;
	uint32_t others = 0, misses = 0;

	pack->lefts = 0;
	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t u = pack->order[i];

		if (is_rare(pack, u)) {
			add_load(filling, u, 1);
			pack->left[pack->lefts++] = u;
		} else if (is_first(pack, u)) {
			filling->mixed[others++] = u;
		}
	}
	while (others && misses < MISSES && budget_left(pack->budget)) {
		uint32_t i = pick_needed(filling, others);

		misses = leave_set(filling, filling->mixed[i]) ? 0 : misses + 1;
		filling->mixed[i] = filling->mixed[--others];
	}
}

static bool rare_left(const struct pack *pack)
{
	for (uint32_t i = 0; i < pack->lefts; i++)
		if (is_rare(pack, pack->left[i]))
			return true;
	return false;
}

/* Of whom one is left, all are. */
static void leave_whole_sets(struct pack *pack)
{
	for (uint32_t i = 0; i < pack->lefts; i++) {
		uint32_t u = pack->left[i];
		const uint32_t *set;
		uint32_t count = set_of(pack, &u, &set);

		for (uint32_t k = 0; k < count; k++)
			if (pack->unit[set[k]].frame != NO_FRAME)
				pack_take_out(pack, set[k]);
	}
}

static int fill_second(struct filling *filling, struct liquid_error *err)
{
	struct pack *pack = filling->pack;
	struct arena *second = &pack->arena[1];
	uint64_t work = budget_left(pack->budget) / PARTS;
	int status;

	pack->arena[0].closed = pack->arena[0].frames;
	set_aim(filling);
	leave_some(filling);
	status = pack_eject(pack, work, false, err);
	while (!status && rare_left(pack)) {
		if (second->frames == second->most)
			return liquid_fail(err, LIQUID_LIMIT, "%u units do not find a frame",
					   pack->lefts);
		second->frames++;
		status = pack_eject(pack, work, false, err);
	}
	if (status)
		return status;
	leave_whole_sets(pack);
	pack->arena[0].closed = 0;
	second->closed = second->frames;
	return LIQUID_OK;
}

/* the rest of the second arena is for any unit that finds room there. */
static void fill_hole(struct pack *pack, uint32_t u)
{
	const uint32_t *set;
	uint32_t count = set_of(pack, &u, &set), k = 0;

	while (k < count && pack_put_first(pack, set[k], 1))
		k++;
	while (k < count && k-- > 0)
		pack_take_out(pack, set[k]);
}

/* All others are left; the first arena gets as many frames as they need by their number. */
static void leave_others(struct filling *filling)
{
	struct pack *pack = filling->pack;
	struct arena *first = &pack->arena[0];
	const struct cells *cells = first->cells;
	uint64_t most = 0;

	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t u = pack->order[i];

		pack->lefts = 0;
		if (pack->unit[u].frame == NO_FRAME && is_first(pack, u))
			fill_hole(pack, u);
	}
	pack->lefts = 0;
	for (uint32_t i = pack->orders; i-- > 0;)
		if (pack->unit[pack->order[i]].frame == NO_FRAME)
			pack->left[pack->lefts++] = pack->order[i];
	for (uint32_t c = 0; c < cells->cells; c++)
		filling->load[c] = 0;
	for (uint32_t i = 0; i < pack->lefts; i++) {
		uint32_t own[CELLS_OF_UNIT];
		const uint32_t *resource;
		int n = pack_path(pack, pack->left[i], own, &resource);

		for (int k = 0; k < n; k++) {
			uint32_t cell = cells->first[resource[k]];
			uint64_t room = (uint64_t)cells->room[cell] * cells->span[cell];
			uint64_t need = room ? filling->load[cell]++ / room + 1 : MANY;

			most = need > most ? need : most;
		}
	}
	first->frames = most < first->most ? (uint32_t)most : first->most;
}

int pack_all_apart(struct pack *pack, struct liquid_error *err)
{
	uint32_t cells = pack->arena[0].cells->cells > pack->arena[1].cells->cells ?
			 pack->arena[0].cells->cells : pack->arena[1].cells->cells;
	struct filling filling = {
		.pack = pack, .load = calloc((size_t)cells + 1, sizeof(*filling.load)),
		.total = calloc((size_t)cells + 1, sizeof(*filling.total)),
		.mixed = calloc((size_t)pack->orders + 1, sizeof(*filling.mixed)),
	};
	uint64_t least;
	int status = filling.load && filling.total && filling.mixed ? LIQUID_OK :
		     liquid_no_memory(err);

	if (!status)
		status = fill_second(&filling, err);
	if (!status)
		leave_others(&filling);
	free(filling.load);
	free(filling.total);
	free(filling.mixed);
	/* the second arena stays as it is */
	least = (uint64_t)pack->arena[1].frames * pack->arena[1].cells->phases;
	pack->least = pack->least > least ? pack->least : least;
	if (!status)
		status = pack_fill(pack, 0, err);
	return status ? status : pack_finish(pack, err);
}
