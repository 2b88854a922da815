// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each lane keeps a topological order of its links, repaired around a dependency that is added. */
#include <stdlib.h>
#include <string.h>

#include "route/lanes.h"

bool lanes_open(struct lanes *lanes, const struct route_graph *graph, uint32_t count)
{
	size_t arcs = (size_t)graph->arcs + 1;

	*lanes = (struct lanes){ .graph = graph, .lanes = count };
	lanes->lane = calloc(count, sizeof(*lanes->lane));
	lanes->base = calloc(arcs, sizeof(*lanes->base));
	lanes->stamp = calloc(arcs, sizeof(*lanes->stamp));
	lanes->queue = calloc(arcs, sizeof(*lanes->queue));
	lanes->before = calloc(arcs, sizeof(*lanes->before));
	lanes->places = calloc(arcs, sizeof(*lanes->places));
	if (!lanes->lane || !lanes->base || !lanes->stamp || !lanes->queue || !lanes->before ||
	    !lanes->places)
		return false;
	for (uint32_t arc = 0; arc < graph->arcs; arc++) {
		lanes->base[arc] = lanes->dependencies;
		lanes->dependencies += graph->first[graph->to[arc] + 1] -
				       graph->first[graph->to[arc]];
	}
	for (uint32_t i = 0; i < count; i++) {
		struct lane *lane = &lanes->lane[i];

		lane->count = calloc((size_t)lanes->dependencies + 1, sizeof(*lane->count));
		lane->place = calloc(arcs, sizeof(*lane->place));
		if (!lane->count || !lane->place)
			return false;
		for (uint32_t arc = 0; arc < graph->arcs; arc++)
			lane->place[arc] = arc;
	}
	return true;
}

void lanes_close(struct lanes *lanes)
{
	for (uint32_t i = 0; lanes->lane && i < lanes->lanes; i++) {
		free(lanes->lane[i].count);
		free(lanes->lane[i].place);
	}
	free(lanes->lane);
	free(lanes->base);
	free(lanes->stamp);
	free(lanes->queue);
	free(lanes->before);
	free(lanes->places);
}

static uint32_t dependency(const struct lanes *lanes, uint32_t first, uint32_t then)
{
	return lanes->base[first] + then - lanes->graph->first[lanes->graph->to[first]];
}

/*
 * The arcs that @then reaches at places up to that of @first go into @queue; returns how many, or
 * LIQUID_NONE: @first is one of them.
 */
static uint32_t reach_forward(struct lanes *lanes, const struct lane *lane, uint32_t first,
			      uint32_t then)
{
	const struct route_graph *graph = lanes->graph;
	uint32_t last = lane->place[first], count = 0;

	lanes->stamp[then] = ++lanes->now;
	lanes->queue[count++] = then;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t arc = lanes->queue[i], s = graph->to[arc];

		for (uint32_t next = graph->first[s]; next < graph->first[s + 1]; next++) {
			if (!lane->count[lanes->base[arc] + next - graph->first[s]])
				continue;
			if (next == first)
				return LIQUID_NONE;
			if (lanes->stamp[next] == lanes->now || lane->place[next] > last)
				continue;
			lanes->stamp[next] = lanes->now;
			lanes->queue[count++] = next;
		}
	}
	return count;
}

/* The arcs at places from that of @then on that reach @first go into @before; returns how many. */
static uint32_t reach_backward(struct lanes *lanes, const struct lane *lane, uint32_t first,
			       uint32_t then)
{
	const struct route_graph *graph = lanes->graph;
	uint32_t least = lane->place[then], count = 0;

	lanes->stamp[first] = ++lanes->now;
	lanes->before[count++] = first;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t arc = lanes->before[i], s = graph->from[arc];

		for (uint32_t k = graph->first_in[s]; k < graph->first_in[s + 1]; k++) {
			uint32_t last = graph->in[k];

			if (lanes->stamp[last] == lanes->now || lane->place[last] < least ||
			    !lane->count[dependency(lanes, last, arc)])
				continue;
			lanes->stamp[last] = lanes->now;
			lanes->before[count++] = last;
		}
	}
	return count;
}

static int compare(const void *a, const void *b, void *context)
{
	const uint32_t *key = context, one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return key ? (key[one] < key[other] ? -1 : key[one] > key[other]) :
		     (one < other ? -1 : one > other);
}

static void sort(uint32_t *value, uint32_t count, uint32_t *key)
{
	if (count > 1)
		qsort_r(value, count, sizeof(*value), compare, key);
}

/* Give those that reach @first, and then those that @then reaches, the places of all of them. */
static void reorder(struct lanes *lanes, struct lane *lane, uint32_t before, uint32_t after)
{
	uint32_t count = 0;

	sort(lanes->before, before, lane->place);
	sort(lanes->queue, after, lane->place);
	for (uint32_t i = 0; i < before; i++)
		lanes->places[count++] = lane->place[lanes->before[i]];
	for (uint32_t i = 0; i < after; i++)
		lanes->places[count++] = lane->place[lanes->queue[i]];
	sort(lanes->places, count, NULL);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t arc = i < before ? lanes->before[i] : lanes->queue[i - before];

		lane->place[arc] = lanes->places[i];
	}
}

bool lanes_add(struct lanes *lanes, uint32_t number, uint32_t first, uint32_t then)
{
	struct lane *lane = &lanes->lane[number];
	uint32_t *count = &lane->count[dependency(lanes, first, then)];

	if (!lanes->circles && !*count && lane->place[first] > lane->place[then]) {
		uint32_t after = reach_forward(lanes, lane, first, then);

		if (after == LIQUID_NONE)
			return false;
		reorder(lanes, lane, reach_backward(lanes, lane, first, then), after);
	}
	++*count;
	return true;
}

void lanes_remove(struct lanes *lanes, uint32_t lane, uint32_t first, uint32_t then)
{
	lanes->lane[lane].count[dependency(lanes, first, then)]--;
}
