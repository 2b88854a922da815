/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which ranks share a node: plans are of nodes */
#ifndef LIQUID_MPI_MAP_H
#define LIQUID_MPI_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include <liquidsched.h>

typedef char host_name[LIQUID_NAME_MAX + 1];

struct map {
	uint32_t ranks, nodes;
	uint32_t *node;			/* by rank; nodes are numbered by their first ranks */
	uint32_t *member;		/* ranks, by node and then by rank */
	uint32_t *begin;		/* by node: its first in @member; and one more, the end */
	uint32_t *machine;		/* by node: the first node on its machine */
	uint32_t machines;		/* with one node each, except nodes with several rails */
};

/* @names: places by rank (place.h). Returns false without memory. */
bool map_make(struct map *map, const host_name *names, uint32_t ranks);
void map_clear(struct map *map);

static inline uint32_t map_members(const struct map *map, uint32_t node)
{
	return map->begin[node + 1] - map->begin[node];
}

/* Do bytes between these ranks stay on their machine? */
static inline bool map_is_near(const struct map *map, uint32_t a, uint32_t b)
{
	return map->machine[map->node[a]] == map->machine[map->node[b]];
}

/* The rank of a node that has its run: the lowest */
static inline uint32_t map_driver(const struct map *map, uint32_t node)
{
	return map->member[map->begin[node]];
}

#endif
