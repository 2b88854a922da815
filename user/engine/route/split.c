// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lanes for destinations: each lane has those of a region
 *
 * Packets of a lane then run towards one region of the fabric, and few of their ways turn against
 * each other. A region grows from a switch at its border: the switch with most links into it is the
 * next, and of those with as many the nearest to where it began.
 */
#include <stdlib.h>

#include "route/split.h"

struct split {
	const struct route_graph *graph;
	uint32_t *lane;			/* by switch; LIQUID_NONE: not yet in a region */
	uint32_t *links;		/* by switch: links into the region that grows */
	uint32_t *distance, *queue;	/* by switch: from where the region began */
	uint32_t left;			/* switches with hosts that are in no region */
};

static bool has_hosts(const struct split *split, uint32_t s)
{
	return split->graph->senders[s];
}

/* The switch farthest from the region before, so that none is left over between two */
static uint32_t begin(const struct split *split)
{
	uint32_t best = LIQUID_NONE;

	for (uint32_t s = 0; s < split->graph->switches; s++)
		if (has_hosts(split, s) && split->lane[s] == LIQUID_NONE &&
		    (best == LIQUID_NONE || split->distance[s] > split->distance[best]))
			best = s;
	return best;
}

static bool is_nearer(const struct split *split, uint32_t s, uint32_t other)
{
	if (split->links[s] != split->links[other])
		return split->links[s] > split->links[other];
	return split->distance[s] < split->distance[other];
}

static uint32_t next(const struct split *split)
{
	uint32_t best = LIQUID_NONE;

	for (uint32_t s = 0; s < split->graph->switches; s++)
		if (has_hosts(split, s) && split->lane[s] == LIQUID_NONE &&
		    (best == LIQUID_NONE || is_nearer(split, s, best)))
			best = s;
	return best;
}

static void take(struct split *split, uint32_t s, uint32_t lane)
{
	const struct route_graph *graph = split->graph;

	split->lane[s] = lane;
	split->left--;
	for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++)
		split->links[graph->to[arc]]++;
}

static void fill(struct split *split, uint32_t lane, uint32_t count)
{
	uint32_t s = begin(split);

	for (uint32_t other = 0; other < split->graph->switches; other++)
		split->links[other] = 0;
	split->queue[0] = s;
	route_graph_distances(split->graph, split->queue, 1, split->distance);
	for (; count; count--) {
		take(split, s, lane);
		s = next(split);
	}
}

bool route_split(const struct route_graph *graph, uint32_t lanes, uint32_t *lane)
{
	size_t switches = (size_t)graph->switches + 1;
	struct split split = { .graph = graph, .lane = lane };
	bool done;

	split.links = calloc(switches, sizeof(*split.links));
	split.distance = calloc(switches, sizeof(*split.distance));
	split.queue = calloc(switches, sizeof(*split.queue));
	done = split.links && split.distance && split.queue;
	for (uint32_t s = 0; s < graph->switches; s++) {
		lane[s] = LIQUID_NONE;
		split.left += has_hosts(&split, s);
	}
	for (uint32_t i = 0; i < lanes && done; i++)
		if (split.left)
			fill(&split, i, (split.left + lanes - i - 1) / (lanes - i));
	for (uint32_t s = 0; s < graph->switches; s++)
		lane[s] = lane[s] == LIQUID_NONE ? 0 : lane[s];
	free(split.links);
	free(split.distance);
	free(split.queue);
	return done;
}
