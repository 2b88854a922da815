/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exact covers: orbits that fill a base frame
 *
 * Cells that the traffic fills in every base frame are *tight*. A *tile* is a set of places of
 * different orbits that use every tight cell, and no cell twice. Of the tight cells that are
 * still free, the one with the fewest places is served first; long orbits are tried first, with
 * some noise. When all tight cells are in use, orbits that still fit are added. Tiles that leave
 * other cells unused leave orbits that need too many of them: see cover_rate().
 */
#ifndef LIQUID_COVER_H
#define LIQUID_COVER_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/random.h"

#define COVER_CELLS_MAX 128u

/* A vector of the compiler. */
typedef uint64_t cell_words __attribute__((vector_size(COVER_CELLS_MAX / 8)));

struct cell_set {
	cell_words words;
};

struct candidate {
	struct cell_set cells;
	uint32_t place, orbit;
	uint32_t rank;			/* those of higher rank are tried first */
};

struct cover {
	uint32_t orbits, modulus;	/* modulus: phases of a base frame */
	const uint32_t *first_place;	/* by orbit, and orbits: the first of its places */
	struct cell_set tight;
	bool easy;			/* begin with orbits that use none of them */
	struct cell_set *cells;		/* by place */
	uint32_t *length;		/* by orbit: number of cells of a place */
	uint32_t *rank;			/* by orbit: the higher, the sooner it is tried */
	uint64_t uses;			/* cells of all orbits; 0 before cover_rate() */
	uint32_t frame_cells;		/* cells that any orbit uses */
	struct candidate *pool;		/* candidates of all levels of the search */
	size_t room;
	struct random random;
	uint32_t nodes;			/* left for this tile */
	uint64_t work;			/* operations not yet charged to the budget */
	uint32_t chosen_count;
	struct candidate chosen[COVER_CELLS_MAX];	/* the tile */
};

/*
 * Returns false if out of memory. No cell is tight yet, and no place uses any: cover_use() tells
 * what they do. @first_place stays the caller's.
 */
bool cover_init(struct cover *cover, uint32_t orbits, const uint32_t *first_place,
		uint32_t modulus, uint64_t seed);
void cover_use(struct cover *cover, uint32_t orbit, uint32_t place, uint32_t cell);
void cell_set_add(struct cell_set *set, uint32_t cell);
/*
 * Call it when all tight cells are known. Where some orbits use none, those are easily left to the
 * end, and then too many for the frames that are left: such orbits get their turn, and cells that
 * are not tight raise a rank more than tight ones.
 */
void cover_rate(struct cover *cover);
/* Whether the places of @orbit use tight cells. */
bool cover_is_hard(const struct cover *cover, uint32_t orbit);
void cover_clear(struct cover *cover);

/* Search for a tile from @orbit[]; false if none is found with @nodes nodes. */
bool cover_find(struct cover *cover, const uint32_t *orbit, uint32_t orbits, uint32_t nodes);

#endif
