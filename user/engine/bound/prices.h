/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Witnesses of a bound, made of the prices of a mix
 *
 * In whole numbers, and with multipliers of links, which are the prices of capacity where the
 * frame worth most is looked for and transfers may be taken in parts. If those multipliers alone,
 * rounded down, bound the worth of a frame, they are the witness; else the prices are, and the
 * verifier has to search.
 */
#ifndef LIQUID_BOUND_PRICES_H
#define LIQUID_BOUND_PRICES_H

#include "bound/classes.h"

struct prices {
	uint32_t *of_class;		/* what a unit of each class costs */
	uint64_t frame;			/* no known frame is worth more; below 2^30 */
	uint64_t traffic;		/* worth of the traffic */
	uint32_t *multiplier;		/* by link of the routes, in @parts of a price */
	uint32_t parts;
};

/* @price: by class, at which no known frame is worth more than 1. */
int prices_find(struct prices *prices, const struct classes *classes, const struct routes *routes,
		const double *price, struct liquid_error *err);
void prices_clear(struct prices *prices);
/* Frames that they prove, if they are right */
uint64_t prices_bound(const struct prices *prices);
/* The caller frees the text; NULL: out of memory. */
char *prices_witness(const struct prices *prices, const struct classes *classes,
		     const struct routes *routes, const struct liquid_fabric *fabric);

#endif
