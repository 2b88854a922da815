// SPDX-License-Identifier: LGPL-2.1-or-later
/* The greatest flow in proportion to given supplies: maximum flows, each by the last one's cut. */
#include <math.h>

#include "capillary/net.h"

#define FAR UINT32_MAX

/* ---- a maximum flow, by Dinic: along shortest ways until there is none ---- */

/* Find the steps to each node from those that have something left; true: some end is reached. */
static bool set_levels(struct net *net)
{
	uint32_t count = 0;
	bool reached = false;

	for (uint32_t v = 0; v < net->nodes; v++) {
		net->mark[v] = net->left[v] > NET_TINY ? 0 : FAR;
		net->at[v] = net->first[v];
		if (!net->mark[v])
			net->queue[count++] = v;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = net->queue[i];

		reached |= net->left[v] < -NET_TINY;
		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++) {
			uint32_t head = arc_head(net, net->arc[k]);

			if (net->mark[head] == FAR && arc_room(net, net->arc[k]) > NET_TINY) {
				net->mark[head] = net->mark[v] + 1;
				net->queue[count++] = head;
			}
		}
	}
	return reached;
}

/* Send what fits from @source along @depth arcs of the path. */
static void augment(struct net *net, uint32_t source, uint32_t depth)
{
	uint32_t sink = arc_head(net, net->path[depth - 1]);
	double amount = fmin(net->left[source], -net->left[sink]);

	for (uint32_t i = 0; i < depth; i++)
		amount = fmin(amount, arc_room(net, net->path[i]));
	for (uint32_t i = 0; i < depth; i++)
		arc_push(net, net->path[i], amount);
	net->left[source] -= amount;
	net->left[sink] += amount;
}

/* Go one step on from @v; false: there is no way on. */
static bool step(struct net *net, uint32_t v, uint32_t *depth)
{
	for (; net->at[v] < net->first[v + 1]; net->at[v]++) {
		uint32_t arc = net->arc[net->at[v]];

		if (net->mark[arc_head(net, arc)] == net->mark[v] + 1 &&
		    arc_room(net, arc) > NET_TINY) {
			net->path[(*depth)++] = arc;
			return true;
		}
	}
	return false;
}

static void send_from(struct net *net, uint32_t source)
{
	uint32_t depth = 0, v = source;

	while (net->left[source] > NET_TINY) {
		if (net->left[v] < -NET_TINY) {
			augment(net, source, depth);
			depth = 0;
			v = source;
		} else if (step(net, v, &depth)) {
			v = arc_head(net, net->path[depth - 1]);
		} else if (depth) {
			v = arc_tail(net, net->path[--depth]);
			net->at[v]++;
		} else {
			return;
		}
	}
}

double net_send(struct net *net, double factor)
{
	double unsent = 0;

	for (uint32_t e = 0; e < net->links; e++)
		net->flow[e] = 0;
	for (uint32_t v = 0; v < net->nodes; v++)
		net->left[v] = factor * net->supply[v];
	while (set_levels(net))
		for (uint32_t v = 0; v < net->nodes; v++)
			if (net->left[v] > NET_TINY)
				send_from(net, v);
	for (uint32_t v = 0; v < net->nodes; v++)
		unsent += net->left[v] > 0 ? net->left[v] : 0;
	return unsent;
}

/* ---- the factor: Newton's method, from cut to cut ---- */

/* No node sends or receives more than its links carry. */
static double bound_of_ends(const struct net *net)
{
	double bound = INFINITY;

	for (uint32_t v = 0; v < net->nodes; v++) {
		bool ends = net->supply[v] < 0;
		double room = 0;

		if (net->supply[v] == 0)
			continue;
		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++)
			if ((net->arc[k] & 1) == ends)
				room += net->capacity[net->arc[k] / 2];
		bound = fmin(bound, room / fabs(net->supply[v]));
	}
	return bound;
}

/* The cut around what the last search has reached. */
struct cut {
	double room, within;		/* capacity out of it; supply in it */
};

static struct cut find_cut(const struct net *net)
{
	struct cut cut = { 0 };

	for (uint32_t v = 0; v < net->nodes; v++)
		cut.within += net->mark[v] != FAR ? net->supply[v] : 0;
	for (uint32_t e = 0; e < net->links; e++)
		if (net->mark[net->from[e]] != FAR && net->mark[net->to[e]] == FAR)
			cut.room += net->capacity[e];
	return cut;
}

/* Where no link leads out, nothing has to leave either: a little that has to is rounding. */
static bool is_rounding(const struct cut *cut)
{
	return cut->room == 0 && cut->within < SUPPLY_ROUNDING;
}

static void correct_sides(struct net *net)
{
	for (uint32_t v = 0; v < net->nodes; v++)
		net->low[v] = net->mark[v] == FAR;
	net_balance(net);
}

double net_grow(struct net *net)
{
	double factor = INFINITY, next = bound_of_ends(net);
	uint32_t corrections = 0;

	while (next < factor * (1 - 1e-12)) {
		struct cut cut;

		factor = next;
		if (net_send(net, factor) <= NET_TINY)
			break;
		cut = find_cut(net);
		if (cut.within * factor <= NET_TINY)
			break;
		next = cut.room / cut.within;
		if (is_rounding(&cut) && corrections++ < net->nodes) {
			correct_sides(net);
			factor = INFINITY;
			next = bound_of_ends(net);
		}
	}
	return factor;
}
