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
		net->mark[v] = net->left[v] > net->tiny ? 0 : FAR;
		net->at[v] = net->first[v];
		if (!net->mark[v])
			net->queue[count++] = v;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = net->queue[i];

		reached |= net->left[v] < -net->tiny;
		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++) {
			uint32_t head = arc_head(net, net->arc[k]);

			if (net->mark[head] == FAR && arc_room(net, net->arc[k]) > net->tiny) {
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
		    arc_room(net, arc) > net->tiny) {
			net->path[(*depth)++] = arc;
			return true;
		}
	}
	return false;
}

static void send_from(struct net *net, uint32_t source)
{
	uint32_t depth = 0, v = source;

	while (net->left[source] > net->tiny) {
		if (net->left[v] < -net->tiny) {
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
			if (net->left[v] > net->tiny)
				send_from(net, v);
	for (uint32_t v = 0; v < net->nodes; v++)
		unsent += net->left[v] > 0 ? net->left[v] : 0;
	return unsent;
}

/* ---- the factor: Newton's method, from cut to cut ---- */

/* A cut lets out what its links carry, and what must leave is the supply within. */
struct cut {
	double room, within;
};

/* Of @v alone, or of all others if flow ends at it. */
static struct cut cut_around(const struct net *net, uint32_t v)
{
	struct cut cut = { .within = fabs(net->supply[v]) };
	bool ends = net->supply[v] < 0;

	for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++)
		if ((net->arc[k] & 1) == ends)
			cut.room += net->capacity[net->arc[k] / 2];
	return cut;
}

/* No node sends or receives more than its links carry. */
static double bound_of_ends(struct net *net)
{
	double bound = INFINITY;
	uint32_t tightest = 0;

	for (uint32_t v = 0; v < net->nodes; v++) {
		struct cut cut = cut_around(net, v);

		if (cut.within > 0 && cut.room / cut.within < bound) {
			bound = cut.room / cut.within;
			tightest = v;
		}
	}
	for (uint32_t v = 0; v < net->nodes; v++)
		net->side[v] = (v == tightest) == (net->supply[tightest] > 0);
	return bound;
}

/* The cut around what the last search has reached. */
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

/* Does less go through it than @factor of its supplies, by more than rounding? */
static bool is_tighter(const struct net *net, const struct cut *cut, double factor)
{
	return cut->within * factor - cut->room > 4 * net->tiny + 1e-12 * cut->room;
}

double net_grow(struct net *net)
{
	double factor = bound_of_ends(net);
	struct cut cut;

	while (net_send(net, factor) > net->tiny) {
		cut = find_cut(net);
		if (!is_tighter(net, &cut, factor))
			break;
		factor = cut.room / cut.within;
		for (uint32_t v = 0; v < net->nodes; v++)
			net->side[v] = net->mark[v] != FAR;
	}
	return factor;
}
