// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>

#include "route/stretch.h"

bool stretch_open(struct stretch *stretch, const struct route_graph *graph, uint32_t more)
{
	uint32_t *distance = malloc(((size_t)graph->switches + 1) * sizeof(*distance));
	uint32_t *queue = malloc(((size_t)graph->switches + 1) * sizeof(*queue));
	size_t square = (size_t)graph->switches * graph->switches + 1;

	stretch->more = more;
	stretch->least = malloc(square * sizeof(*stretch->least));
	for (uint32_t root = 0; distance && queue && stretch->least && root < graph->switches;
	     root++) {
		uint16_t *least = &stretch->least[(size_t)root * graph->switches];

		queue[0] = root;
		route_graph_distances(graph, queue, 1, distance);
		for (uint32_t s = 0; s < graph->switches; s++)
			least[s] = (uint16_t)(distance[s] < UINT16_MAX ? distance[s] : UINT16_MAX);
	}
	if (!distance || !queue) {
		free(stretch->least);
		stretch->least = NULL;
	}
	free(distance);
	free(queue);
	return stretch->least;
}

void stretch_close(struct stretch *stretch)
{
	free(stretch->least);
	stretch->least = NULL;
}

static uint32_t most_hops(const struct stretch *stretch, const struct forest *forest,
			  uint32_t tree, uint32_t s)
{
	return stretch->least[(size_t)forest->root[tree] * forest->graph->switches + s] +
	       stretch->more;
}

static uint32_t count_hops(const struct forest *forest, uint32_t tree, uint32_t s)
{
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t hops = 0;

	for (; next[s] != LIQUID_NONE; s = forest->graph->to[next[s]])
		hops++;
	return hops;
}

bool stretch_holds(const struct stretch *stretch, const struct forest *forest)
{
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		for (uint32_t s = 0; s < forest->graph->switches; s++)
			if (forest->graph->senders[s] &&
			    count_hops(forest, tree, s) > most_hops(stretch, forest, tree, s))
				return false;
	return true;
}

bool stretch_allows(const struct stretch *stretch, const struct forest *forest, uint32_t tree,
		    uint32_t arc)
{
	const struct route_graph *graph = forest->graph;
	uint32_t from = graph->from[arc];
	uint32_t before = count_hops(forest, tree, from);
	uint32_t after = 1 + count_hops(forest, tree, graph->to[arc]);

	for (uint32_t s = 0; after > before && s < graph->switches; s++)
		if (graph->senders[s] && (s == from || forest_passes(forest, tree, s, from)) &&
		    count_hops(forest, tree, s) + after - before >
			    most_hops(stretch, forest, tree, s))
			return false;
	return true;
}
