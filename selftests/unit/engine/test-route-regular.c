// SPDX-License-Identifier: GPL-2.0-only
/* Routes that keep a fabric's translations: which these are, and how long the schedules become. */
#include <stdlib.h>
#include <string.h>

#include "fixtures.h"
#include "problem/random.h"
#include "route/graph.h"
#include "tap.h"

static struct liquid_error err;

static void shuffle(struct random *random, uint32_t *order, uint32_t from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		order[from + i] = from + i;
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j = random_below(random, i), other = order[from + j];

		order[from + j] = order[from + i - 1];
		order[from + i - 1] = other;
	}
}

/* The same fabric without tables, with nodes and links in any order, and without cable @lost */
static struct liquid_fabric *shuffled(const struct liquid_fabric *fabric, uint64_t seed,
				      uint32_t lost)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), links = liquid_fabric_link_count(fabric);
	uint32_t nodes = hosts + liquid_fabric_switch_count(fabric);
	uint32_t *node = calloc(nodes + 1, sizeof(*node)), *link = calloc(links + 1, sizeof(*link));
	const struct liquid_link *gone = lost < links ? liquid_fabric_link(fabric, lost) : NULL;
	struct random random = { .state = seed };
	struct liquid_fabric *to;
	char name[32];

	must(liquid_fabric_new("shuffled", &to, &err), &err);
	for (uint32_t i = 0; i < nodes; i++) {
		snprintf(name, sizeof(name), i < hosts ? "h%u" : "s%u", i);
		must(i < hosts ? liquid_fabric_add_host(to, name, &err) :
				 liquid_fabric_add_switch(to, name, &err), &err);
	}
	shuffle(&random, node, 0, hosts);
	shuffle(&random, node, hosts, nodes - hosts);
	shuffle(&random, link, 0, links);
	for (uint32_t i = 0; i < links; i++) {
		struct liquid_link at = *liquid_fabric_link(fabric, link[i]);

		if (gone && ((at.from == gone->from && at.to == gone->to) ||
			     (at.from == gone->to && at.to == gone->from)))
			continue;
		at.from = node[at.from];
		at.to = node[at.to];
		must(liquid_fabric_add_link(to, &at, &err), &err);
	}
	must(liquid_fabric_finish(to, &err), &err);
	free(node);
	free(link);
	return to;
}

static struct liquid_fabric *make_shuffled(const char *name, const char *const *params,
					   size_t count, uint64_t seed)
{
	struct liquid_fabric *fabric = make_fabric(name, params, count);
	struct liquid_fabric *other = shuffled(fabric, seed, LIQUID_NONE);

	liquid_fabric_free(fabric);
	return other;
}

/* ---- translations ---- */

static bool same_links(const struct route_graph *graph, const uint32_t *at)
{
	uint32_t n = graph->switches;
	int64_t *links = calloc((size_t)n * n + 1, sizeof(*links));
	bool same = true;

	for (uint32_t arc = 0; arc < graph->arcs; arc++) {
		links[(size_t)graph->from[arc] * n + graph->to[arc]]++;
		links[(size_t)at[graph->from[arc]] * n + at[graph->to[arc]]]--;
	}
	for (size_t i = 0; i < (size_t)n * n; i++)
		same &= !links[i];
	for (uint32_t s = 0; s < n; s++)
		same &= graph->senders[s] == graph->senders[at[s]];
	free(links);
	return same;
}

/* All keep the links, none but the first fixes a switch, and any two commute. */
static bool are_translations(const struct route_graph *graph, const struct translations *found)
{
	uint32_t n = graph->switches;
	bool right = found->count > 0;

	for (uint32_t g = 0; g < found->count; g++) {
		const uint32_t *a = &found->at[(size_t)g * n];

		right &= same_links(graph, a);
		for (uint32_t s = 0; s < n; s++)
			right &= (a[s] == s) == !g;
		for (uint32_t h = 0; h < g; h++) {
			const uint32_t *b = &found->at[(size_t)h * n];

			for (uint32_t s = 0; s < n; s++)
				right &= a[b[s]] == b[a[s]];
		}
	}
	return right;
}

static void check_translations(const char *what, struct liquid_fabric *fabric, uint32_t least,
			       uint32_t most)
{
	struct route_graph graph;
	struct translations found;

	if (!route_graph_open(&graph, fabric) || !route_graph_translations(&graph, &found))
		exit(1);
	ok(are_translations(&graph, &found) && found.count >= least && found.count <= most,
	   "%s: %u translations", what, found.count);
	translations_clear(&found);
	route_graph_close(&graph);
	liquid_fabric_free(fabric);
}

static void test_translations(void)
{
	struct liquid_fabric *torus = make_fabric("torus", (const char *[]){ "size=6x5" }, 1);
	uint32_t cable = 0;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		check_translations("8x8 torus, shuffled",
				   make_shuffled("torus", (const char *[]){ "size=8x8" }, 1, seed),
				   64, 64);
		check_translations("4x4x4 torus, shuffled",
				   make_shuffled("torus", (const char *[]){ "size=4x4x4" }, 1,
						 seed), 64, 64);
		check_translations("dragonfly of 9 groups, shuffled",
				   make_shuffled("dragonfly", NULL, 0, seed), 9, 36);
	}
	while (liquid_fabric_link(torus, cable)->from < 30 ||
	       liquid_fabric_link(torus, cable)->to < 30)
		cable++;
	check_translations("6x5 torus", shuffled(torus, 4, LIQUID_NONE), 30, 30);
	check_translations("6x5 torus without a cable", shuffled(torus, 5, cable), 1, 2);
	liquid_fabric_free(torus);
}

/* ---- routes ---- */

static uint32_t length_on(const struct liquid_fabric *fabric)
{
	struct liquid_solve_options options = { .work = 100000000 };
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule;
	uint32_t length;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	length = (uint32_t)liquid_schedule_info(schedule)->length;
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	return length;
}

static bool has_circle(const struct liquid_fabric *fabric)
{
	uint32_t *circle = NULL, count = 0;
	int found = liquid_fabric_find_circle(fabric, &circle, &count, &err);

	free(circle);
	return found != 0;
}

static void check_routes(const char *what, struct liquid_fabric *fabric, uint32_t lanes,
			 double load, uint32_t length)
{
	struct liquid_route_options options = { .lanes = lanes };
	struct liquid_routing *routing;
	uint32_t frames;

	must(liquid_route(fabric, &options, &routing, &err), &err);
	frames = length_on(routing->fabric);
	ok(routing->load <= load && frames <= length && !has_circle(routing->fabric),
	   "%s, %u lanes: load %.6g, length %u", what, lanes, routing->load, frames);
	liquid_routing_free(routing);
	liquid_fabric_free(fabric);
}

static void test_routes(void)
{
	for (uint64_t seed = 11; seed <= 12; seed++) {
		check_routes("8x8 torus, shuffled",
			     make_shuffled("torus", (const char *[]){ "size=8x8" }, 1, seed), 4, 64,
			     64);
		check_routes("4x4x4 torus of 128 hosts, shuffled",
			     make_shuffled("torus", (const char *[]){ "size=4x4x4", "hosts=2" }, 2,
					   seed), 4, 128, 128);
		check_routes("5x5x5 torus, shuffled",
			     make_shuffled("torus", (const char *[]){ "size=5x5x5" }, 1, seed), 8,
			     124, 124);
		check_routes("dragonfly of 72 hosts, shuffled",
			     make_shuffled("dragonfly", NULL, 0, seed), 4, 73, 76);
	}
}

int main(void)
{
	test_translations();
	test_routes();
	return tap_exit();
}
