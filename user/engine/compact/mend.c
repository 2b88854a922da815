// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Mending what first fit leaves
 *
 * Where a unit finds no frame, there is mostly one in which a single link is in its way, and
 * whoever has that link has room elsewhere, or can get it in the same way. To see that takes the
 * owner of each link in each frame, a part of the memory of ejection's rows and none of their
 * weights, so it comes before ejection. Only base frames of one phase and kind.
 */
#include <stdlib.h>

#include "compact/pack.h"

#define FEW 64			/* one of so many units is left: more are for ejection */
#define DEPTH 2			/* units that move for one that is left */
#define LOOKS_OF_UNIT 4		/* searches for a frame, for each unit there is */

struct mend {
	struct pack *pack;
	uint32_t *owner;	/* by cell with room for one, and frame: unit, if it is full */
	uint64_t looks;		/* that are left */
};

/* A unit that looks for a frame */
struct seeker {
	uint32_t unit;
	const uint32_t *resource;
	uint32_t own[CELLS_OF_UNIT], cell[CELLS_OF_UNIT];
	int n;
	bool twice;		/* it uses a cell twice: bits do not tell whether there is room */
};

static void seeker_init(const struct mend *mend, struct seeker *seeker, uint32_t u)
{
	seeker->unit = u;
	seeker->n = pack_path(mend->pack, u, seeker->own, &seeker->resource);
	seeker->twice = arena_find_cells(&mend->pack->arena[0], seeker->resource, seeker->n, 0,
					 seeker->cell);
}

static void own(struct mend *mend, const struct seeker *seeker)
{
	const struct arena *arena = &mend->pack->arena[0];
	uint32_t frame = mend->pack->unit[seeker->unit].frame;

	for (int k = 0; k < seeker->n; k++)
		if (arena->room[seeker->cell[k]] == 1)
			mend->owner[(size_t)seeker->cell[k] * arena->most + frame] = seeker->unit;
}

/* To @frame, where there is room, from where it is */
static void move(struct mend *mend, const struct seeker *seeker, uint32_t frame)
{
	struct pack *pack = mend->pack;

	if (pack->unit[seeker->unit].frame != NO_FRAME) {
		pack_take_out(pack, seeker->unit);
		pack->lefts--;		/* it is the last that is left */
	}
	pack_put_path(pack, seeker->unit, 0, frame, 0, seeker->resource, seeker->n);
	own(mend, seeker);
}

/* The frames of @word in which just one of the cells is full */
static uint64_t nearly_open(const struct mend *mend, const struct seeker *seeker, uint32_t word)
{
	const struct arena *arena = &mend->pack->arena[0];
	uint64_t one = 0, more = 0, open = arena->frames - word * 64;

	for (int k = 0; k < seeker->n; k++) {
		uint64_t full = arena_full_word(arena, seeker->cell[k], word);

		more |= one & full;
		one |= full;
	}
	return one & ~more & (open < 64 ? (UINT64_C(1) << open) - 1 : UINT64_MAX);
}

/*
 * Who is in the way in @frame, or LIQUID_NONE: several are. Units of blocks to themselves stay
 * where they are: they may have a frame of their own.
 */
static uint32_t in_the_way(const struct mend *mend, const struct seeker *seeker, uint32_t frame)
{
	const struct pack *pack = mend->pack;
	const struct arena *arena = &pack->arena[0];
	uint32_t cell = LIQUID_NONE, u;

	for (int k = 0; k < seeker->n && cell == LIQUID_NONE; k++)
		if (arena_is_full(arena, seeker->cell[k], frame))
			cell = seeker->cell[k];
	if (cell == LIQUID_NONE || arena->room[cell] != 1)
		return LIQUID_NONE;
	u = mend->owner[(size_t)cell * arena->most + frame];
	return pack_is_own(pack, u) ? LIQUID_NONE : u;
}

static bool has_room(const struct mend *mend, const struct seeker *seeker, uint32_t frame)
{
	for (int k = 0; k < seeker->n; k++)
		if (arena_is_full(&mend->pack->arena[0], seeker->cell[k], frame))
			return false;
	return true;
}

/*
 * A frame for @u, or another one if it has one, by moving up to @depth others. None: it stays as it
 * is; others may have moved.
 */
static bool place(struct mend *mend, uint32_t u, int depth)
{
	const struct arena *arena = &mend->pack->arena[0];
	struct seeker seeker;
	uint32_t frame;

	if (!mend->looks)
		return false;
	mend->looks--;
	seeker_init(mend, &seeker, u);
	frame = arena_first_room(arena, seeker.resource, seeker.n, 0);
	if (frame != LIQUID_NONE) {
		move(mend, &seeker, frame);
		return true;
	}
	for (uint32_t w = 0; depth && w * 64 < arena->frames; w++)
		for (uint64_t near = nearly_open(mend, &seeker, w); near; near &= near - 1) {
			uint32_t other;

			frame = w * 64 + (uint32_t)__builtin_ctzll(near);
			other = in_the_way(mend, &seeker, frame);
			if (other == LIQUID_NONE || other == u || !place(mend, other, depth - 1))
				continue;
			/* whoever moved may have come here */
			if (!has_room(mend, &seeker, frame))
				continue;
			move(mend, &seeker, frame);
			return true;
		}
	return false;
}

/* False: it does not suit */
static bool own_all(struct mend *mend)
{
	const struct pack *pack = mend->pack;

	for (uint32_t i = 0; i < pack->orders; i++) {
		struct seeker seeker;

		seeker_init(mend, &seeker, pack->order[i]);
		if (seeker.twice)
			return false;
		if (pack->unit[pack->order[i]].frame != NO_FRAME)
			own(mend, &seeker);
	}
	return true;
}

static bool is_simple(const struct pack *pack)
{
	const struct arena *arena = &pack->arena[0];

	return pack->lefts && pack->lefts <= pack->orders / FEW && pack->arenas == 1 &&
	       arena->cells->phases == 1 && !pack->rows &&
	       (size_t)arena->cells->cells * arena->most <= OWNERS_MAX;
}

/* The hardest first, which come last. The others stay in their order. */
static void place_left(struct mend *mend, int depth)
{
	struct pack *pack = mend->pack;
	uint32_t count = pack->lefts, first = count;

	for (uint32_t i = count; i-- > 0;) {
		uint32_t u = pack->left[i];

		/* moves need one place behind all that are left */
		if (!place(mend, u, depth))
			pack->left[--first] = u;
	}
	for (pack->lefts = 0; first < count; first++)
		pack->left[pack->lefts++] = pack->left[first];
}

void pack_mend(struct pack *pack)
{
	struct mend mend = { .pack = pack, .looks = (uint64_t)LOOKS_OF_UNIT * pack->orders };
	const struct arena *arena = &pack->arena[0];

	if (!is_simple(pack))
		return;
	mend.owner = malloc((size_t)arena->cells->cells * arena->most * sizeof(*mend.owner));
	for (int depth = 1; mend.owner && depth <= DEPTH && pack->lefts; depth++) {
		if (depth == 1 && !own_all(&mend))
			break;
		place_left(&mend, depth);
	}
	free(mend.owner);
}
