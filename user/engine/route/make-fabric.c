// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fabric with the routes that were found. */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "route/routing.h"

/* @number: by host to route, in @to */
static int copy_tables(const struct routing *routing, struct liquid_fabric *to,
		       const uint32_t *number)
{
	const struct route_graph *graph = &routing->graph;
	int status = LIQUID_OK;

	for (uint32_t tree = 0; tree < routing->trees && !status; tree++) {
		const uint32_t *next = &routing->next[(size_t)tree * graph->switches];
		uint32_t host = routing->host[tree], given = number[host];

		/* An alias that shares the routes of a lower address has been copied with it. */
		if (given == LIQUID_NONE ||
		    strcmp(liquid_fabric_node_name(to, given),
			   liquid_fabric_node_name(graph->fabric, host)))
			continue;
		routing->shown_lane[given] = routing->lane[host];
		status = liquid_fabric_set_forward(to, graph->home[host], given,
						   liquid_fabric_host_in(graph->fabric, host),
						   routing->err);
		for (uint32_t s = 0; s < graph->switches && !status; s++)
			if (next[s] != LIQUID_NONE)
				status = liquid_fabric_set_forward(to, s, given,
								   graph->link[next[s]],
								   routing->err);
		if (!status)
			status = fabric_set_lane(to, given, routing->lane[host],
							routing->err);
	}
	return status;
}

static int fill_fabric(struct routing *routing, uint32_t *number)
{
	const struct liquid_fabric *from = routing->graph.fabric;
	int status = fabric_begin_copy(from, &routing->shown.fabric, routing->err);
	struct liquid_fabric *to = routing->shown.fabric;

	if (!status)
		status = routing_add_aliases(routing, to, number);
	if (!status)
		status = fabric_end_copy(from, to, routing->err);
	if (!status)
		status = copy_tables(routing, to, number);
	if (!status)
		status = liquid_fabric_finish(to, routing->err);
	if (!status && routing->ways.each)
		status = routing_name_addresses(routing, number);
	return status;
}

int routing_make_fabric(struct routing *routing)
{
	uint32_t *number = calloc((size_t)routing->graph.hosts + 1, sizeof(*number));
	int status = number ? fill_fabric(routing, number) : liquid_no_memory(routing->err);

	free(number);
	return status;
}
