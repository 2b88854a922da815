// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a layer leaves open, over as few links as possible: a minimum-cost flow
 *
 * All links cost the same. Each way found is a shortest one from any node that has something left
 * to any that lacks something, so the flow is the cheapest of its amount at all times. Of equally
 * short ways the one of the lower link numbers is taken: the same problem has the same flow.
 */
#include <limits.h>
#include <math.h>

#include "capillary/net.h"

#define FAR INT_MAX

static int *cost_of(struct net *net)
{
	return (int *)net->low;
}

/* A queue of nodes of which each is in it once at most: Bellman and Ford's method. */
struct waiting {
	uint32_t begin, count;
};

static void enqueue(struct net *net, struct waiting *waiting, uint32_t v)
{
	if (net->mark[v])
		return;
	net->mark[v] = 1;
	net->queue[(waiting->begin + waiting->count++) % net->nodes] = v;
}

static uint32_t dequeue(struct net *net, struct waiting *waiting)
{
	uint32_t v = net->queue[waiting->begin];

	waiting->begin = (waiting->begin + 1) % net->nodes;
	waiting->count--;
	net->mark[v] = 0;
	return v;
}

static void look_around(struct net *net, struct waiting *waiting, uint32_t v)
{
	int *cost = cost_of(net);

	for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++) {
		uint32_t arc = net->arc[k], head = arc_head(net, arc);
		int beyond = cost[v] + (arc & 1 ? -1 : 1);

		if (beyond >= cost[head] || arc_room(net, arc) <= net->tiny)
			continue;
		cost[head] = beyond;
		net->path[head] = arc;
		enqueue(net, waiting, head);
	}
}

/* Find the cheapest ways to all nodes; path[]: the arc by which each is reached. */
static void find_ways(struct net *net)
{
	struct waiting waiting = { 0 };
	int *cost = cost_of(net);

	for (uint32_t v = 0; v < net->nodes; v++) {
		net->mark[v] = 0;
		net->path[v] = UINT32_MAX;
		cost[v] = net->left[v] > net->tiny ? 0 : FAR;
	}
	for (uint32_t v = 0; v < net->nodes; v++)
		if (!cost[v])
			enqueue(net, &waiting, v);
	while (waiting.count)
		look_around(net, &waiting, dequeue(net, &waiting));
}

static uint32_t nearest_sink(struct net *net)
{
	uint32_t nearest = UINT32_MAX;
	int *cost = cost_of(net), least = FAR;

	for (uint32_t v = 0; v < net->nodes; v++)
		if (net->left[v] < -net->tiny && cost[v] < least) {
			nearest = v;
			least = cost[v];
		}
	return nearest;
}

static void augment(struct net *net, uint32_t sink)
{
	double amount = -net->left[sink];
	uint32_t v = sink;

	for (; net->path[v] != UINT32_MAX; v = arc_tail(net, net->path[v]))
		amount = fmin(amount, arc_room(net, net->path[v]));
	amount = fmin(amount, net->left[v]);
	net->left[v] -= amount;
	net->left[sink] += amount;
	for (v = sink; net->path[v] != UINT32_MAX; v = arc_tail(net, net->path[v]))
		arc_push(net, net->path[v], amount);
}

void net_send_short(struct net *net)
{
	uint32_t sink;

	for (uint32_t e = 0; e < net->links; e++)
		net->flow[e] = 0;
	for (uint32_t v = 0; v < net->nodes; v++)
		net->left[v] = net->supply[v];
	for (find_ways(net); (sink = nearest_sink(net)) != UINT32_MAX; find_ways(net))
		augment(net, sink);
}
