// SPDX-License-Identifier: LGPL-2.1-or-later
/* The network of a capillary routing: memory, neighbours, and the order of its flow. */
#include <math.h>
#include <stdlib.h>

#include "capillary/net.h"

void net_close(struct net *net)
{
	free(net->from);
	free(net->to);
	free(net->capacity);
	free(net->supply);
	free(net->flow);
	free(net->left);
	free(net->first);
	free(net->arc);
	free(net->mark);
	free(net->queue);
	free(net->at);
	free(net->low);
	free(net->path);
	free(net->worth);
	free(net->side);
}

static bool alloc_links(struct net *net, size_t links)
{
	net->from = calloc(links, sizeof(*net->from));
	net->to = calloc(links, sizeof(*net->to));
	net->capacity = calloc(links, sizeof(*net->capacity));
	net->flow = calloc(links, sizeof(*net->flow));
	net->arc = calloc(2 * links, sizeof(*net->arc));
	return net->from && net->to && net->capacity && net->flow && net->arc;
}

static bool alloc_nodes(struct net *net, size_t nodes)
{
	net->supply = calloc(nodes, sizeof(*net->supply));
	net->left = calloc(nodes, sizeof(*net->left));
	net->first = calloc(nodes, sizeof(*net->first));
	net->mark = calloc(nodes, sizeof(*net->mark));
	net->queue = calloc(nodes, sizeof(*net->queue));
	net->at = calloc(nodes, sizeof(*net->at));
	net->low = calloc(nodes, sizeof(*net->low));
	net->path = calloc(nodes, sizeof(*net->path));
	net->worth = calloc(nodes, sizeof(*net->worth));
	net->side = calloc(nodes, sizeof(*net->side));
	return net->supply && net->left && net->first && net->mark && net->queue && net->at &&
	       net->low && net->path && net->worth && net->side;
}

bool net_open(struct net *net, uint32_t nodes, uint32_t links)
{
	*net = (struct net){ .nodes = nodes, .links = links };
	/* One more, so that none is of size 0 and first[] has an end. */
	return alloc_links(net, (size_t)links + 1) && alloc_nodes(net, (size_t)nodes + 1);
}

void net_index(struct net *net)
{
	for (uint32_t e = 0; e < net->links; e++)
		net->tiny = fmax(net->tiny, NET_TINY * net->capacity[e]);
	for (uint32_t arc = 0; arc < 2 * net->links; arc++)
		net->first[arc_tail(net, arc) + 1]++;
	for (uint32_t v = 0; v < net->nodes; v++) {
		net->first[v + 1] += net->first[v];
		net->at[v] = net->first[v];
	}
	for (uint32_t arc = 0; arc < 2 * net->links; arc++)
		net->arc[net->at[arc_tail(net, arc)]++] = arc;
}

static bool relays(uint32_t hosts, uint32_t node, uint32_t from, uint32_t to)
{
	return node >= hosts || node == from || node == to;
}

bool net_open_fabric(struct net *net, const struct liquid_fabric *fabric, uint32_t from,
		     uint32_t to)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);

	if (!net_open(net, hosts + liquid_fabric_switch_count(fabric),
		      liquid_fabric_link_count(fabric)))
		return false;
	for (uint32_t e = 0; e < net->links; e++) {
		const struct liquid_link *link = liquid_fabric_link(fabric, e);

		net->from[e] = link->from;
		net->to[e] = link->to;
		if (relays(hosts, link->from, from, to) && relays(hosts, link->to, from, to))
			net->capacity[e] = liquid_fabric_capacity(fabric, e);
	}
	net_index(net);
	return true;
}

/* ---- order ---- */

uint32_t net_sort(struct net *net)
{
	uint32_t count = 0;

	for (uint32_t v = 0; v < net->nodes; v++)
		net->mark[v] = 0;
	for (uint32_t e = 0; e < net->links; e++)
		net->mark[net->to[e]] += net->flow[e] > NET_TINY;
	for (uint32_t v = 0; v < net->nodes; v++)
		if (!net->mark[v])
			net->queue[count++] = v;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = net->queue[i];

		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++) {
			uint32_t arc = net->arc[k], head = arc_head(net, arc);

			if (!(arc & 1) && net->flow[arc / 2] > NET_TINY && !--net->mark[head])
				net->queue[count++] = head;
		}
	}
	return count;
}
