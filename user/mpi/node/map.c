// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which ranks share a node */
#include <stdlib.h>
#include <string.h>

#include "node/map.h"
#include "node/place.h"

/* Ranks of one name are adjacent, the lowest first. */
struct entry {
	const char *name;
	uint32_t rank;
};

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* For each rank the lowest that has its name */
static bool find_first(uint32_t *first, const host_name *names, uint32_t ranks)
{
	struct entry *entry = calloc(ranks, sizeof(*entry));
	uint32_t lowest = 0;

	if (!entry)
		return false;
	for (uint32_t i = 0; i < ranks; i++)
		entry[i] = (struct entry){ names[i], i };
	qsort(entry, ranks, sizeof(*entry), by_name);
	for (uint32_t i = 0; i < ranks; i++) {
		if (!i || strcmp(entry[i].name, entry[i - 1].name))
			lowest = entry[i].rank;
		first[entry[i].rank] = lowest;
	}
	free(entry);
	return true;
}

/* Turn lowest ranks into numbers of nodes, and count the ranks of each. */
static void number_nodes(struct map *map)
{
	for (uint32_t i = 0; i < map->ranks; i++) {
		map->node[i] = map->node[i] == i ? map->nodes++ : map->node[map->node[i]];
		map->begin[map->node[i] + 1]++;
	}
	for (uint32_t i = 0; i < map->nodes; i++)
		map->begin[i + 1] += map->begin[i];
}

static bool list_members(struct map *map)
{
	uint32_t *next = calloc(map->nodes, sizeof(*next));

	if (!next)
		return false;
	memcpy(next, map->begin, map->nodes * sizeof(*next));
	for (uint32_t i = 0; i < map->ranks; i++)
		map->member[next[map->node[i]]++] = i;
	free(next);
	return true;
}

/* Nodes of one machine differ only if it has several rails, so mostly one look each is enough. */
static bool find_machines(struct map *map, const host_name *names)
{
	map->machine = calloc((size_t)map->nodes + 1, sizeof(*map->machine));
	for (uint32_t i = 0; map->machine && i < map->nodes; i++) {
		const char *own = names[map_driver(map, i)];

		map->machine[i] = i;
		for (uint32_t k = 0; k < i && strchr(own, '/'); k++)
			if (place_is_same_machine(own, names[map_driver(map, k)])) {
				map->machine[i] = k;
				break;
			}
		map->machines += map->machine[i] == i;
	}
	return map->machine;
}

bool map_make(struct map *map, const host_name *names, uint32_t ranks)
{
	*map = (struct map){
		.ranks = ranks, .node = calloc(ranks, sizeof(*map->node)),
		.member = calloc(ranks, sizeof(*map->member)),
		.begin = calloc((size_t)ranks + 2, sizeof(*map->begin)),
	};
	if (map->node && map->member && map->begin && find_first(map->node, names, ranks)) {
		number_nodes(map);
		if (list_members(map) && find_machines(map, names))
			return true;
	}
	map_clear(map);
	return false;
}

void map_clear(struct map *map)
{
	free(map->node);
	free(map->member);
	free(map->begin);
	free(map->machine);
	*map = (struct map){ 0 };
}
