// SPDX-License-Identifier: LGPL-2.1-or-later
/* Spreads from the root over arcs that close no circle; a spanning tree in reserve reaches all. */
#include <stdlib.h>

#include "route/grow.h"

#define HOP (UINT64_C(1) << 32)		/* a hop costs more than all loads together */

/* ---- the spanning tree ---- */

/* The arc back from arc->to; LIQUID_NONE: there is none */
static uint32_t reverse(const struct route_graph *graph, uint32_t arc)
{
	uint32_t s = graph->to[arc];

	for (uint32_t back = graph->first[s]; back < graph->first[s + 1]; back++)
		if (graph->to[back] == graph->from[arc])
			return back;
	return LIQUID_NONE;
}

/* Breadth first from the switch with most links, over links that have both directions */
static void span(struct grow *grow)
{
	const struct route_graph *graph = grow->forest->graph;
	uint32_t root = 0, count = 0;

	for (uint32_t s = 0; s < graph->switches; s++) {
		grow->parent[s] = grow->back[s] = LIQUID_NONE;
		grow->depth[s] = LIQUID_NONE;
		if (graph->first[s + 1] - graph->first[s] >
		    graph->first[root + 1] - graph->first[root])
			root = s;
	}
	if (!graph->switches)
		return;
	grow->depth[root] = 0;
	grow->order[count++] = root;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t s = grow->order[i];

		for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++) {
			uint32_t to = graph->to[arc], back;

			if (grow->depth[to] != LIQUID_NONE)
				continue;
			back = reverse(graph, arc);
			if (back == LIQUID_NONE)
				continue;
			grow->depth[to] = grow->depth[s] + 1;
			grow->parent[to] = back;
			grow->back[to] = arc;
			grow->order[count++] = to;
		}
	}
}

/* Add or drop the dependency of @first and @then in all lanes. */
static void depend(struct grow *grow, uint32_t first, uint32_t then, bool add)
{
	struct lanes *lanes = grow->forest->lanes;

	for (uint32_t lane = 0; lane < lanes->lanes; lane++) {
		if (add)
			lanes_add(lanes, lane, first, then);	/* first up, then down: no circle */
		else
			lanes_remove(lanes, lane, first, then);
	}
}

/* All ways of the spanning tree: whatever comes to @s by it may go on to any other neighbour. */
static void span_depend(struct grow *grow, uint32_t s, bool add)
{
	const struct route_graph *graph = grow->forest->graph;

	for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++) {
		uint32_t to = graph->to[arc];

		if (grow->back[to] != arc)
			continue;
		if (grow->parent[s] != LIQUID_NONE) {
			depend(grow, grow->back[s], arc, add);
			depend(grow, grow->parent[to], grow->parent[s], add);
		}
		for (uint32_t other = graph->first[s]; other < graph->first[s + 1]; other++)
			if (other != arc && grow->back[graph->to[other]] == other)
				depend(grow, grow->parent[to], other, add);
	}
}

bool grow_open(struct grow *grow, struct forest *forest, bool spanning)
{
	size_t switches = (size_t)forest->graph->switches + 1;

	*grow = (struct grow){ .forest = forest, .spanning = spanning };
	grow->parent = calloc(switches, sizeof(*grow->parent));
	grow->back = calloc(switches, sizeof(*grow->back));
	grow->depth = calloc(switches, sizeof(*grow->depth));
	grow->reach = calloc(switches, sizeof(*grow->reach));
	grow->order = calloc(switches, sizeof(*grow->order));
	if (!heap_open(&grow->heap, forest->graph->arcs) || !grow->parent || !grow->back ||
	    !grow->depth || !grow->reach || !grow->order)
		return false;
	if (spanning)
		span(grow);
	for (uint32_t s = 0; s < forest->graph->switches && spanning; s++)
		span_depend(grow, s, true);
	return true;
}

void grow_end(struct grow *grow)
{
	for (uint32_t s = 0; s < grow->forest->graph->switches && grow->spanning; s++)
		span_depend(grow, s, false);
}

void grow_close(struct grow *grow)
{
	free(grow->parent);
	free(grow->back);
	free(grow->depth);
	free(grow->reach);
	free(grow->order);
	heap_close(&grow->heap);
}

/* ---- growing ---- */

/* @s has its way: offer the arcs to it. */
static void offer(struct grow *grow, uint32_t s)
{
	const struct route_graph *graph = grow->forest->graph;

	for (uint32_t k = graph->first_in[s]; k < graph->first_in[s + 1]; k++) {
		uint32_t arc = graph->in[k];

		if (grow->reach[graph->from[arc]] == UINT64_MAX)
			heap_add(&grow->heap, arc, grow->reach[s] + HOP +
				 (grow->forest->load[arc] << 8) / graph->capacity[arc]);
	}
}

/* Dependencies of switches with a way, up to the @count first in order[], of which 0 is the root */
static void drop_dependencies(struct grow *grow, uint32_t tree, uint32_t count)
{
	const struct forest *forest = grow->forest;
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];

	for (uint32_t i = 1; i < count; i++) {
		uint32_t arc = next[grow->order[i]], then = next[forest->graph->to[arc]];

		if (then != LIQUID_NONE)
			lanes_remove(forest->lanes, forest->lane[tree], arc, then);
	}
}

/* Returns how many switches have got a way, the root among them; dependencies are counted. */
static uint32_t spread(struct grow *grow, uint32_t tree)
{
	const struct forest *forest = grow->forest;
	const struct route_graph *graph = forest->graph;
	uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t found = 0;

	for (uint32_t s = 0; s < graph->switches; s++) {
		grow->reach[s] = UINT64_MAX;
		next[s] = LIQUID_NONE;
	}
	grow->reach[forest->root[tree]] = 0;
	grow->order[found++] = forest->root[tree];
	offer(grow, forest->root[tree]);
	while (grow->heap.count) {
		uint32_t arc = heap_take(&grow->heap), s = graph->from[arc];
		uint32_t then = next[graph->to[arc]];

		if (grow->reach[s] != UINT64_MAX ||
		    (then != LIQUID_NONE &&
		     !lanes_add(forest->lanes, forest->lane[tree], arc, then)))
			continue;
		grow->reach[s] = grow->heap.cost[arc];
		next[s] = arc;
		grow->order[found++] = s;
		offer(grow, s);
	}
	return found;
}

/* The ways of the spanning tree alone */
static void fall_back(struct grow *grow, uint32_t tree)
{
	const struct forest *forest = grow->forest;
	uint32_t *next = &forest->next[forest_place(forest, tree, 0)];

	for (uint32_t s = 0; s < forest->graph->switches; s++)
		next[s] = s == forest->root[tree] ? LIQUID_NONE : grow->parent[s];
	/* From the root's ancestors on, towards it */
	for (uint32_t s = forest->root[tree]; grow->parent[s] != LIQUID_NONE;) {
		uint32_t up = forest->graph->to[grow->parent[s]];

		next[up] = grow->back[s];
		s = up;
	}
}

uint32_t grow_tree(struct grow *grow, uint32_t tree)
{
	const struct forest *forest = grow->forest;
	const struct route_graph *graph = forest->graph;
	uint32_t found = spread(grow, tree);

	drop_dependencies(grow, tree, found);
	for (uint32_t s = 0; s < graph->switches; s++) {
		if (!grow->spanning || !graph->senders[s] || grow->reach[s] != UINT64_MAX)
			continue;
		fall_back(grow, tree);
		break;
	}
	forest_plant(grow->forest, tree);	/* has no circle: all was counted before */
	for (uint32_t s = 0; s < graph->switches; s++)
		if (graph->senders[s] && s != forest->root[tree] &&
		    forest->next[forest_place(forest, tree, s)] == LIQUID_NONE)
			return s;
	return LIQUID_NONE;
}
