/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Placing units in base frames. */
#ifndef LIQUID_PACK_H
#define LIQUID_PACK_H

#include "compact/cells.h"
#include "problem/budget.h"
#include "problem/random.h"

#define PACK_ARENAS 2
#define OWNERS_MAX (1u << 28)	/* cells of all base frames, as often as they have room */

/* The base frames of one kind */
struct arena {
	const struct cells *cells;
	uint32_t frames, most;		/* open; memory is for */
	uint32_t closed;		/* first frames that ejection leaves alone, ... */
					/* ... and first fit too, if those are all */
	uint32_t *room;			/* by cell: no more than there are units for it */
	uint64_t *full;			/* by cell: a bit for each frame that has no room */
	size_t *used_of, useds;		/* by cell: index of its counts, and their number */
	uint16_t *used;			/* by cell with room for several, and frame: units */

};

/* There are millions of them. NO_FRAME is more than the base frames that memory allows. */
struct pack_unit {
	uint32_t frame:29;		/* NO_FRAME: not placed */
	uint32_t arena:1, fits:2;	/* fits: a bit for each arena */
	uint16_t phase, weight;
};

#define NO_FRAME ((1u << 29) - 1)

struct pack {
	const struct group *group;
	const uint32_t *origin;		/* by class: its place */
	uint32_t units, arenas;		/* unit: class * blocks + block */
	struct arena arena[PACK_ARENAS];
	struct pack_unit *unit;
	uint32_t *path;			/* resources of all units, or NULL: too many */
	uint32_t *path_of;		/* by unit, and units: its first of them */
	size_t resources;		/* of all units, as cells_unit() counts them */
	uint32_t *order, orders;	/* units which are not empty, the hardest first */
	uint32_t *left, lefts;		/* units that are not placed */
	uint64_t least;			/* phases that are enough by their number */
	bool rest;			/* arena 0 is for what the other leaves */
	const struct bundles *bundles;	/* of the first arena, or NULL */
	struct budget *budget;		/* all that is left of it may be used */
	struct random random;
	bool soon;			/* all work counts */
};

/* Work other than search counts only where a schedule is needed soon. */
static inline void pack_count(struct pack *pack, uint64_t operations)
{
	if (pack->soon)
		budget_spend(pack->budget, operations);
}

/* Does @unit go from a block to its own hosts? */
static inline bool pack_is_own(const struct pack *pack, uint32_t unit)
{
	const struct group *group = pack->group;

	return group->block[pack->origin[unit / group->blocks]] == unit % group->blocks;
}

/*
 * Of each arena @cells and @frames are given, and the number of resources. @most: frames of each
 * arena for which there is memory, all in all. An arena of fewer phases comes first. Then call
 * pack_all(), then pack_free() also on failure.
 */
int pack_new(struct pack *pack, struct liquid_error *err);
void pack_free(struct pack *pack);
/* All are placed and stay where they are: free what only placing needs. */
void pack_forget(struct pack *pack);
/*
 * Place what finds a place in the frames given. @crowd: 64 times the units that were left on
 * average in the second half of the work: how far from a schedule of these frames it is
 */
int pack_try(struct pack *pack, bool self, uint64_t *crowd, struct liquid_error *err);
/* Place all units, in more frames if need be. @self: those of blocks to their own hosts first, */
/* in a base frame of their own. */
int pack_all(struct pack *pack, bool self, struct liquid_error *err);

/* No unit is placed, nor left. */
void pack_clear(struct pack *pack);
/* Place those left, as far as @work does. */
int pack_fill(struct pack *pack, uint64_t work, struct liquid_error *err);

/* Place those left, in more frames if need be; then in fewer, as far as the work does. */
int pack_finish(struct pack *pack, struct liquid_error *err);

/* Put @unit into the first frame of @arena that has room for it, if there is one. */
bool pack_put_first(struct pack *pack, uint32_t unit, uint32_t arena);

/* ---- apart.c ---- */

/*
 * As pack_all() with two arenas and their bundles, the second arena being filled before the first.
 * Needs work.
 */
int pack_all_apart(struct pack *pack, struct liquid_error *err);

/* ---- rows.c: what is in a base frame ---- */

/* The resources of @unit, in the pack or in @own. Returns how many, as cells_unit(). */
int pack_path(const struct pack *pack, uint32_t unit, uint32_t own[CELLS_OF_UNIT],
	      const uint32_t **resource);
int pack_keep_paths(struct pack *pack, struct liquid_error *err);
static inline bool arena_is_full(const struct arena *arena, uint32_t cell, uint32_t frame)
{
	size_t at = (size_t)cell * arena->most + frame;

	return arena->full[at / 64] >> at % 64 & 1;
}

/* A bit for each frame of @word in which @cell is full; bits beyond the last frame say nothing. */
static inline uint64_t arena_full_word(const struct arena *arena, uint32_t cell, uint32_t word)
{
	size_t at = (size_t)cell * arena->most + (size_t)word * 64;

	return arena->full[at / 64] >> at % 64;
}

/* The cells of @resource in @phase. Returns whether one of them is there twice. */
bool arena_find_cells(const struct arena *arena, const uint32_t *resource, int n, uint32_t phase,
		      uint32_t cell[CELLS_OF_UNIT]);
int arena_new(struct arena *arena, const uint32_t *uses, struct liquid_error *err);
void arena_free(struct arena *arena);
/* Put @unit where there is room for it. */
void pack_put(struct pack *pack, uint32_t unit, uint32_t arena, uint32_t frame, uint32_t phase);
/* The same for whoever knows its resources */
void pack_put_path(struct pack *pack, uint32_t unit, uint32_t arena, uint32_t frame,
		   uint32_t phase, const uint32_t *resource, int n);
/* Take out all units at once; they are not left. */
void pack_empty(struct pack *pack);
void pack_take_out(struct pack *pack, uint32_t unit);
/* The first frame that has room for these, or LIQUID_NONE */
uint32_t arena_first_room(const struct arena *arena, const uint32_t *resource, int n,
			  uint32_t phase);
/* Units have been given other places, such that all have room. */
void pack_load(struct pack *pack);

/* ---- ranks.c ---- */

/* How hard @unit is to place: kept in it until ranks_sort(), before it has phase and weight */
void ranks_set(struct pack_unit *unit, uint32_t hard);
/* Sort order[], the hardest first; others stay in their order. left[] is not used yet. */
void ranks_sort(struct pack *pack);

/* ---- eject.c ---- */

/*
 * Move units until all are placed or @work is done. Without @on, too little progress ends it too.
 */
int pack_eject(struct pack *pack, uint64_t work, bool on, struct liquid_error *err);
/* The same with all work that is left; @crowd as for pack_try(). */
int pack_eject_rated(struct pack *pack, uint64_t *crowd, struct liquid_error *err);

#endif
