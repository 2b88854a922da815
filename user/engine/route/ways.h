/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which of a destination's addresses each pair uses
 *
 * Where hosts have several addresses (an LMC, in InfiniBand), each has its own tree, and a
 * pair's transfers may take any: a move gives them another.
 */
#ifndef LIQUID_ROUTE_WAYS_H
#define LIQUID_ROUTE_WAYS_H

#include "problem/random.h"
#include "route/forest.h"

struct way_pair {
	uint32_t src, dst, count;	/* hosts */
	uint32_t s;			/* switch that src sends to, which is not that of dst */
};

struct ways {
	uint32_t each;			/* addresses of a host; 0: not in use */
	uint32_t *tree;			/* by host * each + way; LIQUID_NONE: no such address */
	uint32_t *host;			/* by tree: whose address it is */
	struct way_pair *pair;		/* by receiver */
	uint32_t pairs;
	uint32_t *first;		/* by host, and one more: its pairs as a receiver */
	uint8_t *way;			/* by pair */
};

/*
 * ways.c; ways_close() in either case. @host: by tree, its host or alias; addresses of a host come
 * in the order of their numbers. False: no memory.
 */
bool ways_open(struct ways *ways, const struct route_graph *graph,
	       const struct liquid_traffic *traffic, uint32_t each, const uint32_t *host,
	       uint32_t trees);
void ways_close(struct ways *ways);
/* Deal the pairs of each receiver out to its addresses in turn. */
void ways_deal(struct ways *ways);
/* Fill in own[] of the forest, in which nothing is planted. */
void ways_fill(const struct ways *ways, struct forest *forest);
/* A pair that sends by @arc in @tree; LIQUID_NONE: none was found */
uint32_t ways_pick(const struct ways *ways, const struct forest *forest, uint32_t tree,
		   uint32_t arc, struct random *random);
/* Give @pair another address. */
void ways_move(struct ways *ways, struct forest *forest, uint32_t pair, uint8_t way);
/* The tree of @way for @pair */
static inline uint32_t ways_tree(const struct ways *ways, uint32_t pair, uint8_t way)
{
	return ways->tree[(size_t)ways->pair[pair].dst * ways->each + way];
}

#endif
