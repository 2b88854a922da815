/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a base frame has room for: links and blocks up to the shifts that keep its phases. */
#ifndef LIQUID_CELLS_H
#define LIQUID_CELLS_H

#include "compact/group.h"

/* Most cells that a unit takes: those of its links, and that of its block */
#define CELLS_OF_UNIT (LIQUID_PATH_MAX + 1)

/*
 * Resources are the blocks, then the links. Those of a class are images of each other; a cell is
 * the rest of a class for the transfers of one phase. Room counts units.
 */
struct cells {
	const struct group *group;
	uint32_t phases;
	uint32_t weight[LIQUID_SHIFTS_MAX];	/* as in struct liquid_kind */
	uint32_t cells;
	uint32_t *first;		/* by resource: first cell of its class; LIQUID_NONE */
	uint32_t *phase;		/* by resource: where it is in its class */
	uint32_t *cycle;		/* by resource: cells of its class, a divisor of phases */
	uint32_t *room;			/* by cell: units in a base frame */
	uint32_t *span;			/* by cell: cells of its class */
};

int cells_new(const struct group *group, uint32_t phases, const uint32_t *weight,
	      struct cells *cells, struct liquid_error *err);
void cells_free(struct cells *cells);

/* The cell that a unit takes by using @resource, if its transfer is in @phase. */
static inline uint32_t cells_of(const struct cells *cells, uint32_t resource, uint32_t phase)
{
	uint32_t cycle = cells->cycle[resource];

	return cells->first[resource] +
	       (cells->phase[resource] + cells->phases - phase) % cycle;
}

/*
 * The resources of the unit of @block and @class: returns how many, 0 if it sends nothing, -1
 * without a route.
 */
int cells_unit(const struct group *group, uint32_t block, uint32_t place,
	       uint32_t resource[CELLS_OF_UNIT]);

/* Does a base frame hold the unit that uses these, alone? */
bool cells_hold(const struct cells *cells, const uint32_t *resource, int n);

#endif
