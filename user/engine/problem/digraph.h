/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points and arcs between them, each arc once and with a label */
#ifndef LIQUID_DIGRAPH_H
#define LIQUID_DIGRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct arc {
	uint32_t from, to;
	uint64_t label;			/* not 0 */
};

struct digraph {
	uint32_t points, arcs;
	struct arc *arc;
	/* The arcs that leave point p: out[first[p]] ... out[first[p + 1] - 1]; those that enter */
	uint32_t *first, *out, *first_in, *in;
	uint32_t *slot, slots;		/* hash table by ends: arc + 1; 0: empty */
};

/* Without arcs. Of all that return bool here, false is: no memory. */
bool digraph_init(struct digraph *graph, uint32_t points);
void digraph_clear(struct digraph *graph);
/* Add @label to that of the arc, which is added if it is new. */
bool digraph_add(struct digraph *graph, uint32_t from, uint32_t to, uint64_t label);
/* Sort the arcs by their ends: there are no more to come. */
bool digraph_finish(struct digraph *graph);
/* 0: there is no such arc. */
uint64_t digraph_label(const struct digraph *graph, uint32_t from, uint32_t to);

#endif
