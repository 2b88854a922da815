/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge colouring of bipartite multigraphs with as many colours as the largest degree (Koenig). */
#ifndef LIQUID_EDGE_COLOUR_H
#define LIQUID_EDGE_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/* Tables that grow as needed and are used again; zero-initialised, cleared with konig_clear(). */
struct konig {
	uint32_t *left, *right;		/* by vertex and colour: edge + 1; 0: free */
	uint64_t *left_free, *right_free;	/* by vertex: a bit for each free colour */
	uint64_t slots[2], words[2];	/* allocated entries, by side */
	uint32_t colours, stride;	/* of the current colouring; words of a vertex */
	uint64_t flips;			/* edges that changed colour: the work done */
};

struct konig_graph {
	uint32_t edges, lefts, rights;
	const uint32_t *left, *right;	/* by edge */
};

/*
 * Give each edge a colour of 0 ... @colours - 1 such that no two at one vertex are
 * the same. Returns false if a vertex has more edges than colours, or if out of memory.
 */
bool konig_colour(struct konig *konig, const struct konig_graph *graph, uint32_t colours,
		  uint32_t *colour);
void konig_clear(struct konig *konig);

#endif
