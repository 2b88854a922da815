// SPDX-License-Identifier: LGPL-2.1-or-later
/* Builds the graph of switches from a fabric: parallel links become arcs with a capacity. */
#include <stdlib.h>

#include "problem/random.h"
#include "route/graph.h"

#define TRANSLATIONS_WORK UINT64_C(30000000)

static bool is_arc(const struct route_graph *graph, const struct liquid_link *link)
{
	return link->from >= graph->hosts && link->to >= graph->hosts;
}

static bool get_memory(struct route_graph *graph)
{
	size_t arcs = (size_t)graph->arcs + 1, switches = (size_t)graph->switches + 2;
	size_t hosts = (size_t)graph->hosts + 1;

	graph->from = calloc(arcs, sizeof(*graph->from));
	graph->to = calloc(arcs, sizeof(*graph->to));
	graph->link = calloc(arcs, sizeof(*graph->link));
	graph->capacity = calloc(arcs, sizeof(*graph->capacity));
	graph->in = calloc(arcs, sizeof(*graph->in));
	graph->first = calloc(switches, sizeof(*graph->first));
	graph->first_in = calloc(switches, sizeof(*graph->first_in));
	graph->senders = calloc(switches, sizeof(*graph->senders));
	graph->home = calloc(hosts, sizeof(*graph->home));
	graph->source = calloc(hosts, sizeof(*graph->source));
	return graph->from && graph->to && graph->link && graph->capacity && graph->in &&
	       graph->first && graph->first_in && graph->senders && graph->home && graph->source;
}

/* Turn counts, each two places behind, into the first index of each, one place behind. */
static void sum_up(uint32_t *first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		first[i + 1] += first[i];
}

/* Number the arcs by counting; first[s + 1] is the next free number of s meanwhile. */
static void fill_arcs(struct route_graph *graph, uint32_t links)
{
	for (uint32_t i = 0; i < links; i++) {
		const struct liquid_link *link = liquid_fabric_link(graph->fabric, i);
		uint32_t arc;

		if (!is_arc(graph, link))
			continue;
		arc = graph->first[link->from - graph->hosts + 1]++;
		graph->from[arc] = link->from - graph->hosts;
		graph->to[arc] = link->to - graph->hosts;
		graph->link[arc] = i;
		graph->capacity[arc] = liquid_fabric_capacity(graph->fabric, i);
	}
	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		graph->in[graph->first_in[graph->to[arc] + 1]++] = arc;
}

static void count_arcs(struct route_graph *graph, uint32_t links)
{
	for (uint32_t i = 0; i < links; i++) {
		const struct liquid_link *link = liquid_fabric_link(graph->fabric, i);

		if (!is_arc(graph, link))
			continue;
		graph->first[link->from - graph->hosts + 2]++;
		graph->first_in[link->to - graph->hosts + 2]++;
	}
	sum_up(graph->first, graph->switches + 1);
	sum_up(graph->first_in, graph->switches + 1);
}

static void place_hosts(struct route_graph *graph)
{
	for (uint32_t host = 0; host < graph->hosts; host++) {
		uint32_t out = liquid_fabric_host_out(graph->fabric, host);
		uint32_t in = liquid_fabric_host_in(graph->fabric, host);
		uint32_t to = LIQUID_NONE, from = LIQUID_NONE;

		if (out != LIQUID_NONE)
			to = liquid_fabric_link(graph->fabric, out)->to;
		if (in != LIQUID_NONE)
			from = liquid_fabric_link(graph->fabric, in)->from;
		/* A cable between two hosts needs no route. */
		graph->source[host] = to == LIQUID_NONE || to < graph->hosts ? LIQUID_NONE :
				      to - graph->hosts;
		graph->home[host] = from == LIQUID_NONE || from < graph->hosts ? LIQUID_NONE :
				    from - graph->hosts;
		if (graph->source[host] != LIQUID_NONE)
			graph->senders[graph->source[host]]++;
	}
}

bool route_graph_open(struct route_graph *graph, const struct liquid_fabric *fabric)
{
	uint32_t links = liquid_fabric_link_count(fabric);

	*graph = (struct route_graph){
		.fabric = fabric, .hosts = liquid_fabric_host_count(fabric),
		.switches = liquid_fabric_switch_count(fabric),
	};
	for (uint32_t i = 0; i < links; i++)
		graph->arcs += is_arc(graph, liquid_fabric_link(fabric, i));
	if (!get_memory(graph))
		return false;
	count_arcs(graph, links);
	fill_arcs(graph, links);
	place_hosts(graph);
	return true;
}

void route_graph_close(struct route_graph *graph)
{
	free(graph->from);
	free(graph->to);
	free(graph->link);
	free(graph->capacity);
	free(graph->in);
	free(graph->first);
	free(graph->first_in);
	free(graph->senders);
	free(graph->home);
	free(graph->source);
}

void route_graph_distances(const struct route_graph *graph, uint32_t *queue, uint32_t count,
			   uint32_t *distance)
{
	for (uint32_t s = 0; s < graph->switches; s++)
		distance[s] = LIQUID_NONE;
	for (uint32_t i = 0; i < count; i++)
		distance[queue[i]] = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = queue[i];

		for (uint32_t k = graph->first_in[to]; k < graph->first_in[to + 1]; k++) {
			uint32_t s = graph->from[graph->in[k]];

			if (distance[s] != LIQUID_NONE)
				continue;
			distance[s] = distance[to] + 1;
			queue[count++] = s;
		}
	}
}

/* Hosts of each switch with the capacities of their links */
static void tell_kinds(const struct route_graph *graph, uint64_t *kind)
{
	for (uint32_t host = 0; host < graph->hosts; host++) {
		uint32_t in = liquid_fabric_host_in(graph->fabric, host);
		uint32_t out = liquid_fabric_host_out(graph->fabric, host);

		if (graph->home[host] != LIQUID_NONE)
			kind[graph->home[host]] +=
				random_mix(2 + liquid_fabric_capacity(graph->fabric, in));
		if (graph->source[host] != LIQUID_NONE)
			kind[graph->source[host]] += random_mix(random_mix(
				3 + liquid_fabric_capacity(graph->fabric, out)));
	}
}

bool route_graph_translations(const struct route_graph *graph, struct translations *found)
{
	struct digraph links;
	uint64_t *kind = calloc((size_t)graph->switches + 1, sizeof(*kind));
	struct translations_wanted wanted = {
		.graph = &links, .kind = kind, .generators = TRANSLATIONS_GENERATORS_MAX,
		.moved = graph->switches > ROUTE_TRANSLATIONS_MAX ? 0 : graph->switches,
		.early = graph->switches, .work = TRANSLATIONS_WORK,
	};
	bool done = digraph_init(&links, graph->switches) && kind;

	*found = (struct translations){ 0 };
	for (uint32_t arc = 0; done && arc < graph->arcs; arc++)
		done = digraph_add(&links, graph->from[arc], graph->to[arc],
				   1 + (graph->capacity[arc] << 12));
	if (done)
		tell_kinds(graph, kind);
	done = done && digraph_finish(&links) && translations_find(&wanted, found);
	digraph_clear(&links);
	free(kind);
	return done;
}
