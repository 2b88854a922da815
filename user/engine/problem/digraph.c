// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arcs are found by a hash of their ends; rows of arcs by point are made at the end. */
#include <stdlib.h>
#include <string.h>

#include "problem/digraph.h"
#include "problem/random.h"

#define SLOTS_FIRST 256u		/* at least half of the slots are empty */

bool digraph_init(struct digraph *graph, uint32_t points)
{
	*graph = (struct digraph){ .points = points, .slots = SLOTS_FIRST };
	graph->arc = malloc(SLOTS_FIRST / 2 * sizeof(*graph->arc));
	graph->slot = calloc(SLOTS_FIRST, sizeof(*graph->slot));
	return graph->arc && graph->slot;
}

void digraph_clear(struct digraph *graph)
{
	free(graph->arc);
	free(graph->first);
	free(graph->out);
	free(graph->slot);
}

/* The slot of the arc, or the empty one where it would be */
static uint32_t find(const struct digraph *graph, uint32_t from, uint32_t to)
{
	uint32_t at = (uint32_t)random_mix(((uint64_t)from << 32 | to) + 1);

	for (;; at++) {
		uint32_t arc = graph->slot[at &= graph->slots - 1] - 1;

		if (arc == UINT32_MAX ||
		    (graph->arc[arc].from == from && graph->arc[arc].to == to))
			return at;
	}
}

static bool add_slots(struct digraph *graph)
{
	size_t slots = 2 * (size_t)graph->slots;
	struct arc *arc = realloc(graph->arc, slots / 2 * sizeof(*arc));
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (arc)
		graph->arc = arc;
	if (!arc || !slot) {
		free(slot);
		return false;
	}
	free(graph->slot);
	graph->slot = slot;
	graph->slots = (uint32_t)slots;
	for (uint32_t i = 0; i < graph->arcs; i++)
		slot[find(graph, arc[i].from, arc[i].to)] = i + 1;
	return true;
}

bool digraph_add(struct digraph *graph, uint32_t from, uint32_t to, uint64_t label)
{
	uint32_t at = find(graph, from, to);

	if (graph->slot[at]) {
		graph->arc[graph->slot[at] - 1].label += label;
		return true;
	}
	graph->arc[graph->arcs] = (struct arc){ from, to, label };
	graph->slot[at] = ++graph->arcs;
	return graph->arcs < graph->slots / 2 || add_slots(graph);
}

uint64_t digraph_label(const struct digraph *graph, uint32_t from, uint32_t to)
{
	uint32_t slot = graph->slot[find(graph, from, to)];

	return slot ? graph->arc[slot - 1].label : 0;
}

static bool sort(struct digraph *graph)
{
	uint32_t *next = calloc((size_t)graph->points + 2, sizeof(*next));

	graph->first = next;
	graph->out = malloc(((size_t)graph->arcs + 1) * sizeof(*graph->out));
	if (!next || !graph->out)
		return false;
	for (uint32_t i = 0; i < graph->arcs; i++)
		next[graph->arc[i].from + 2]++;
	for (uint32_t p = 0; p <= graph->points; p++)
		next[p + 1] += next[p];
	for (uint32_t i = 0; i < graph->arcs; i++)
		graph->out[next[graph->arc[i].from + 1]++] = i;
	return true;
}

bool digraph_finish(struct digraph *graph)
{
	uint32_t arcs = graph->arcs;

	for (uint32_t i = 0; i < arcs; i++) {
		const struct arc arc = graph->arc[i];

		if (!digraph_add(graph, arc.to, arc.from, arc.label << 32))
			return false;
	}
	return sort(graph);
}
