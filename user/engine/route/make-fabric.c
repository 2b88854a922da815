// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fabric with the routes that were found. */
#include "fabric/fabric.h"
#include "route/routing.h"

static int copy_nodes(const struct routing *routing, struct liquid_fabric *to)
{
	const struct liquid_fabric *from = routing->graph.fabric;
	uint32_t nodes = routing->graph.hosts + routing->graph.switches;
	int status = LIQUID_OK;

	for (uint32_t node = 0; node < nodes && !status; node++) {
		const char *name = liquid_fabric_node_name(from, node);

		status = node < routing->graph.hosts ?
			 liquid_fabric_add_host(to, name, routing->err) :
			 liquid_fabric_add_switch(to, name, routing->err);
	}
	for (uint32_t i = 0; i < liquid_fabric_link_count(from) && !status; i++) {
		struct liquid_link link = *liquid_fabric_link(from, i);

		link.capacity = liquid_fabric_capacity(from, i);	/* as version 1 meant it */
		status = liquid_fabric_add_link(to, &link, routing->err);
	}
	return status;
}

static int copy_tables(const struct routing *routing, struct liquid_fabric *to)
{
	const struct route_graph *graph = &routing->graph;
	int status = LIQUID_OK;

	for (uint32_t tree = 0; tree < routing->trees && !status; tree++) {
		const uint32_t *next = &routing->next[(size_t)tree * graph->switches];
		uint32_t host = routing->host[tree];

		status = liquid_fabric_set_forward(to, graph->home[host], host,
						   liquid_fabric_host_in(graph->fabric, host),
						   routing->err);
		for (uint32_t s = 0; s < graph->switches && !status; s++)
			if (next[s] != LIQUID_NONE)
				status = liquid_fabric_set_forward(to, s, host,
								   graph->link[next[s]],
								   routing->err);
	}
	return status;
}

int routing_make_fabric(struct routing *routing)
{
	const struct liquid_fabric *from = routing->graph.fabric;
	struct liquid_fabric *to;
	int status = liquid_fabric_new(from->name, &to, routing->err);

	if (status)
		return status;
	routing->shown.fabric = to;
	to->unit_bps = from->unit_bps;
	status = copy_nodes(routing, to);
	if (!status)
		status = copy_tables(routing, to);
	for (uint32_t host = 0; host < routing->graph.hosts && !status; host++)
		status = liquid_fabric_set_lane(to, host, routing->lane[host], routing->err);
	return status ? status : liquid_fabric_finish(to, routing->err);
}
