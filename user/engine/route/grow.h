/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trees grown among the dependencies of the trees before
 *
 * A tree grows from its root to the switches, the cheapest way first; a way that would close a
 * circle of dependencies is not taken. So that no switch is left without a way, each lane keeps the
 * dependencies of a spanning tree, by which any root can be reached (Domke, Hoefler and Matsuoka,
 * "Routing on the dependency graph", HPDC 2016).
 */
#ifndef LIQUID_ROUTE_GROW_H
#define LIQUID_ROUTE_GROW_H

#include "route/forest.h"
#include "route/heap.h"

struct grow {
	struct forest *forest;
	bool spanning;
	uint32_t *parent;		/* by switch: arc to its parent in the spanning tree */
	uint32_t *back;			/* by switch: arc from its parent */
	uint32_t *depth;
	/* Scratch */
	struct heap heap;		/* of arcs */
	uint64_t *reach;		/* by switch: cost of its way; UINT64_MAX: none yet */
	uint32_t *order;		/* switches in the order in which they got a way */
};

/*
 * grow.c; grow_close() in either case. With @spanning every switch that can be reached gets a way;
 * it needs lanes without dependencies. False: no memory.
 */
bool grow_open(struct grow *grow, struct forest *forest, bool spanning);
void grow_close(struct grow *grow);
/*
 * Give @tree, whose root, lane and own[] are set, ways, and plant it. Returns a switch with hosts
 * that has no way, or LIQUID_NONE.
 */
uint32_t grow_tree(struct grow *grow, uint32_t tree);
/* Drop the dependencies of the spanning tree: no tree grows any more. */
void grow_end(struct grow *grow);

#endif
