// SPDX-License-Identifier: GPL-2.0-only
/* The endpoints of a node that are gated */
#include "answer/answer.h"

static void take(struct rails *rails, uint32_t host, uint32_t number)
{
	rails->host[rails->count] = host;
	rails->number[rails->count++] = number;
}

/* As many as there is room for, or that of @rail */
static void take_rails(uint64_t rail, const struct liquid_rails *all, struct rails *rails)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (rail != RAIL_ALL && (all->only || all->number[i] == rail))
			take(rails, all->host[i], (uint32_t)rail);
		else if (rail == RAIL_ALL && rails->count < RAILS_MAX)
			take(rails, all->host[i], all->number[i]);
}

/* The adapter that other nodes have on rail @number; "": none has one there, or it has no name */
static const char *adapter_of(const struct liquid_fabric *fabric, uint64_t number,
			      struct liquid_endpoint *endpoint)
{
	for (uint32_t host = 0; host < liquid_fabric_host_count(fabric); host++) {
		liquid_fabric_endpoint(fabric, host, endpoint);
		if (endpoint->rail == number)
			return endpoint->adapter;
	}
	return "";
}

/* The lowest rail that the node lacks and another has, for a message */
static void tell_lacking(const struct liquid_fabric *fabric, const struct rails *rails,
			 char *text, size_t size)
{
	struct liquid_endpoint endpoint;
	const char *adapter;
	size_t i = 0;

	while (i < rails->count && rails->number[i] == i + 1)
		i++;
	adapter = adapter_of(fabric, i + 1, &endpoint);
	if (*adapter)
		snprintf(text, size, "; it has no rail %zu (%.100s)", i + 1, adapter);
}

/* By `rail all` each rail has a device, known by its place: of another number none is certain. */
static int check_devices(uint64_t rail, const struct liquid_fabric *fabric,
			 const struct rails_node *node, const struct liquid_rails *all,
			 const struct rails *rails, struct liquid_error *err)
{
	char lacking[160] = "";

	if (rail != RAIL_ALL || all->count == node->devices)
		return LIQUID_OK;
	if (all->count < node->devices)
		tell_lacking(fabric, rails, lacking, sizeof(lacking));
	return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has %u endpoint%s in fabric '%s', "
			   "and %u device%s in liquid.conf: `rail all` takes one for each%s",
			   node->name, all->count, all->count == 1 ? "" : "s",
			   liquid_fabric_name(fabric), node->devices,
			   node->devices == 1 ? "" : "s", lacking);
}

static int no_rail(uint64_t rail, const struct liquid_fabric *fabric, const char *node,
		   const struct liquid_rails *all, struct liquid_error *err)
{
	const char *name = liquid_fabric_name(fabric);
	struct liquid_endpoint endpoint;
	char near[LIQUID_NEAR_TEXT];

	if (all->endpoints && !all->count)
		return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has %u endpoints in fabric "
				   "'%s', and all are on no rail, because their adapters have no "
				   "name of their own: run rdma-ndd and import again, or import "
				   "with --node-name-map", node, all->endpoints, name);
	if (all->endpoints && *adapter_of(fabric, rail, &endpoint))
		return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has no rail %llu (%.100s) in "
				   "fabric '%s': `liquid fabric show --endpoints` prints those "
				   "it has", node, (unsigned long long)rail, endpoint.adapter,
				   name);
	if (all->endpoints)
		return liquid_fail(err, LIQUID_BAD_INPUT, "node '%s' has no rail %llu in fabric "
				   "'%s'", node, (unsigned long long)rail, name);
	return liquid_fail(err, LIQUID_BAD_INPUT, "fabric '%s' has no node '%s'%.400s: its names "
			   "must be Slurm's", name, node,
			   liquid_fabric_near_host(fabric, node, near));
}

int rails_find(const struct liquid_fabric *fabric, uint64_t rail, const struct rails_node *node,
	       struct rails *rails, struct liquid_error *err)
{
	struct liquid_rails all;

	liquid_fabric_rails(fabric, node->name, &all);
	*rails = (struct rails){ .count = 0 };
	take_rails(rail, &all, rails);
	return rails->count ? check_devices(rail, fabric, node, &all, rails, err) :
			      no_rail(rail, fabric, node->name, &all, err);
}
