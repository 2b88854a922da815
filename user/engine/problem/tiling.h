/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tilings: all base frames of a schedule as exact covers
 *
 * Frames are tiled one after the other from the orbits that are left. Then a few of them are
 * emptied at random and tiled anew, again and again; what is worse than before is undone.
 */
#ifndef LIQUID_TILING_H
#define LIQUID_TILING_H

#include "problem/budget.h"
#include "problem/cover.h"

/* Which orbits are in which frame; frames below @tiled have a tile. */
struct tiling_state {
	uint32_t tiled;
	uint32_t left;			/* orbits without a frame */
	uint64_t used;			/* cells of the others */
	uint32_t *frame, *place;	/* by orbit; frame LIQUID_NONE: none */
};

struct tiling {
	struct cover cover;
	struct tiling_state now, best;
	uint32_t frames, orbits;
	uint32_t *free_orbit;		/* room for those without a frame */
};

/* As cover_init(); then set what the places of its cover use, and which cells are tight. */
bool tiling_init(struct tiling *tiling, uint32_t orbits, const uint32_t *first_place,
		 uint32_t modulus, uint32_t frames, uint64_t seed);
void tiling_clear(struct tiling *tiling);
/* Improve tiling->best until every orbit has a frame, or the budget ends; it can be continued. */
void tiling_run(struct tiling *tiling, struct budget *budget);
/* Whether @a is better than @b: more tiles, or as many and fewer orbits left. */
bool tiling_is_better(const struct tiling *a, const struct tiling *b);

#endif
