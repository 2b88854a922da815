/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What waits for what in each virtual lane, kept free of circles
 *
 * A packet that holds a link waits for the next link of its route: a dependency. While those of a
 * lane have no circle, packets of the lane cannot wait for each other forever (Dally and Seitz,
 * 1987). Each lane keeps an order of the arcs in which every dependency goes forward, so most
 * insertions need a look at two numbers only (Pearce and Kelly, "A dynamic topological sort
 * algorithm for directed acyclic graphs", 2006).
 */
#ifndef LIQUID_ROUTE_LANES_H
#define LIQUID_ROUTE_LANES_H

#include "route/graph.h"

struct lane {
	uint32_t *count;		/* by dependency: trees that have it */
	uint32_t *place;		/* by arc: in the order */
};

struct lanes {
	const struct route_graph *graph;
	uint32_t lanes;
	bool circles;			/* allow them: the network may drop packets */
	struct lane *lane;
	uint32_t *base;			/* by arc: its first dependency, of one for each next arc */
	uint32_t dependencies;
	/* Scratch, by arc */
	uint32_t *stamp, now;
	uint32_t *queue, *before, *places;
};

/* lanes.c; lanes_close() in either case. False: no memory. */
bool lanes_open(struct lanes *lanes, const struct route_graph *graph, uint32_t count);
void lanes_close(struct lanes *lanes);
/* A tree of @lane goes from arc @first to @then. False: that closes a circle; nothing changed. */
bool lanes_add(struct lanes *lanes, uint32_t lane, uint32_t first, uint32_t then);
void lanes_remove(struct lanes *lanes, uint32_t lane, uint32_t first, uint32_t then);

#endif
