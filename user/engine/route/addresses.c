// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Hosts with several addresses: the fabric to route has all of them as aliases, and the fabric that
 * is found those that the traffic uses
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "route/routing.h"

/* ---- the fabric to route ---- */

static int add_all(struct routing *routing, struct liquid_fabric *to, uint32_t each)
{
	const struct liquid_fabric *given = routing->graph.fabric;
	uint32_t hosts = to->hosts;
	char name[LIQUID_NAME_MAX + 1];
	int status = LIQUID_OK;

	for (uint32_t host = 0; host < hosts; host++) {
		if (liquid_fabric_host_in(given, host) == LIQUID_NONE)
			continue;
		for (uint32_t i = 1; i < each && !status; i++) {
			if (!fabric_alias_name(to, host, i, name))
				return liquid_fail(routing->err, LIQUID_BAD_INPUT,
						   "host %s: its address %u would be '%.200s', "
						   "which is too long or in use",
						   liquid_fabric_node_name(to, host), i, name);
			status = fabric_add_alias(to, name, host, routing->err);
		}
	}
	return status;
}

/* The aliases that the fabric of before has of hosts that are still there */
static int add_old(struct routing *routing, struct liquid_fabric *to,
		   const struct liquid_fabric *old)
{
	int status = LIQUID_OK;

	for (uint32_t h = old->hosts - old->aliases; h < old->hosts && !status; h++) {
		uint32_t host = liquid_fabric_find_host(to, old->host[old->host[h].owner].name);

		if (host != LIQUID_NONE &&
		    liquid_fabric_host_in(routing->graph.fabric, host) != LIQUID_NONE)
			status = fabric_add_alias(to, old->host[h].name, host,
							 routing->err);
	}
	return status;
}

static int make_fabric(struct routing *routing, const struct liquid_route_options *options)
{
	const struct liquid_fabric *given = routing->graph.fabric;
	struct liquid_fabric *to;
	int status = fabric_begin_copy(given, &routing->fabric, routing->err);

	to = routing->fabric;
	if (!status && options->lmc)
		status = add_all(routing, to, 1u << options->lmc);
	else if (!status && options->from)
		status = add_old(routing, to, options->from);
	if (!status)
		status = fabric_end_copy(given, to, routing->err);
	for (uint32_t h = 0; !status && h < to->hosts; h++)
		status = fabric_copy_routes(given, to->host[h].owner, to, h, routing->err);
	return status ? status : liquid_fabric_finish(to, routing->err);
}

/* ---- the traffic to route ---- */

static int alltoall(struct routing *routing)
{
	const struct liquid_fabric *fabric = routing->fabric;
	uint32_t hosts = fabric->hosts - fabric->aliases;
	uint32_t *number = calloc(2 * (size_t)hosts + 1, sizeof(*number));
	uint32_t *receiver = number ? number + hosts : NULL, senders = 0, receivers = 0;
	int status;

	if (!number)
		return liquid_no_memory(routing->err);
	for (uint32_t host = 0; host < hosts; host++) {
		if (fabric->host[host].out != LIQUID_NONE)
			number[senders++] = host;
		if (fabric->host[host].in != LIQUID_NONE)
			receiver[receivers++] = host;
	}
	status = liquid_traffic_cross(number, senders, receiver, receivers, &routing->traffic,
				      routing->err);
	free(number);
	return status;
}

/* The number of a receiver of the given traffic; an error if it is none of the fabric to route */
static int translate(const struct routing *routing, const struct liquid_fabric *given,
		     const struct liquid_route_options *options, uint32_t *dst)
{
	const char *name = liquid_fabric_node_name(given, *dst);
	uint32_t owner = liquid_fabric_owner(given, *dst);

	if (owner != *dst)
		*dst = options->lmc ? owner : liquid_fabric_find_host(routing->fabric, name);
	if (*dst != LIQUID_NONE)
		return LIQUID_OK;
	return liquid_fail(routing->err, LIQUID_BAD_INPUT, "the traffic names the alias %s: hosts "
			   "have aliases with an LMC, or those of the fabric of before", name);
}

static int take_traffic(struct routing *routing, const struct liquid_fabric *given,
			const struct liquid_route_options *options)
{
	const struct liquid_pair *pair = liquid_traffic_pairs(options->traffic);
	size_t count = liquid_traffic_pair_count(options->traffic);
	int status = liquid_traffic_new(&routing->traffic, routing->err);

	for (size_t i = 0; i < count && !status; i++) {
		uint32_t dst = pair[i].dst;

		status = translate(routing, given, options, &dst);
		if (!status)
			status = liquid_traffic_add(routing->traffic, pair[i].src, dst,
						    pair[i].count, routing->err);
	}
	return status;
}

int routing_addresses(struct routing *routing, const struct liquid_fabric *given,
		      struct liquid_route_options *options)
{
	int status;

	if (!options->lmc && !given->aliases && (!options->from || !options->from->aliases))
		return LIQUID_OK;
	status = make_fabric(routing, options);
	if (!status)
		status = options->traffic ? take_traffic(routing, given, options) :
			 alltoall(routing);
	options->traffic = routing->traffic;
	return status;
}

/* ---- what is found ---- */

/* Whether two trees are the same; aliases are compared with lower addresses of their host. */
static bool same_routes(const struct routing *routing, uint32_t tree, uint32_t other)
{
	size_t switches = routing->graph.switches;

	return !memcmp(&routing->next[tree * switches], &routing->next[other * switches],
		       switches * sizeof(*routing->next));
}

static bool *find_used(const struct routing *routing)
{
	const struct ways *ways = &routing->ways;
	bool *used = calloc((size_t)routing->trees + 1, sizeof(*used));

	for (uint32_t i = 0; used && i < ways->pairs; i++)
		used[ways_tree(ways, i, routing->way[i])] = true;
	return used;
}

/* Addresses of a host that are in use, and whose routes no lower one has */
static int add_some(const struct routing *routing, struct liquid_fabric *to, uint32_t host,
		    const bool *used, uint32_t *number)
{
	const uint32_t *tree = &routing->ways.tree[(size_t)host * routing->ways.each];
	int status = LIQUID_OK;

	for (uint32_t i = 1; i < routing->ways.each && !status; i++) {
		uint32_t lower = 0, alias;

		if (tree[i] == LIQUID_NONE || !used[tree[i]])
			continue;
		alias = routing->host[tree[i]];
		while (lower < i && (number[routing->host[tree[lower]]] == LIQUID_NONE ||
				     !same_routes(routing, tree[i], tree[lower])))
			lower++;
		if (lower < i) {
			number[alias] = number[routing->host[tree[lower]]];
			continue;
		}
		number[alias] = to->hosts;
		status = fabric_add_alias(to, routing->fabric->host[alias].name, host,
						 routing->err);
	}
	return status;
}

int routing_add_aliases(const struct routing *routing, struct liquid_fabric *to, uint32_t *number)
{
	const struct liquid_fabric *from = routing->graph.fabric;
	uint32_t hosts = from->hosts - from->aliases;
	bool *used = find_used(routing);
	int status = used ? LIQUID_OK : liquid_no_memory(routing->err);

	for (uint32_t h = 0; h < from->hosts; h++)
		number[h] = h < hosts ? h : LIQUID_NONE;
	for (uint32_t h = 0; h < hosts && !status && routing->ways.each; h++)
		status = add_some(routing, to, h, used, number);
	/* Those of before stay, whether or not the traffic names them. */
	for (uint32_t h = hosts; h < from->hosts && !status && !routing->ways.each; h++) {
		number[h] = to->hosts;
		status = fabric_add_alias(to, from->host[h].name, from->host[h].owner,
						 routing->err);
	}
	free(used);
	return status;
}

int routing_name_addresses(struct routing *routing, const uint32_t *number)
{
	const struct ways *ways = &routing->ways;
	const struct route_graph *graph = &routing->graph;
	const struct liquid_pair *pair = liquid_traffic_pairs(routing->traffic);
	size_t count = liquid_traffic_pair_count(routing->traffic);
	struct liquid_traffic **shown = &routing->shown.traffic;
	int status = liquid_traffic_new(shown, routing->err);

	for (uint32_t i = 0; i < ways->pairs && !status; i++) {
		uint32_t alias = routing->host[ways_tree(ways, i, routing->way[i])];

		status = liquid_traffic_add(*shown, ways->pair[i].src, number[alias],
					    ways->pair[i].count, routing->err);
	}
	/* Pairs of one switch, and those without one, keep the first address. */
	for (size_t i = 0; i < count && !status; i++) {
		uint32_t s = graph->source[pair[i].src];

		if (s == LIQUID_NONE || s == graph->home[pair[i].dst])
			status = liquid_traffic_add(*shown, pair[i].src, pair[i].dst,
						    pair[i].count, routing->err);
	}
	return status;
}
