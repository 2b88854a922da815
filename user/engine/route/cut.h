/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cuts: what leaves a set of switches over the links that leave it
 *
 * Where cables are lost the best bound is mostly that of a cut, and prices that only approach it
 * are one to three percent short of it. A search by loads and prices knows about where it is: the
 * sets that a sweep meets, in the order of the distances for these prices, and from the best of
 * these on by one switch at a time.
 */
#ifndef LIQUID_ROUTE_CUT_H
#define LIQUID_ROUTE_CUT_H

#include "route/graph.h"

struct route_cut {
	const struct route_graph *graph;
	const uint64_t *demand;		/* by receiving switch and sending switch */
	bool *inside;			/* by switch: the present set */
	/* Demand and capacity of the links out of the set (0) and into it (1) */
	int64_t demands[2], capacity[2];
	/* The best so far */
	bool *best;
	uint32_t best_way;		/* 0: out of it, 1: into it */
	double value;
};

/* cut.c; route_cut_close() in either case. False: no memory. */
bool route_cut_open(struct route_cut *cut, const struct route_graph *graph, const uint64_t *demand);
void route_cut_close(struct route_cut *cut);
/* Meet the sets of the first 1, 2, ... of the @count switches in @order. */
void route_cut_sweep(struct route_cut *cut, const uint32_t *order, uint32_t count);
/* Let one switch at a time change sides while that makes the best better. */
void route_cut_improve(struct route_cut *cut);
/* Whether the best cut has @arc */
bool route_cut_has(const struct route_cut *cut, uint32_t arc);

#endif
