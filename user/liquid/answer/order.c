// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of a job's exchange, for its ranks: a plan of the round's schedule, of which each node
 * gets its slice with that of its gate. Nothing that goes wrong here is a reason not to gate.
 */
#include <nettle/base64.h>
#include <stdlib.h>

#include "answer/answer.h"
#include "commands.h"

#define RANKS_MAX 2048		/* a plan takes memory for each pair of them */

/* The ranks of the plan, node by node */
static int find_ranks(struct order *order, struct liquid_error *err)
{
	const struct round_part *part = order->round->part;
	int status = LIQUID_OK;

	order->host = calloc(part->nodes * RAILS_MAX + 1, sizeof(*order->host));
	order->first = calloc(part->nodes + 1, sizeof(*order->first));
	if (!order->host || !order->first)
		return liquid_no_memory(err);
	for (size_t i = 0; !status && i < part->nodes; i++) {
		struct rails rails;

		status = rails_find(order->fabric, order->round->rail, &part->node[i], &rails,
				    err);
		order->first[i + 1] = order->first[i];
		for (size_t r = 0; !status && r < rails.count; r++)
			order->host[order->first[i + 1]++] = rails.host[r];
	}
	return status;
}

/* By host, the number of its node, from 1; 0: it has none. NULL: no memory */
static uint32_t *number_nodes(const struct order *order)
{
	uint32_t *node = calloc(liquid_fabric_host_count(order->fabric) + (size_t)1,
				sizeof(*node));

	for (size_t i = 0; node && i < order->round->part[0].nodes; i++)
		for (uint32_t r = order->first[i]; r < order->first[i + 1]; r++)
			node[order->host[r]] = (uint32_t)i + 1;
	return node;
}

/* The pairs of ranks on two nodes */
static size_t count_pairs(const struct order *order)
{
	size_t nodes = order->round->part[0].nodes, ranks = order->first[nodes], pairs = 0;

	for (size_t i = 0; i < nodes; i++) {
		size_t rails = order->first[i + 1] - order->first[i];

		pairs += rails * (ranks - rails);
	}
	return pairs;
}

/* Each rank sends equally much to each on another node, and none to those on its own. */
static bool is_for_all(const struct order *order)
{
	const struct liquid_pair *pair = liquid_traffic_pairs(order->traffic);
	size_t pairs = liquid_traffic_pair_count(order->traffic);
	uint32_t *node = number_nodes(order);
	bool all = node && pairs == count_pairs(order);

	for (size_t i = 0; all && i < pairs; i++)
		all = node[pair[i].src] && node[pair[i].dst] &&
		      node[pair[i].src] != node[pair[i].dst] && pair[i].count == pair[0].count;
	free(node);
	return all;
}

/* By `rail all` ranks find their rails by these names; else they know their nodes. */
static json_t *names_json(const struct order *order)
{
	const struct round_part *part = order->round->part;
	bool rails = order->round->rail == RAIL_ALL;
	json_t *array = json_array();

	for (size_t i = 0; array && i < order->first[part->nodes]; i++)
		json_array_append_new(array, json_string(
			rails ? liquid_fabric_node_name(order->fabric, order->host[i]) :
			part->node[i].name));
	return array;
}

static int make(struct order *order, struct liquid_error *err)
{
	struct liquid_plan_options options = {
		.host_of_rank = order->host,
		.ranks = order->first[order->round->part[0].nodes],
	};

	order->names = names_json(order);
	return liquid_plan_make(order->fabric, order->schedule, &options, &order->plan, err);
}

void order_make(struct order *order)
{
	struct liquid_error err;
	int status;

	if (order->round->parts != 1)
		return;
	status = find_ranks(order, &err);
	if (!status && (order->first[order->round->part[0].nodes] > RANKS_MAX ||
			!is_for_all(order)))
		return;
	if (!status)
		status = make(order, &err);
	if (status)
		complain(0, "note: round %s has no plan for ranks: %s", order->name, err.text);
}

void order_clear(struct order *order)
{
	liquid_plan_free(order->plan);
	free(order->host);
	free(order->first);
	json_decref(order->names);
}

static char *encode(const void *bytes, size_t size)
{
	char *text = malloc(BASE64_ENCODE_RAW_LENGTH(size) + 1);

	if (!text)
		return NULL;
	base64_encode_raw(text, size, bytes);
	text[BASE64_ENCODE_RAW_LENGTH(size)] = '\0';
	return text;
}

static json_t *slice_json(const struct order *order, uint32_t rank)
{
	struct liquid_error err;
	json_t *json = NULL;
	void *slice;
	size_t size;
	char *text;

	if (liquid_plan_slice(order->plan, rank, &slice, &size, &err))
		return NULL;
	text = encode(slice, size);
	if (text)
		json = json_string(text);
	free(text);
	free(slice);
	return json;
}

static json_t *rail_json(uint64_t rail)
{
	return rail == RAIL_ALL ? json_string("all") : json_integer((json_int_t)rail);
}

json_t *order_json(const struct order *order, size_t node)
{
	json_t *json, *more = order->plan ? json_array() : NULL;
	bool fine = more;

	if (!fine)
		return NULL;
	json = json_pack("{s:o, s:I, s:O, s:o}", "rail", rail_json(order->round->rail),
			 "rate_bps", (json_int_t)order->rate_bps,
			 "nodes", order->names, "slice", slice_json(order, order->first[node]));
	for (uint32_t r = order->first[node] + 1; fine && r < order->first[node + 1]; r++)
		fine = !json_array_append_new(more, slice_json(order, r));
	if (json_array_size(more))
		fine = fine && !json_object_set(json, "more", more);
	json_decref(more);
	if (fine)
		return json;
	json_decref(json);
	return NULL;
}
