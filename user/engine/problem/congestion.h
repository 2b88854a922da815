/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Congestion as a graph: which transfers exclude each other, if that is a relation of pairs. */
#ifndef LIQUID_CONGESTION_H
#define LIQUID_CONGESTION_H

#include "problem/routes.h"

/*
 * Find a link of capacity above 1 that may be overfull although no two of its transfers
 * exclude each other; *@link is LIQUID_NONE if there is none. A link is never overfull if
 * its capacity is at least its load, or the number of its sources or destinations that take
 * one transfer at a time. Returns false if out of memory.
 */
bool congestion_unpaired(const struct routes *routes, const struct routes_inverse *inverse,
			 uint32_t *link);

/* The pairs that share a link of capacity 1 with a pair, without that pair, each once. */
struct congestion {
	const struct routes *routes;
	const struct routes_inverse *inverse;
	uint32_t *seen;			/* by pair: the last pair that has it as a neighbour, + 1 */
	uint32_t *neighbours;
	uint32_t count;
};

bool congestion_new(struct congestion *congestion, const struct routes *routes,
		    const struct routes_inverse *inverse);
void congestion_clear(struct congestion *congestion);
/* Fills in neighbours[] and count, in the order of the links that are shared. */
void congestion_of(struct congestion *congestion, uint32_t pair);

#endif
