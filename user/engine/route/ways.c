// SPDX-License-Identifier: LGPL-2.1-or-later
/* Deals a pair's transfers to the addresses of its destination, and moves them among these. */
#include <stdlib.h>
#include <string.h>

#include "route/ways.h"

#define TRIES 64		/* pairs of a receiver to look at, for one that uses an arc */

static void number_trees(struct ways *ways, const struct route_graph *graph, const uint32_t *host,
			 uint32_t trees)
{
	memset(ways->tree, 0xff, (size_t)graph->hosts * ways->each * sizeof(*ways->tree));
	for (uint32_t tree = 0; tree < trees; tree++) {
		uint32_t owner = liquid_fabric_owner(graph->fabric, host[tree]);
		uint32_t *first = &ways->tree[(size_t)owner * ways->each];

		while (*first != LIQUID_NONE)
			first++;
		*first = tree;
		ways->host[tree] = owner;
	}
}

static bool is_way_pair(const struct ways *ways, const struct route_graph *graph,
			const struct liquid_pair *pair)
{
	uint32_t s = graph->source[pair->src];

	return s != LIQUID_NONE && s != graph->home[pair->dst] &&
	       ways->tree[(size_t)pair->dst * ways->each] != LIQUID_NONE;
}

/* Sort by receivers, by counting; of a receiver in the order of the senders. */
static void sort_pairs(struct ways *ways, const struct route_graph *graph,
		       const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pair = liquid_traffic_pairs(traffic);
	size_t count = liquid_traffic_pair_count(traffic);

	for (size_t i = 0; i < count; i++)
		if (is_way_pair(ways, graph, &pair[i]))
			ways->first[pair[i].dst + 2]++;
	for (uint32_t host = 0; host < graph->hosts; host++)
		ways->first[host + 2] += ways->first[host + 1];
	for (size_t i = 0; i < count; i++)
		if (is_way_pair(ways, graph, &pair[i]))
			ways->pair[ways->first[pair[i].dst + 1]++] = (struct way_pair){
				pair[i].src, pair[i].dst, pair[i].count,
				graph->source[pair[i].src],
			};
	ways->pairs = ways->first[graph->hosts];
}

bool ways_open(struct ways *ways, const struct route_graph *graph,
	       const struct liquid_traffic *traffic, uint32_t each, const uint32_t *host,
	       uint32_t trees)
{
	size_t count = liquid_traffic_pair_count(traffic);

	*ways = (struct ways){ .each = each };
	ways->tree = calloc((size_t)graph->hosts * each + 1, sizeof(*ways->tree));
	ways->host = calloc((size_t)trees + 1, sizeof(*ways->host));
	ways->pair = calloc(count + 1, sizeof(*ways->pair));
	ways->first = calloc((size_t)graph->hosts + 2, sizeof(*ways->first));
	ways->way = calloc(count + 1, sizeof(*ways->way));
	if (!ways->tree || !ways->host || !ways->pair || !ways->first || !ways->way)
		return false;
	number_trees(ways, graph, host, trees);
	sort_pairs(ways, graph, traffic);
	return true;
}

void ways_close(struct ways *ways)
{
	free(ways->tree);
	free(ways->host);
	free(ways->pair);
	free(ways->first);
	free(ways->way);
}

void ways_deal(struct ways *ways)
{
	for (uint32_t i = 0; i < ways->pairs; i++)
		ways->way[i] = (uint8_t)((i - ways->first[ways->pair[i].dst]) % ways->each);
}

void ways_fill(const struct ways *ways, struct forest *forest)
{
	memset(forest->own, 0, forest_place(forest, forest->trees, 0) * sizeof(*forest->own));
	for (uint32_t i = 0; i < ways->pairs; i++) {
		uint32_t tree = ways_tree(ways, i, ways->way[i]);

		forest->own[forest_place(forest, tree, ways->pair[i].s)] += ways->pair[i].count;
	}
}

uint32_t ways_pick(const struct ways *ways, const struct forest *forest, uint32_t tree,
		   uint32_t arc, struct random *random)
{
	const uint32_t *first = &ways->first[ways->host[tree]];
	uint32_t count = first[1] - first[0], at;

	if (!count)
		return LIQUID_NONE;
	at = random_below(random, count);
	for (uint32_t i = 0; i < count && i < TRIES; i++) {
		uint32_t pair = first[0] + (at + i) % count;

		if (ways_tree(ways, pair, ways->way[pair]) == tree &&
		    forest_passes(forest, tree, ways->pair[pair].s, forest->graph->from[arc]))
			return pair;
	}
	return LIQUID_NONE;
}

void ways_move(struct ways *ways, struct forest *forest, uint32_t pair, uint8_t way)
{
	const struct way_pair *moved = &ways->pair[pair];

	forest_send(forest, ways_tree(ways, pair, ways->way[pair]), moved->s,
		    -(int64_t)moved->count);
	ways->way[pair] = way;
	forest_send(forest, ways_tree(ways, pair, way), moved->s, moved->count);
}
