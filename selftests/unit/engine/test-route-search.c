// SPDX-License-Identifier: GPL-2.0-only
/* Searches of routes: ways by colours, routes with a schedule, and what a lost cable costs. */
#include "fixtures.h"
#include "problem/random.h"
#include "route-fixtures.h"
#include "route/routing.h"
#include "tap.h"

static struct liquid_error err;

/* ---- permutations on trees of switches ---- */

static struct liquid_traffic *permutation(struct random *random, uint32_t hosts)
{
	struct liquid_traffic *traffic;
	uint32_t *to = calloc(hosts, sizeof(*to));

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < hosts; i++)
		to[i] = i;
	for (uint32_t i = hosts; i > 1; i--) {
		uint32_t j = random_below(random, i), other = to[j];

		to[j] = to[i - 1];
		to[i - 1] = other;
	}
	for (uint32_t i = 0; i < hosts; i++)
		if (to[i] != i)
			must(liquid_traffic_add(traffic, i, to[i], 1, &err), &err);
	free(to);
	return traffic;
}

/* Draws of permutations that get routes with a load of 1, which a search does not find */
static uint32_t count_liquid(const struct liquid_fabric *fabric, uint32_t cases, uint64_t *moves)
{
	struct random random = { 5 };
	uint32_t right = 0;

	*moves = 0;
	for (uint32_t i = 0; i < cases; i++) {
		struct liquid_traffic *traffic;
		struct liquid_route_options options = { 0 };
		struct liquid_routing *routing;

		traffic = permutation(&random, liquid_fabric_host_count(fabric));
		options.traffic = traffic;
		must(liquid_route(fabric, &options, &routing, &err), &err);
		right += routing->load == 1 && greatest_load(routing->fabric, traffic) == 1 &&
			 !has_circle(routing->fabric);
		*moves += routing_of(routing)->moves;
		liquid_routing_free(routing);
		liquid_traffic_free(traffic);
	}
	return right;
}

static void test_colours(void)
{
	static const struct {
		const char *name, *generator, *params[3];
		uint32_t count;
	} rows[] = {
		{ "fat tree of 16 hosts", "fat-tree", { "k=4" }, 1 },
		{ "fat tree of 128 hosts", "fat-tree", { "k=8" }, 1 },
		{ "leaf-spine of 32 hosts", "leaf-spine",
		  { "leaves=8", "hosts=4", "spines=4" }, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct liquid_fabric *fabric = make_fabric(rows[i].generator, rows[i].params,
							   rows[i].count);
		uint32_t cases = draws(12), right;
		uint64_t moves;

		right = count_liquid(fabric, cases, &moves);
		ok(right == cases && !moves,
		   "%s: %u of %u permutations have a load of 1, after a search of %" PRIu64
		   " moves", rows[i].name, right, cases, moves);
		liquid_fabric_free(fabric);
	}
}

/* Without a cable there are no such colours, but routes. */
static void test_no_colours(void)
{
	struct liquid_fabric *fabric = make_fabric("fat-tree", (const char *[]){ "k=4" }, 1), *rest;
	uint32_t hosts = liquid_fabric_host_count(fabric), cables = 0, right = 0;
	struct random random = { 6 };

	for (uint32_t i = 0; i < liquid_fabric_link_count(fabric); i++) {
		struct liquid_traffic *traffic = permutation(&random, hosts);
		struct liquid_route_options options = {
			.traffic = traffic, .work = 10000,
		};
		struct liquid_routing *routing;

		if (liquid_fabric_link(fabric, i)->from >= hosts &&
		    liquid_fabric_link(fabric, i)->to >= hosts) {
			rest = without(fabric, i);
			must(liquid_route(rest, &options, &routing, &err), &err);
			cables++;
			right += greatest_load(routing->fabric, traffic) == routing->load &&
				 routing->load <= 2 && !has_circle(routing->fabric);
			liquid_routing_free(routing);
			liquid_fabric_free(rest);
		}
		liquid_traffic_free(traffic);
	}
	ok(cables == 64 && right == cables, "fat tree without a cable: loads of at most 2 for "
	   "%u permutations of %u", right, cables);
	liquid_fabric_free(fabric);
}

/* ---- routes and a schedule in one ---- */

/* A schedule for the routes that it came with, and the report on both */
static bool is_joint(const struct liquid_routing *routing, const struct liquid_traffic *traffic)
{
	uint32_t length = info_of(routing->schedule)->length;

	return verifies(routing->fabric, traffic, routing->schedule) &&
	       greatest_load(routing->fabric, traffic) == routing->load &&
	       routing->load <= length && routing->least <= routing->load &&
	       !has_circle(routing->fabric);
}

static void test_joint_random(void)
{
	struct random random = { 7 };
	uint32_t cases = draws(8), right = 0;

	for (uint32_t i = 0; i < cases; i++) {
		struct liquid_fabric *fabric = make_mesh(&random, 12, 7, 4);
		struct liquid_traffic *traffic = all_to_all(fabric);
		struct liquid_route_options options = {
			.traffic = traffic, .lanes = 1 + i % 3,
			.work = 3000,
		};
		struct liquid_schedule *schedule;
		struct liquid_routing *routing;
		uint32_t length;

		must(liquid_route(fabric, &options, &routing, &err), &err);
		schedule = solve(routing->fabric, traffic);
		length = info_of(schedule)->length;
		liquid_schedule_free(schedule);
		liquid_routing_free(routing);
		options.schedule = true;
		must(liquid_route(fabric, &options, &routing, &err), &err);
		right += is_joint(routing, traffic) && info_of(routing->schedule)->length <= length;
		liquid_routing_free(routing);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == cases, "routes with a schedule: %u of %u are valid, and none is longer than "
	   "one for given routes", right, cases);
}

/* Where solve finds 38 frames for the routes that are found first */
static void test_joint_torus(void)
{
	struct liquid_fabric *fabric = make_fabric("torus", (const char *[]){ "size=6x6" }, 1);
	struct liquid_fabric *less = without(fabric, 80), *rest = without(less, 150);
	struct liquid_traffic *traffic = all_to_all(rest);
	struct liquid_route_options options = {
		.traffic = traffic, .lanes = 4, .work = 100000,
		.schedule = true,
	};
	struct liquid_routing *routing;
	uint32_t length;

	must(liquid_route(rest, &options, &routing, &err), &err);
	length = info_of(routing->schedule)->length;
	ok(is_joint(routing, traffic) && length == 37,
	   "6x6 torus without two cables: routes and a schedule of %u frames", length);
	liquid_routing_free(routing);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	liquid_fabric_free(less);
	liquid_fabric_free(rest);
}

/* ---- routes of before ---- */

struct repairs {
	uint32_t cables, found, moved;
	uint64_t moves;			/* the most of a search */
};

/* Routes of before by which nothing was sent over @cable are as they were. */
static bool keeps(const struct liquid_fabric *before, const struct liquid_fabric *after,
		  uint32_t cable, uint32_t dst)
{
	uint32_t old[LIQUID_PATH_MAX], now[LIQUID_PATH_MAX];
	const struct liquid_link *lost = liquid_fabric_link(before, cable);
	bool used = false, same = true;

	for (uint32_t src = 0; src < liquid_fabric_host_count(before); src++) {
		int links = src == dst ? 0 : liquid_fabric_route(before, src, dst, old, &err);
		int more = src == dst ? 0 : liquid_fabric_route(after, src, dst, now, &err);

		same &= links == more;
		for (int i = 0; i < links && i < more; i++) {
			const struct liquid_link *at = liquid_fabric_link(before, old[i]);

			used |= (at->from == lost->from && at->to == lost->to) ||
				(at->from == lost->to && at->to == lost->from);
			same &= at->to == liquid_fabric_link(after, now[i])->to;
		}
	}
	return used || same;
}

/* All that live are kept, or none, where some host would have no way */
static bool is_kept(const struct liquid_fabric *before, const struct liquid_routing *routing,
		    uint32_t cable)
{
	uint32_t hosts = liquid_fabric_host_count(before), kept = 0;

	for (uint32_t dst = 0; dst < hosts; dst++)
		kept += keeps(before, routing->fabric, cable, dst);
	return kept == hosts || routing->moved == hosts;
}

static void lose(const struct liquid_fabric *before, const struct liquid_traffic *traffic,
		 uint32_t cable, struct repairs *repairs)
{
	struct liquid_fabric *rest = without(before, cable);
	struct liquid_route_options options = {
		.traffic = traffic, .from = before,
	};
	struct liquid_routing *routing;

	repairs->cables++;
	if (liquid_route(rest, &options, &routing, &err)) {
		printf("# cable %u: %s\n", cable, err.text);
	} else {
		repairs->found += greatest_load(routing->fabric, traffic) == routing->load &&
				  !has_circle(routing->fabric) && is_kept(before, routing, cable);
		repairs->moved += routing->moved;
		if (routing_of(routing)->moves > repairs->moves)
			repairs->moves = routing_of(routing)->moves;
		liquid_routing_free(routing);
	}
	liquid_fabric_free(rest);
}

/* Each @step-th cable of a torus is lost, in turn. */
static void lose_all(const char *size, uint32_t lanes, uint32_t step, struct repairs *repairs)
{
	struct liquid_fabric *fabric = make_fabric("torus", &size, 1);
	struct liquid_traffic *traffic = all_to_all(fabric);
	struct liquid_route_options options = {
		.traffic = traffic, .lanes = lanes, .work = 100000,
	};
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct liquid_routing *routing;

	*repairs = (struct repairs){ 0 };
	must(liquid_route(fabric, &options, &routing, &err), &err);
	for (uint32_t i = 0; i < liquid_fabric_link_count(fabric); i += step)
		if (liquid_fabric_link(fabric, i)->from >= hosts &&
		    liquid_fabric_link(fabric, i)->to >= hosts)
			lose(routing->fabric, traffic, i, repairs);
	liquid_routing_free(routing);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/*
 * Packets are lost until there are new tables. 300,000 moves take 0.2 s of CPU time; a count is the
 * same on every machine.
 */
#define REPAIR_MOVES 300000

static void test_lost_cables(void)
{
	static const struct {
		const char *size;
		uint32_t lanes, step;
	} rows[] = { { "size=5x5", 1, 6 }, { "size=5x5", 3, 6 }, { "size=8x8", 4, 24 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct repairs repairs;

		lose_all(rows[i].size, rows[i].lanes, rows[i].step, &repairs);
		ok(repairs.cables && repairs.found == repairs.cables,
		   "torus %s, %u lanes: routes around %u of %u lost cables, no others changed",
		   rows[i].size, rows[i].lanes, repairs.found, repairs.cables);
		ok(repairs.moves && repairs.moves <= REPAIR_MOVES,
		   "and at most %" PRIu64 " moves are tried", repairs.moves);
		printf("# routes to %.1f hosts change, on average\n",
		       (double)repairs.moved / repairs.cables);
	}
}

int main(void)
{
	test_colours();
	test_no_colours();
	test_joint_random();
	test_joint_torus();
	test_lost_cables();
	return tap_exit();
}
