// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * True bottlenecks: full in every flow of the same supplies
 *
 * A full link from u to v can carry less exactly if flow can go from u to v in another way: if the
 * residual graph has a path from u to v. It always has the arc back from v to u. So the link is a
 * bottleneck exactly if u and v lie in different strongly connected components (by Tarjan).
 */
#include "capillary/net.h"

struct search {
	struct net *net;
	uint32_t visits;		/* nodes found so far */
	uint32_t open, depth;		/* of queue[] and of path[] */
	uint32_t done;			/* what mark[] of a finished component's nodes begins at */
};

/* mark[]: 0: not found; its visit; or above net->nodes: number of its component. */
static bool is_open(const struct net *net, uint32_t v)
{
	return net->mark[v] && net->mark[v] <= net->nodes;
}

static bool residual(const struct net *net, uint32_t arc)
{
	/* Out of the cut nothing can go, whatever rounding leaves there. */
	if (net->side[arc_tail(net, arc)] && !net->side[arc_head(net, arc)])
		return false;
	return arc_room(net, arc) > NET_FULL * net->capacity[arc / 2];
}

static void enter(struct search *search, uint32_t v)
{
	struct net *net = search->net;

	net->mark[v] = net->low[v] = ++search->visits;
	net->at[v] = net->first[v];
	net->queue[search->open++] = v;
	net->path[search->depth++] = v;
}

/* All that was found from @v on is a component, if nothing of it leads further back. */
static void leave(struct search *search, uint32_t v)
{
	struct net *net = search->net;

	search->depth--;
	if (net->low[v] == net->mark[v]) {
		search->done++;
		do
			net->mark[net->queue[--search->open]] = search->done;
		while (net->queue[search->open] != v);
	}
	if (search->depth) {
		uint32_t before = net->path[search->depth - 1];

		if (net->low[v] < net->low[before])
			net->low[before] = net->low[v];
	}
}

/* Follow the next residual arc of @v; false: there is none left. */
static bool follow(struct search *search, uint32_t v)
{
	struct net *net = search->net;

	while (net->at[v] < net->first[v + 1]) {
		uint32_t arc = net->arc[net->at[v]++], head = arc_head(net, arc);

		if (!residual(net, arc))
			continue;
		if (!net->mark[head]) {
			enter(search, head);
			return true;
		}
		if (is_open(net, head) && net->mark[head] < net->low[v])
			net->low[v] = net->mark[head];
	}
	return false;
}

static void find_components(struct net *net)
{
	struct search search = { .net = net, .done = net->nodes };

	for (uint32_t v = 0; v < net->nodes; v++)
		net->mark[v] = 0;
	for (uint32_t root = 0; root < net->nodes; root++) {
		if (net->mark[root])
			continue;
		enter(&search, root);
		while (search.depth) {
			uint32_t v = net->path[search.depth - 1];

			if (!follow(&search, v))
				leave(&search, v);
		}
	}
	for (uint32_t v = 0; v < net->nodes; v++)
		net->mark[v] -= net->nodes + 1;
}

uint32_t net_bottlenecks(struct net *net, bool *full)
{
	uint32_t count = 0;

	find_components(net);
	for (uint32_t e = 0; e < net->links; e++) {
		full[e] = net->capacity[e] > 0 && !residual(net, 2 * e) &&
			  net->mark[net->from[e]] != net->mark[net->to[e]];
		count += full[e];
	}
	return count;
}
