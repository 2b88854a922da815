// SPDX-License-Identifier: LGPL-2.1-or-later
/* Orders the switches, by levels or by breadth, and grows each tree along the order. */
#include <stdlib.h>
#include <string.h>

#include "route/start.h"

/* A hop costs more than all loads together. */
#define HOP (UINT64_C(1) << 40)
/* And a way down beside the trunk more than what up links have been taken */
#define OFF_TRUNK (UINT64_C(1) << 32)

/* ---- orders of the switches ---- */

/*
 * Levels of a tree of switches: the distance from the nearest host. False: hosts are on several
 * levels, or a link joins switches of a level, so it is not a tree.
 */
static bool rank_levels(const struct start *start, uint32_t *rank)
{
	const struct route_graph *graph = start->forest->graph;
	uint32_t count = 0;

	for (uint32_t s = 0; s < graph->switches; s++)
		if (graph->senders[s])
			start->queue[count++] = s;
	route_graph_distances(graph, start->queue, count, rank);
	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		if (rank[graph->from[arc]] == rank[graph->to[arc]])
			return false;
	/* Switches that no host reaches do not matter. */
	for (uint32_t s = 0; s < graph->switches; s++)
		rank[s] = graph->switches - rank[s];
	return true;
}

/*
 * Breadth first from the switch that is nearest to the lane's destinations: few ways make a detour
 * then. @distance is scratch.
 */
static void rank_from_root(const struct start *start, const uint64_t *weight, uint32_t *distance,
			   uint32_t *rank)
{
	const struct route_graph *graph = start->forest->graph;
	uint64_t least = UINT64_MAX;
	uint32_t root = 0;

	for (uint32_t s = 0; s < graph->switches; s++) {
		uint64_t sum = 0;

		if (!weight[s])
			continue;
		start->queue[0] = s;
		route_graph_distances(graph, start->queue, 1, distance);
		for (uint32_t to = 0; to < graph->switches; to++)
			sum += weight[to] * distance[to];	/* NONE: far away */
		if (sum >= least)
			continue;
		least = sum;
		root = s;
	}
	start->queue[0] = root;
	route_graph_distances(graph, start->queue, 1, rank);
}

static bool rank_all(struct start *start)
{
	uint32_t switches = start->forest->graph->switches;
	uint32_t *distance = malloc(((size_t)switches + 1) * sizeof(*distance));
	uint64_t *weight = malloc(((size_t)switches + 1) * sizeof(*weight));

	for (uint32_t lane = 0; distance && weight && lane < start->forest->lanes->lanes; lane++) {
		uint32_t *rank = &start->rank[(size_t)lane * switches];

		memset(weight, 0, switches * sizeof(*weight));
		for (uint32_t tree = 0; tree < start->forest->trees; tree++)
			weight[start->forest->root[tree]] += start->forest->lane[tree] == lane;
		start->levels = rank_levels(start, rank);
		if (!start->levels)
			rank_from_root(start, weight, distance, rank);
	}
	free(weight);
	free(distance);
	return distance && weight;
}

bool start_open(struct start *start, struct forest *forest)
{
	size_t switches = (size_t)forest->graph->switches + 1;

	*start = (struct start){ .forest = forest };
	start->rank = calloc(switches * forest->lanes->lanes, sizeof(*start->rank));
	start->queue = calloc(switches, sizeof(*start->queue));
	start->down = calloc(switches, sizeof(*start->down));
	start->done = calloc(switches, sizeof(*start->done));
	start->trunk = calloc(switches, sizeof(*start->trunk));
	start->taken = calloc((size_t)forest->graph->arcs + 1, sizeof(*start->taken));
	return heap_open(&start->heap, forest->graph->switches) && start->rank && start->queue &&
	       start->down && start->done && start->trunk && start->taken && rank_all(start);
}

void start_close(struct start *start)
{
	free(start->rank);
	heap_close(&start->heap);
	free(start->queue);
	free(start->down);
	free(start->done);
	free(start->trunk);
	free(start->taken);
}

/* ---- shortest ways ---- */

/* Whether @a is above @b in the order of the lane */
static bool is_above(const uint32_t *rank, uint32_t a, uint32_t b)
{
	return rank[a] != rank[b] ? rank[a] < rank[b] : a < b;
}

/* The way from arc->from by @arc: a switch with a way down only keeps to those. */
static bool allowed(const struct start *start, const uint32_t *rank, uint32_t arc)
{
	const struct route_graph *graph = start->forest->graph;
	uint32_t s = graph->from[arc], to = graph->to[arc];

	return is_above(rank, s, to) ? start->down[to] : !start->down[s];
}

static const uint32_t *rank_of(const struct start *start, uint32_t tree)
{
	return &start->rank[(size_t)start->forest->lane[tree] * start->forest->graph->switches];
}

void start_mark_down(struct start *start, uint32_t tree)
{
	const struct route_graph *graph = start->forest->graph;
	const uint32_t *rank = rank_of(start, tree);
	uint32_t count = 1, root = start->forest->root[tree];

	memset(start->down, 0, graph->switches * sizeof(*start->down));
	start->queue[0] = root;
	start->down[root] = true;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = start->queue[i];

		for (uint32_t k = graph->first_in[to]; k < graph->first_in[to + 1]; k++) {
			uint32_t s = graph->from[graph->in[k]];

			if (start->down[s] || !is_above(rank, s, to))
				continue;
			start->down[s] = true;
			start->queue[count++] = s;
		}
	}
}

/*
 * Choose the way from the top down to the root of @tree, which all take that come from above: by
 * the links that the fewest have. So destinations that follow each other share none.
 */
static void choose_trunk(struct start *start, const uint32_t *rank, uint32_t tree)
{
	const struct route_graph *graph = start->forest->graph;
	uint32_t s = start->forest->root[tree], best = 0;

	memset(start->trunk, 0xff, graph->switches * sizeof(*start->trunk));
	while (best != LIQUID_NONE) {
		best = LIQUID_NONE;
		for (uint32_t k = graph->first_in[s]; k < graph->first_in[s + 1]; k++) {
			uint32_t arc = graph->in[k];

			if (is_above(rank, graph->from[arc], s) &&
			    (best == LIQUID_NONE ||
			     (uint64_t)start->taken[arc] * graph->capacity[best] <
			     (uint64_t)start->taken[best] * graph->capacity[arc]))
				best = arc;
		}
		if (best == LIQUID_NONE)
			break;
		start->taken[best]++;
		s = graph->from[best];
		start->trunk[s] = best;
	}
}

static void take_ups(struct start *start, const uint32_t *rank, uint32_t tree)
{
	const struct forest *forest = start->forest;

	for (uint32_t s = 0; s < forest->graph->switches; s++) {
		uint32_t arc = forest->next[forest_place(forest, tree, s)];

		if (arc != LIQUID_NONE && is_above(rank, forest->graph->to[arc], s))
			start->taken[arc]++;
	}
}

/*
 * What breaks ties between ways of as many hops. In a tree of switches the number of the
 * destination modulo the links up spreads shifts of all hosts evenly (D-mod-K: Zahavi, Technion
 * CCIT 776, 2010).
 */
static uint64_t tie(const struct start *start, const uint32_t *rank, uint32_t tree, uint32_t arc)
{
	const struct route_graph *graph = start->forest->graph;
	uint32_t s = graph->from[arc], up = 0, place = 0, level = graph->switches - rank[s];
	uint32_t number = tree;

	if (start->tie == TIE_LOAD)
		return (start->forest->load[arc] << 8) / graph->capacity[arc];
	if (start->tie == TIE_TRUNK && !is_above(rank, graph->to[arc], s))
		return start->trunk[s] == arc ? 0 : OFF_TRUNK;
	if (start->tie == TIE_TRUNK)
		return ((uint64_t)start->taken[arc] << 8) / graph->capacity[arc];
	for (uint32_t other = graph->first[s]; other < graph->first[s + 1]; other++) {
		if (!is_above(rank, graph->to[other], s))
			continue;
		place = other == arc ? up : place;
		up++;
	}
	if (!up || !is_above(rank, graph->to[arc], s))
		return 0;
	for (; level; level--)
		number /= up;
	return (place + up - number % up) % up;
}

/* @to has its way: those that may send to it. */
static void look_back(struct start *start, const uint32_t *rank, uint32_t tree, uint32_t to)
{
	const struct route_graph *graph = start->forest->graph;
	uint32_t *next = &start->forest->next[forest_place(start->forest, tree, 0)];

	for (uint32_t k = graph->first_in[to]; k < graph->first_in[to + 1]; k++) {
		uint32_t arc = graph->in[k], s = graph->from[arc];
		uint64_t cost = start->heap.cost[to] + HOP;

		if (start->done[s] || !allowed(start, rank, arc))
			continue;
		cost += tie(start, rank, tree, arc);
		if (cost >= start->heap.cost[s])
			continue;
		if (next[s] == LIQUID_NONE)
			heap_add(&start->heap, s, cost);
		else
			heap_lower(&start->heap, s, cost);
		next[s] = arc;
	}
}

uint32_t start_tree(struct start *start, uint32_t tree)
{
	const struct route_graph *graph = start->forest->graph;
	const uint32_t *rank = rank_of(start, tree);
	uint32_t root = start->forest->root[tree];

	start_mark_down(start, tree);
	if (start->tie == TIE_TRUNK)
		choose_trunk(start, rank, tree);
	for (uint32_t s = 0; s < graph->switches; s++) {
		start->heap.cost[s] = UINT64_MAX;
		start->done[s] = false;
		start->forest->next[forest_place(start->forest, tree, s)] = LIQUID_NONE;
	}
	heap_add(&start->heap, root, 0);
	while (start->heap.count) {
		uint32_t s = heap_take(&start->heap);

		start->done[s] = true;
		look_back(start, rank, tree, s);
	}
	take_ups(start, rank, tree);
	for (uint32_t s = 0; s < graph->switches; s++)
		if (graph->senders[s] && !start->done[s])
			return s;
	return LIQUID_NONE;
}
