/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A forest to begin with: every way goes up and then down in an order of the switches. */
#ifndef LIQUID_ROUTE_START_H
#define LIQUID_ROUTE_START_H

#include "route/forest.h"
#include "route/heap.h"

/* What breaks ties between ways of as many hops */
enum start_tie {
	TIE_LOAD,			/* the load of what is planted so far */
	TIE_MODULO,			/* the number of the destination: D-mod-K */
	TIE_TRUNK,			/* a way down that is the same for all: ftree of OpenSM */
};

struct start {
	struct forest *forest;
	bool levels;			/* the switches are a tree, with all hosts on one level */
	enum start_tie tie;
	uint32_t *rank;			/* by lane and switch: smaller is higher */
	/* Scratch, by switch */
	struct heap heap;
	uint32_t *queue;
	bool *down, *done;
	uint32_t *trunk;		/* the arc that leads down to the root; LIQUID_NONE: none */
	uint32_t *taken;		/* by arc: trees that use it */
};

/* start.c; start_close() in either case. False: no memory. */
bool start_open(struct start *start, struct forest *forest);
void start_close(struct start *start);
/*
 * Set next[] of @tree, whose root and lane are set: the shortest ways, of these the least loaded.
 * Returns a switch with hosts that has no way, or LIQUID_NONE.
 */
uint32_t start_tree(struct start *start, uint32_t tree);
/* Set down[] of the switches that have a way to the root of @tree that only goes down. */
void start_mark_down(struct start *start, uint32_t tree);

#endif
