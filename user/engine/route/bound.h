/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What no routing whatever can go below, and the prices of links that prove it. */
#ifndef LIQUID_ROUTE_BOUND_H
#define LIQUID_ROUTE_BOUND_H

#include "route/forest.h"

/*
 * Whole prices for the arcs: every transfer pays at least the distance of its ends, so the greatest
 * load by capacity is at least the sum of those over the sum of price * capacity. That holds for
 * routes that split, too (dual of the maximum concurrent flow: Shahrokhi and Matula, 1990).
 */
struct route_bound {
	uint64_t *price;		/* by arc; the caller frees it */
	double value;			/* transfers a frame and unit of capacity */
};

/* bound.c: at least @rounds flows are tried, from that of @forest on. False: no memory. */
bool route_bound(const struct forest *forest, uint32_t rounds, struct route_bound *bound);

#endif
