/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Congestion as a graph: which transfers exclude each other, where that is pairwise at all. */
#ifndef LIQUID_CONGESTION_H
#define LIQUID_CONGESTION_H

#include "problem/routes.h"

/*
 * A link of capacity above 1 that may be overfull though no two of its transfers
 * exclude each other, or LIQUID_NONE where there is none, in *@link. A link that
 * takes all of its load at once, or whose transfers have no more sources or no more
 * destinations than it has capacity, each taking one at a time, is never overfull. False
 * where memory is short.
 */
bool congestion_unpaired(const struct routes *routes, const struct routes_inverse *inverse,
			 uint32_t *link);

/* The pairs that share a link of capacity 1 with @pair, itself left out, each once. */
struct congestion {
	const struct routes *routes;
	const struct routes_inverse *inverse;
	uint32_t *seen;			/* by pair: the last one that met it, + 1 */
	uint32_t *neighbours;
	uint32_t count;
};

bool congestion_new(struct congestion *congestion, const struct routes *routes,
		    const struct routes_inverse *inverse);
void congestion_clear(struct congestion *congestion);
/* Fills in neighbours[] and count, in ascending order of the links where they are met. */
void congestion_of(struct congestion *congestion, uint32_t pair);

#endif
