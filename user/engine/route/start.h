/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A forest to begin with: every way goes up and then down in an order of the switches. */
#ifndef LIQUID_ROUTE_START_H
#define LIQUID_ROUTE_START_H

#include "route/forest.h"
#include "route/heap.h"

struct start {
	struct forest *forest;
	bool levels;			/* the switches are a tree, with all hosts on one level */
	bool modulo;			/* break ties by the number of the destination: D-mod-K */
	uint32_t *rank;			/* by lane and switch: smaller is higher */
	/* Scratch, by switch */
	struct heap heap;
	uint32_t *queue;
	bool *down, *done;
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
