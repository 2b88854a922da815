// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a choice is made of: candidates, and what goes from place to place. */
#include <stdlib.h>

#include "choose/choose.h"
#include "traffic/traffic.h"

/* 0.2 to 0.7 s on a machine of 2020: the larger the tables, the longer a step. */
#define WORK_DEFAULT UINT64_C(40000000)

/* ---- candidates ---- */

static uint32_t switch_of(const struct liquid_fabric *fabric, uint32_t node)
{
	return node < fabric->hosts ? LIQUID_NONE : node - fabric->hosts;
}

static int take_node(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		     struct choose_node *node, struct liquid_error *err)
{
	uint32_t out = liquid_fabric_host_out(fabric, src), in = liquid_fabric_host_in(fabric, dst);

	if (src >= fabric->hosts || dst >= fabric->hosts)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a candidate is host %u: there are %u",
				   src >= fabric->hosts ? src : dst, fabric->hosts);
	if (out == LIQUID_NONE || in == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "host %s has no link %s: it cannot be a "
				   "candidate", fabric->host[out == LIQUID_NONE ? src : dst].name,
				   out == LIQUID_NONE ? "out" : "in");
	if (fabric->host[dst].owner != dst)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s is an alias: it cannot be a "
				   "candidate", fabric->host[dst].name);
	*node = (struct choose_node){
		.src = src, .dst = dst,
		.from = switch_of(fabric, fabric->link[out].to),
		.to = switch_of(fabric, fabric->link[in].from),
		.out = liquid_fabric_capacity(fabric, out),
		.in = liquid_fabric_capacity(fabric, in),
	};
	return LIQUID_OK;
}

/* Each host once: @seen is by host, zero. */
static int refuse_twins(const struct choosing *choosing, bool *seen, struct liquid_error *err)
{
	for (uint32_t v = 0; v < choosing->nodes; v++) {
		const struct choose_node *node = &choosing->node[v];

		if (seen[node->src] || seen[node->dst])
			return liquid_fail(err, LIQUID_BAD_INPUT, "host %s is a candidate twice",
					   choosing->fabric->host[seen[node->src] ? node->src :
								  node->dst].name);
		seen[node->src] = seen[node->dst] = true;
	}
	return LIQUID_OK;
}

static int take_candidates(struct choosing *choosing, const struct liquid_choose_options *options,
			   struct liquid_error *err)
{
	const uint32_t *receivers = options->receivers ? options->receivers : options->senders;
	bool *seen = calloc((size_t)choosing->fabric->hosts + 1, sizeof(*seen));
	int status = seen ? LIQUID_OK : liquid_no_memory(err);

	for (uint32_t v = 0; v < choosing->nodes && !status; v++) {
		uint32_t src = host_at(options->senders, v), dst = host_at(receivers, v);

		status = take_node(choosing->fabric, src, dst, &choosing->node[v], err);
		choosing->own |= src != dst && !options->traffic;
	}
	if (!status)
		status = refuse_twins(choosing, seen, err);
	free(seen);
	return status;
}

/* ---- what is sent ---- */

static void take_alltoall(struct choosing *choosing)
{
	uint32_t each = choosing->count - !choosing->own;

	for (uint32_t place = 0; place < choosing->count; place++)
		choosing->sent[place] = choosing->received[place] = each;
	choosing->transfers = (uint64_t)each * choosing->count;
}

static int take_traffic(struct choosing *choosing, const struct liquid_traffic *traffic,
			struct liquid_error *err)
{
	const struct liquid_pair *pair;
	size_t count = choosing->count;
	int status = traffic_list(traffic, err);

	if (status)
		return status;
	pair = liquid_traffic_pairs(traffic);
	choosing->weight = calloc(count * count, sizeof(*choosing->weight));
	if (!choosing->weight)
		return liquid_no_memory(err);
	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++, pair++) {
		if (pair->src >= count || pair->dst >= count)
			return liquid_fail(err, LIQUID_BAD_INPUT, "the traffic has place %u: there "
					   "are %u", pair->src < count ? pair->dst : pair->src,
					   choosing->count);
		choosing->weight[pair->src * count + pair->dst] = pair->count;
		choosing->sent[pair->src] += pair->count;
		choosing->received[pair->dst] += pair->count;
	}
	choosing->transfers = liquid_traffic_transfer_count(traffic);
	return LIQUID_OK;
}

/* ---- memory ---- */

void choosing_close(struct choosing *choosing)
{
	free(choosing->node);
	free(choosing->weight);
	free(choosing->sent);
	free(choosing->received);
	free(choosing->load);
	free(choosing->place);
	free(choosing->used);
	free(choosing->tried);
	free(choosing->seen);
	free(choosing->step);
	free(choosing->best);
}

/* Steps at once: those of one node with all others, or of an enumeration's depth. */
static size_t steps_max(const struct choosing *choosing)
{
	size_t depth = choosing->count < CHOOSE_DEPTH_MAX ? choosing->count : CHOOSE_DEPTH_MAX;

	return (2 * (size_t)choosing->count + depth * depth + 2) * LIQUID_PATH_MAX;
}

static bool choosing_alloc(struct choosing *choosing)
{
	size_t nodes = (size_t)choosing->nodes + 1, places = (size_t)choosing->count + 1;

	choosing->node = calloc(nodes, sizeof(*choosing->node));
	choosing->sent = calloc(places, sizeof(*choosing->sent));
	choosing->received = calloc(places, sizeof(*choosing->received));
	choosing->load = calloc((size_t)choosing->fabric->links + 1, sizeof(*choosing->load));
	choosing->place = calloc(places, sizeof(*choosing->place));
	choosing->used = calloc(nodes, sizeof(*choosing->used));
	choosing->tried = calloc(nodes, sizeof(*choosing->tried));
	choosing->seen = calloc((size_t)choosing->fabric->switches + 1, sizeof(*choosing->seen));
	choosing->step = malloc(steps_max(choosing) * sizeof(*choosing->step));
	choosing->best = calloc(places, sizeof(*choosing->best));
	return choosing->node && choosing->sent && choosing->received && choosing->load &&
	       choosing->place && choosing->used && choosing->tried && choosing->seen &&
	       choosing->step && choosing->best;
}

static int check(const struct liquid_choose_options *options, struct liquid_error *err)
{
	uint64_t count = options->count;

	if (!count)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no nodes to choose");
	if (count > options->candidates)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u nodes of %zu candidates",
				   options->count, options->candidates);
	if (options->candidates >= UINT32_MAX || count * count > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "an all-to-all of %u nodes has more than "
				   "%u transfers", options->count, LIQUID_TRANSFERS_MAX);
	return LIQUID_OK;
}

int choosing_open(struct choosing *choosing, const struct liquid_fabric *fabric,
		  const struct liquid_choose_options *options, struct liquid_error *err)
{
	int status = check(options, err);

	*choosing = (struct choosing){
		.fabric = fabric, .nodes = options->candidates, .count = options->count,
		.random = { options->seed }, .limit = options->work ? options->work : WORK_DEFAULT,
		.best_score = { RATIO_NONE, UINT64_MAX },
	};
	if (!status && !choosing_alloc(choosing))
		status = liquid_no_memory(err);
	if (!status)
		status = take_candidates(choosing, options, err);
	if (!status && options->traffic)
		status = take_traffic(choosing, options->traffic, err);
	else if (!status)
		take_alltoall(choosing);
	if (!status && !choosing_classify(choosing))
		status = liquid_no_memory(err);
	return status;
}
