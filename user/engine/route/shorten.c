// SPDX-License-Identifier: LGPL-2.1-or-later
/* A schedule for the routes that were found, and routes that shorten it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "route/joint.h"
#include "route/routing.h"
#include "solve/given.h"

#define MOVES_PER_TRANSFER 250

struct shorten {
	struct routing *routing;
	const struct liquid_traffic *traffic;
	struct liquid_traffic *own;	/* or NULL: it is the caller's */
	struct forest forest;
	struct lanes lanes;
	uint32_t *tree;			/* by host */
	uint32_t *frame;		/* by transfer, in the order of the traffic */
	uint32_t transfers, length;
};

/* ---- from the routes and the schedule ---- */

static int take_traffic(struct shorten *shorten)
{
	struct routing *routing = shorten->routing;
	int status;

	shorten->traffic = routing->options->traffic;
	if (shorten->traffic)
		return LIQUID_OK;
	status = liquid_traffic_alltoall(NULL, routing->graph.hosts, &shorten->own, routing->err);
	shorten->traffic = shorten->own;
	return status;
}

/* The demand of the forest is not needed, except for its loads in the end. */
static void take_demand(struct shorten *shorten)
{
	const struct route_graph *graph = &shorten->routing->graph;
	const struct liquid_pair *pair = liquid_traffic_pairs(shorten->traffic);
	struct forest *forest = &shorten->forest;

	for (size_t i = 0; i < liquid_traffic_pair_count(shorten->traffic); i++) {
		uint32_t tree = shorten->tree[pair[i].dst], s = graph->source[pair[i].src];

		if (tree != LIQUID_NONE && s != LIQUID_NONE && s != graph->home[pair[i].dst])
			forest->own[forest_place(forest, tree, s)] += pair[i].count;
	}
}

static int take_forest(struct shorten *shorten)
{
	struct routing *routing = shorten->routing;
	const struct route_graph *graph = &routing->graph;
	struct forest *forest = &shorten->forest;

	shorten->tree = calloc((size_t)graph->hosts + 1, sizeof(*shorten->tree));
	if (!shorten->tree || !lanes_open(&shorten->lanes, graph, routing->shown.lanes) ||
	    !forest_open(forest, graph, &shorten->lanes, routing->trees))
		return liquid_no_memory(shorten->routing->err);
	shorten->lanes.circles = routing->options->circles;
	memset(shorten->tree, 0xff, graph->hosts * sizeof(*shorten->tree));
	for (uint32_t tree = 0; tree < routing->trees; tree++) {
		shorten->tree[routing->host[tree]] = tree;
		forest->root[tree] = graph->home[routing->host[tree]];
		forest->lane[tree] = routing->lane[routing->host[tree]];
	}
	take_demand(shorten);
	memcpy(forest->next, routing->next,
	       forest_place(forest, forest->trees, 0) * sizeof(*forest->next));
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		forest_plant(forest, tree);	/* has no circle, as before */
	return LIQUID_OK;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct liquid_pair *one = a, *other = b;

	if (one->src != other->src)
		return one->src < other->src ? -1 : 1;
	return one->dst < other->dst ? -1 : one->dst > other->dst;
}

static int take_frames(struct shorten *shorten)
{
	const struct liquid_schedule *schedule = shorten->routing->shown.schedule;
	const struct liquid_pair *pair = liquid_traffic_pairs(shorten->traffic), *at;
	size_t pairs = liquid_traffic_pair_count(shorten->traffic), count;
	uint32_t *next = calloc(pairs + 1, sizeof(*next));	/* by pair: its next transfer */

	for (size_t i = 0; next && i < pairs; i++)
		next[i + 1] = next[i] + pair[i].count;
	shorten->transfers = next ? next[pairs] : 0;
	shorten->frame = calloc((size_t)shorten->transfers + 1, sizeof(*shorten->frame));
	if (!next || !shorten->frame) {
		free(next);
		return liquid_no_memory(shorten->routing->err);
	}
	shorten->length = liquid_schedule_info(schedule)->length;
	for (uint32_t frame = 0; frame < shorten->length; frame++) {
		const struct liquid_transfer *transfer;

		transfer = liquid_schedule_frame(schedule, frame, &count);
		for (size_t i = 0; i < count; i++) {
			struct liquid_pair key = { transfer[i].src, transfer[i].dst, 0 };

			at = bsearch(&key, pair, pairs, sizeof(*pair), compare_pairs);
			shorten->frame[next[at - pair]++] = frame;
		}
	}
	free(next);
	return LIQUID_OK;
}

/* ---- and back ---- */

static int give_back(struct shorten *shorten)
{
	struct routing *routing = shorten->routing;
	const struct forest *forest = &shorten->forest;
	const struct liquid_solve_options options = {
		.method = "route", .seed = routing->options->seed,
	};
	int status;

	memcpy(routing->next, forest->next,
	       forest_place(forest, forest->trees, 0) * sizeof(*routing->next));
	routing->switches_load = forest_most(forest, &routing->busiest);
	routing->hops = 0;
	for (uint32_t arc = 0; arc < forest->graph->arcs; arc++)
		routing->hops += forest->load[arc];
	liquid_schedule_free(routing->shown.schedule);
	routing->shown.schedule = NULL;
	liquid_fabric_free(routing->shown.fabric);
	routing->shown.fabric = NULL;
	status = routing_make_fabric(routing);
	if (!status)
		status = solve_given(routing->shown.fabric, shorten->traffic, shorten->frame,
				     shorten->length, &options, &routing->shown.schedule,
				     routing->err);
	return status;
}

static int work(struct shorten *shorten, double least)
{
	struct routing *routing = shorten->routing;
	uint32_t before;
	struct joint_options options = {
		.traffic = shorten->traffic,
		.stretch = routing->options->stretch ? &routing->stretch : NULL,
		.least = (uint32_t)ceil(least - 1e-9), .seed = routing->options->seed,
	};
	int status = take_forest(shorten);

	if (!status)
		status = take_frames(shorten);
	if (status)
		return status;
	before = shorten->length;
	options.tree = shorten->tree;
	options.moves = routing->options->work ? routing->options->work :
			(uint64_t)shorten->transfers * MOVES_PER_TRANSFER;
	if (!joint_run(&shorten->forest, &options, shorten->frame, &shorten->length))
		return liquid_no_memory(shorten->routing->err);
	return shorten->length < before ? give_back(shorten) : LIQUID_OK;
}

int routing_shorten(struct routing *routing, double least)
{
	struct liquid_solve_options options = {
		.seed = routing->options->seed,
	};
	struct shorten shorten = { .routing = routing };
	int status = take_traffic(&shorten);

	if (!status)
		status = liquid_solve(routing->shown.fabric, shorten.traffic, &options,
				      &routing->shown.schedule, routing->err);
	if (!status && liquid_schedule_info(routing->shown.schedule)->length > least)
		status = work(&shorten, least);
	forest_close(&shorten.forest);
	lanes_close(&shorten.lanes);
	free(shorten.tree);
	free(shorten.frame);
	liquid_traffic_free(shorten.own);
	return status;
}
