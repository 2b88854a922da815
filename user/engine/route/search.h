/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Improving a forest by moves of one switch of one tree. */
#ifndef LIQUID_ROUTE_SEARCH_H
#define LIQUID_ROUTE_SEARCH_H

#include "route/forest.h"
#include "route/ways.h"

struct search_options {
	uint64_t moves;			/* to try */
	/*
	 * Change as little as brings the greatest load down to @enough: nothing becomes worse on
	 * the way, and no more is done then
	 */
	bool gentle;
	double enough;
	double length;			/* cost of a hop, as a share of that of the greatest load */
	uint64_t seed;
	const uint32_t *tree;		/* those that may change; NULL: all */
	uint32_t trees;
	struct ways *ways;		/* addresses that pairs may change; or NULL */
	const struct stretch *stretch;	/* or NULL: ways may have any length */
};

/* search.c: simulated annealing; the forest ends as the best that was seen. False: no memory. */
bool search_run(struct forest *forest, const struct search_options *options);

#endif
