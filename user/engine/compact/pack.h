/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Placing units in base frames. */
#ifndef LIQUID_PACK_H
#define LIQUID_PACK_H

#include "compact/cells.h"
#include "problem/random.h"

#define PACK_ARENAS 2

/* The base frames of one kind */
struct arena {
	const struct cells *cells;
	uint32_t frames, most;		/* open; memory is for, a multiple of 8 */
	uint32_t *room;			/* by cell: no more than there are units for it */
	size_t *owner_of;		/* by cell: index of its first owner */
	uint16_t *cost;			/* by cell and frame: 0: there is room; else the least */
					/* weight of its owners, ... */
	uint16_t *who;			/* ... and the low bits of that one's number */
	uint32_t *used;			/* by cell and frame */
	uint32_t *owner;		/* by cell, frame and use: unit */
};

struct pack_unit {
	uint32_t frame;			/* LIQUID_NONE: not placed */
	uint16_t phase, weight;
	uint8_t arena, fits;		/* fits: a bit for each arena */
};

struct pack {
	const struct group *group;
	const uint32_t *origin;		/* by class: its place */
	uint32_t units, arenas;		/* unit: class * blocks + block */
	struct arena arena[PACK_ARENAS];
	struct pack_unit *unit;
	uint32_t *order, orders;	/* units in which somebody sends, the hardest first */
	uint32_t *left, lefts;		/* units that are not placed */
	uint64_t work, spent;
	uint64_t moves;			/* of ejection, that are left */
	struct random random;
	uint16_t *sum;			/* scratch: by frame */
};

/*
 * Of each arena @cells and @frames are given. @most: frames of each arena for which there is
 * memory, all in all. Then call pack_all(), then pack_free() also on failure.
 */
int pack_new(struct pack *pack, struct liquid_error *err);
void pack_free(struct pack *pack);
/* Place all units, in more frames if need be. @self: those of blocks to their own hosts first, */
/* in a base frame of their own. */
int pack_all(struct pack *pack, bool self, struct liquid_error *err);

#endif
