// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Capillary routing, layer by layer (thesis, section 4.2.2)
 *
 * A layer grows the flow by the factor F until it fills its bottlenecks. These are enclosed: taken
 * out of the network, and what they carry is added to the supplies of their ends (eqs. 16 to 18).
 * A bottleneck's share of the stream is its capacity over the product of the factors (eq. 19).
 *
 * Flows are rounded, supplies are not. The exact supplies also prove each layer: the cut's ratio is
 * an upper bound of the factor, and where the supplies that are left add up to 0 in each component
 * of the residual graph there is a flow of that factor that fills the bottlenecks.
 */
#include <stdlib.h>
#include <string.h>

#include "capillary/capillary.h"

/* ---- memory ---- */

void liquid_capillary_free(struct liquid_capillary *shown)
{
	struct capillary *capillary = capillary_of(shown);

	if (!capillary)
		return;
	net_close(&capillary->net);
	supplies_close(&capillary->exact);
	free(capillary->layer_of);
	free(capillary->layer);
	free(capillary->supply);
	free(capillary->bottleneck);
	free(capillary);
}

/* Room for the next layer, and for the supplies after it. */
static bool reserve(struct capillary *capillary)
{
	uint32_t room = 2 * capillary->room + 14;
	size_t nodes = capillary->net.nodes;
	struct liquid_capillary_layer *layer;
	double *supply;

	if (capillary->shown.layers + 1 < capillary->room)
		return true;
	layer = reallocarray(capillary->layer, room, sizeof(*layer));
	if (layer)
		capillary->layer = layer;
	supply = reallocarray(capillary->supply, room * nodes, sizeof(*supply));
	if (supply)
		capillary->supply = supply;
	if (!layer || !supply)
		return false;
	capillary->room = room;
	return true;
}

static bool open_capillary(struct capillary *capillary, const struct liquid_fabric *fabric,
			   const struct liquid_capillary_options *options)
{
	size_t links = (size_t)liquid_fabric_link_count(fabric) + 1;

	capillary->shown.from = options->from;
	capillary->shown.to = options->to;
	capillary->layer_of = calloc(links, sizeof(*capillary->layer_of));
	capillary->bottleneck = calloc(links, sizeof(*capillary->bottleneck));
	return net_open_fabric(&capillary->net, fabric, options->from, options->to) &&
	       supplies_open(&capillary->exact, capillary->net.nodes, options->from, options->to) &&
	       capillary->layer_of && capillary->bottleneck && reserve(capillary);
}

static double *supply_after(const struct capillary *capillary, uint32_t layers)
{
	return capillary->supply + (size_t)layers * capillary->net.nodes;
}

static bool copy_net(const struct net *from, struct net *to)
{
	size_t links = from->links;

	if (!net_open(to, from->nodes, from->links))
		return false;
	memcpy(to->from, from->from, links * sizeof(*to->from));
	memcpy(to->to, from->to, links * sizeof(*to->to));
	memcpy(to->capacity, from->capacity, links * sizeof(*to->capacity));
	net_index(to);
	return true;
}

bool capillary_problem(const struct capillary *capillary, uint32_t layers, struct net *net)
{
	if (!copy_net(&capillary->net, net))
		return false;
	for (uint32_t e = 0; e < net->links; e++)
		if (capillary->layer_of[e] && capillary->layer_of[e] <= layers)
			net->capacity[e] = 0;
	memcpy(net->supply, supply_after(capillary, layers), net->nodes * sizeof(*net->supply));
	return true;
}

/* ---- layers ---- */

/* What links out of the cut carry */
static uint64_t room_of(const struct net *net)
{
	uint64_t room = 0;

	for (uint32_t e = 0; e < net->links; e++)
		if (net->side[net->from[e]] && !net->side[net->to[e]])
			room += (uint64_t)net->capacity[e];
	return room;
}

/* Take the links of @full out of the network (eq. 17); @taken: what they carry from each node. */
static void enclose(struct capillary *capillary, struct net *net, const bool *full, int64_t *taken)
{
	for (uint32_t e = 0; e < net->links; e++) {
		if (!full[e])
			continue;
		taken[net->from[e]] += (int64_t)net->capacity[e];
		taken[net->to[e]] -= (int64_t)net->capacity[e];
		net->capacity[e] = 0;
		capillary->layer_of[e] = capillary->shown.layers;
		capillary->bottleneck[capillary->bottlenecks++] = e;
	}
}

/* The supplies of the next layer: eq. 18. */
static bool go_on(struct capillary *capillary, struct net *net, const bool *full)
{
	int64_t *taken = calloc(net->nodes, sizeof(*taken));
	uint64_t room = room_of(net);
	uint32_t ties = UINT32_MAX;

	if (taken) {
		enclose(capillary, net, full, taken);
		if (supplies_grow(&capillary->exact, net->side, room, taken))
			ties = supplies_balance(&capillary->exact, net->mark);
	}
	free(taken);
	if (ties == UINT32_MAX)
		return false;
	capillary->ties += ties;
	capillary->shown.complete = !supplies_tell(&capillary->exact, net->supply);
	memcpy(supply_after(capillary, capillary->shown.layers), net->supply,
	       net->nodes * sizeof(*net->supply));
	return true;
}

static int add_layer(struct capillary *capillary, struct net *net, bool *full,
		     struct liquid_error *err)
{
	uint32_t before = capillary->shown.layers;
	double factor = net_grow(net), product = factor;
	uint32_t count = net_bottlenecks(net, full);

	if (!reserve(capillary))
		return liquid_no_memory(err);
	if (before)
		product *= capillary->layer[before - 1].product;
	capillary->layer[capillary->shown.layers++] = (struct liquid_capillary_layer){
		.factor = factor, .product = product, .bottlenecks = count,
		.bottleneck = capillary->bottleneck + capillary->bottlenecks,
	};
	return go_on(capillary, net, full) ? LIQUID_OK : liquid_no_memory(err);
}

static int add_layers(struct capillary *capillary, struct net *net, uint32_t most,
		      struct liquid_error *err)
{
	bool *full = calloc((size_t)net->links + 1, sizeof(*full));
	int status = full ? LIQUID_OK : liquid_no_memory(err);

	while (!status && !capillary->shown.complete &&
	       (!most || capillary->shown.layers < most))
		status = add_layer(capillary, net, full, err);
	capillary->shown.layer = capillary->layer;
	free(full);
	return status;
}

/* The first layer's problem: a unit from end to end, if there is any way. */
static int begin(struct capillary *capillary, const struct liquid_fabric *fabric,
		 struct liquid_error *err)
{
	struct net *net = &capillary->net;
	uint32_t from = capillary->shown.from, to = capillary->shown.to;

	supplies_tell(&capillary->exact, net->supply);
	memcpy(capillary->supply, net->supply, net->nodes * sizeof(*net->supply));
	if (net_grow(net) > 0)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "no links lead from %s to %s",
			   liquid_fabric_node_name(fabric, from),
			   liquid_fabric_node_name(fabric, to));
}

static int check(const struct liquid_fabric *fabric,
		 const struct liquid_capillary_options *options, struct liquid_error *err)
{
	uint32_t nodes = liquid_fabric_host_count(fabric) + liquid_fabric_switch_count(fabric);

	if (options->from >= nodes || options->to >= nodes)
		return liquid_fail(err, LIQUID_BAD_INPUT, "an end is node %u: there are %u",
				   options->from >= nodes ? options->from : options->to, nodes);
	if (options->from == options->to)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s is both ends",
				   liquid_fabric_node_name(fabric, options->from));
	return LIQUID_OK;
}

static int route(struct capillary *capillary, const struct liquid_fabric *fabric, uint32_t most,
		 struct liquid_error *err)
{
	struct net net = { 0 };
	int status = begin(capillary, fabric, err);

	if (!status && !capillary_problem(capillary, 0, &net))
		status = liquid_no_memory(err);
	if (!status)
		status = add_layers(capillary, &net, most, err);
	net_close(&net);
	return status;
}

int liquid_capillary(const struct liquid_fabric *fabric,
		     const struct liquid_capillary_options *options,
		     struct liquid_capillary **out, struct liquid_error *err)
{
	struct capillary *capillary;
	int status = check(fabric, options, err);

	*out = NULL;
	if (status)
		return status;
	capillary = calloc(1, sizeof(*capillary));
	if (!capillary)
		return liquid_no_memory(err);
	status = open_capillary(capillary, fabric, options) ?
		 route(capillary, fabric, options->layers, err) : liquid_no_memory(err);
	if (status)
		liquid_capillary_free(&capillary->shown);
	else
		*out = &capillary->shown;
	return status;
}

/* ---- patterns ---- */

int liquid_capillary_pattern(const struct liquid_capillary *shown, uint32_t layer, double *share,
			     struct liquid_error *err)
{
	const struct capillary *capillary = capillary_of(shown);
	struct net net;
	double scale;

	if (!layer || layer > shown->layers)
		return liquid_fail(err, LIQUID_BAD_INPUT, "layer %u: there are 1 to %u", layer,
				   shown->layers);
	if (!capillary_problem(capillary, layer, &net)) {
		net_close(&net);
		return liquid_no_memory(err);
	}
	net_send_short(&net);
	scale = 1 / shown->layer[layer - 1].product;
	for (uint32_t e = 0; e < net.links; e++) {
		uint32_t own = capillary->layer_of[e];

		share[e] = net.flow[e] > NET_FULL ? net.flow[e] * scale : 0;
		if (own && own <= layer)
			share[e] = capillary->net.capacity[e] / shown->layer[own - 1].product;
	}
	net_close(&net);
	return LIQUID_OK;
}
