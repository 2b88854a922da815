/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points and arcs between them, each arc once, with a label, and with one that leads back */
#ifndef LIQUID_DIGRAPH_H
#define LIQUID_DIGRAPH_H

#include <stdbool.h>
#include <stdint.h>

struct arc {
	uint32_t from, to;
	uint64_t label;			/* not 0; bits 32 ...: that of the arc that leads back */
};

struct digraph {
	uint32_t points, arcs;
	struct arc *arc;
	uint32_t *first, *out;		/* arcs from p: out[first[p]] ... out[first[p + 1] - 1] */
	uint32_t *slot, slots;		/* hash table by ends: arc + 1; 0: empty */
};

/* Without arcs. Of all that return bool here, false is: no memory. */
bool digraph_init(struct digraph *graph, uint32_t points);
void digraph_clear(struct digraph *graph);
/* Add @label to that of the arc, which is added if it is new. */
bool digraph_add(struct digraph *graph, uint32_t from, uint32_t to, uint64_t label);
/* Lead arcs back, and sort all by where they leave: there are no more to come. */
bool digraph_finish(struct digraph *graph);
/* 0: there is no such arc. */
uint64_t digraph_label(const struct digraph *graph, uint32_t from, uint32_t to);

#endif
