/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge colouring of bipartite multigraphs with as many colours as the largest degree (Koenig, 1916). */
#ifndef LIQUID_EDGE_COLOUR_H
#define LIQUID_EDGE_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/* Tables that grow as needed and are used again; zero-initialised, cleared with konig_clear(). */
struct konig {
	uint32_t *left, *right;		/* by vertex and colour: edge + 1, 0 where the colour is free */
	uint64_t *left_free, *right_free;	/* by vertex: its free colours, one bit each */
	uint64_t slots[2], words[2];	/* allocated */
	uint32_t colours, stride;	/* of the colouring at work; words a vertex */
	uint64_t flips;			/* edges coloured anew: the work done */
};

struct konig_graph {
	uint32_t edges, lefts, rights;
	const uint32_t *left, *right;	/* by edge */
};

/*
 * Give each edge a colour of 0 ... @colours - 1 such that no two at one vertex are
 * the same. False when a vertex has more edges than colours, or memory is short.
 */
bool konig_colour(struct konig *konig, const struct konig_graph *graph, uint32_t colours,
		  uint32_t *colour);
void konig_clear(struct konig *konig);

#endif
