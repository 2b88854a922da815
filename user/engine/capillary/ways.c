// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A pattern as a few ways, each with its weight, for a network that routes along ways
 *
 * The widest way first. Of ways that are equally wide the one on which most is left is taken, so
 * that the first few of many equal ways have as little in common as possible.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capillary/capillary.h"

struct ways {
	struct liquid_ways shown;	/* first: the caller's pointer is to it */
	struct liquid_way *way;
	double *share;
};

void liquid_ways_free(struct liquid_ways *shown)
{
	struct ways *ways = (struct ways *)shown;

	if (!ways)
		return;
	for (uint32_t i = 0; i < shown->count; i++)
		free((void *)(uintptr_t)ways->way[i].link);
	free(ways->way);
	free(ways->share);
	free(ways);
}

/* By node in the order of the flow: the width of the widest way to it from @from. */
static double widest(struct net *net, uint32_t from, uint32_t to)
{
	for (uint32_t v = 0; v < net->nodes; v++)
		net->worth[v] = v == from ? INFINITY : 0;
	for (uint32_t i = 0; i < net->nodes; i++) {
		uint32_t v = net->queue[i];

		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++) {
			uint32_t arc = net->arc[k], head = arc_head(net, arc);

			if (!(arc & 1))
				net->worth[head] = fmax(net->worth[head],
							fmin(net->worth[v], net->flow[arc / 2]));
		}
	}
	return net->worth[to];
}

/* path[]: the arc to each node on the way that has the most left, among those of @width. */
static void find_fullest(struct net *net, uint32_t from, double width)
{
	for (uint32_t v = 0; v < net->nodes; v++)
		net->worth[v] = v == from ? 0 : INFINITY;
	for (uint32_t i = 0; i < net->nodes; i++) {
		uint32_t v = net->queue[i];

		for (uint32_t k = net->first[v]; k < net->first[v + 1]; k++) {
			uint32_t arc = net->arc[k], head = arc_head(net, arc);
			double flow = net->flow[arc / 2];

			if (arc & 1 || flow < width * (1 - NET_FULL) ||
			    net->worth[v] + 1 / flow >= net->worth[head] * (1 - NET_FULL))
				continue;
			net->worth[head] = net->worth[v] + 1 / flow;
			net->path[head] = arc;
		}
	}
}

static bool take_way(struct net *net, uint32_t from, uint32_t to, double width,
		     struct liquid_way *way)
{
	uint32_t *link, count = 0;

	for (uint32_t v = to; v != from; v = arc_tail(net, net->path[v]))
		count++;
	link = calloc(count, sizeof(*link));
	if (!link)
		return false;
	*way = (struct liquid_way){ .weight = width, .links = count, .link = link };
	for (uint32_t v = to; v != from; v = arc_tail(net, net->path[v])) {
		link[--count] = net->path[v] / 2;
		net->flow[net->path[v] / 2] -= width;
	}
	return true;
}

/* The weights add up to 1, and links carry those of their ways. */
static void weigh(struct ways *ways)
{
	double sum = 0;

	for (uint32_t i = 0; i < ways->shown.count; i++)
		sum += ways->way[i].weight;
	for (uint32_t i = 0; i < ways->shown.count; i++) {
		ways->way[i].weight /= sum;
		for (uint32_t k = 0; k < ways->way[i].links; k++)
			ways->share[ways->way[i].link[k]] += ways->way[i].weight;
	}
	ways->shown.way = ways->way;
	ways->shown.share = ways->share;
}

static int decompose(const struct liquid_capillary *shown, struct net *net, uint32_t most,
		     struct ways *ways, struct liquid_error *err)
{
	double width;

	if (net_sort(net) < net->nodes)
		return liquid_fail(err, LIQUID_LIMIT, "rounding leaves a circle in the pattern");
	while (ways->shown.count < most &&
	       (width = widest(net, shown->from, shown->to)) > NET_FULL) {
		find_fullest(net, shown->from, width);
		if (!take_way(net, shown->from, shown->to, width, &ways->way[ways->shown.count]))
			return liquid_no_memory(err);
		ways->shown.count++;
	}
	weigh(ways);
	return LIQUID_OK;
}

int liquid_capillary_ways(const struct liquid_capillary *shown, uint32_t most,
			  struct liquid_ways **out, struct liquid_error *err)
{
	struct ways *ways = calloc(1, sizeof(*ways));
	struct net net = { 0 };
	int status = LIQUID_OK;

	*out = NULL;
	if (!ways)
		return liquid_no_memory(err);
	if (!most || most > LIQUID_WAYS_MAX)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%u ways: expected 1 to %u", most,
				     LIQUID_WAYS_MAX);
	if (!status && !capillary_problem(capillary_of(shown), 0, &net))
		status = liquid_no_memory(err);
	if (!status) {
		ways->way = calloc(most, sizeof(*ways->way));
		ways->share = calloc((size_t)net.links + 1, sizeof(*ways->share));
		status = ways->way && ways->share ?
			 liquid_capillary_pattern(shown, shown->layers, net.flow, err) :
			 liquid_no_memory(err);
	}
	if (!status)
		status = decompose(shown, &net, most, ways, err);
	net_close(&net);
	if (status)
		liquid_ways_free(&ways->shown);
	else
		*out = &ways->shown;
	return status;
}
