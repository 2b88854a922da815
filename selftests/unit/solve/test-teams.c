// SPDX-License-Identifier: GPL-2.0-only
/*
 * The papers' search: every full team once, whatever is pruned, as many as there
 * are by trying all subsets; and whether a schedule of a length exists, against brute force.
 */
#include "solve/baselines/categories.h"
#include "fixtures.h"
#include "tap.h"

struct problem {
	struct routes *routes;
	struct routes_inverse inverse;
};

static void open_problem(struct problem *problem, const struct liquid_fabric *fabric,
			 const struct liquid_traffic *traffic)
{
	struct liquid_error err;

	must(routes_build(fabric, traffic, &problem->routes, &err), &err);
	if (!routes_invert(problem->routes, &problem->inverse))
		exit(1);
}

static void close_problem(struct problem *problem)
{
	routes_inverse_clear(&problem->inverse);
	routes_free(problem->routes);
}

static struct categories_counts enumerate(const struct problem *problem, bool blank, bool idle,
					  bool skeleton, bool first)
{
	struct budget budget = { .limit = 1000000000, .look = UINT64_MAX };
	struct categories search;
	struct categories_counts counts;

	if (!categories_new(&search, problem->routes, &problem->inverse, &budget))
		exit(1);
	search.options = (struct categories_options){ blank, idle, skeleton, first };
	search.enumerate = true;
	if (categories_search(&search, problem->routes->duration) != CATEGORIES_GO_ON)
		exit(1);
	counts = search.counts;
	categories_clear(&search);
	return counts;
}

/* ---- all subsets ---- */

static bool fits(const struct routes *routes, const uint32_t *used, uint32_t pair)
{
	for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
		if (used[routes->links[i]] >= routes->capacity[routes->links[i]])
			return false;
	return true;
}

/* Is @set (a bit per pair) a simultaneity, full, and a team of the traffic? */
static bool is_full_team(const struct routes *routes, uint32_t set, uint32_t *used)
{
	memset(used, 0, routes->link_count * sizeof(*used));
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		if (!(set >> pair & 1))
			continue;
		if (!fits(routes, used, pair))
			return false;
		for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
			used[routes->links[i]]++;
	}
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		if (!(set >> pair & 1) && fits(routes, used, pair))
			return false;
	for (uint32_t link = 0; link < routes->link_count; link++)
		if (used[link] + routes->capacity[link] * (routes->duration - 1) <
		    routes->load[link])
			return false;
	return true;
}

static uint64_t brute_full_teams(const struct routes *routes)
{
	uint32_t *used = calloc(routes->link_count + 1, sizeof(*used));
	uint64_t count = 0;

	for (uint32_t set = 1; set < 1u << routes->pair_count; set++)
		count += is_full_team(routes, set, used);
	free(used);
	return count;
}

static void test_full_teams(uint64_t seed, uint32_t capacity, const char *what)
{
	struct dice dice = { seed };
	uint32_t right = 0, fewer = 0, rounds = 150;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t hosts = 4 + roll(&dice, 6);
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 2 + roll(&dice, 10));
		struct categories_counts naive, all;
		struct problem problem;
		bool same = true;
		uint64_t brute;

		open_problem(&problem, fabric, traffic);
		brute = brute_full_teams(problem.routes);
		for (unsigned int flags = 0; flags < 16; flags++)
			same &= enumerate(&problem, flags & 1, flags & 2, flags & 4,
					  flags & 8).full_teams == brute;
		naive = enumerate(&problem, false, false, false, true);
		all = enumerate(&problem, true, true, true, true);
		right += same;
		fewer += all.categories <= naive.categories + 1;	/* the body's own root */
		close_problem(&problem);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == rounds, "%s: as many full teams as by all subsets, whatever is pruned", what);
	ok(fewer >= rounds * 9 / 10, "%s: pruning goes through fewer categories", what);
}

/* ---- the list ---- */

struct listed {
	const struct routes *routes;
	uint32_t *used;
	uint32_t sets[4096], count;	/* a bit per pair */
	bool sound;			/* all so far are full teams */
	uint32_t stop_at;		/* 0: never */
};

static uint32_t pair_of(const struct routes *routes, const struct liquid_transfer *transfer)
{
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		if (routes->pairs[pair].src == transfer->src &&
		    routes->pairs[pair].dst == transfer->dst)
			return pair;
	exit(1);
}

static int take_team(void *context, const struct liquid_transfer *transfers, size_t count)
{
	struct listed *listed = context;
	uint32_t set = 0;

	for (size_t i = 0; i < count; i++)
		set |= 1u << pair_of(listed->routes, &transfers[i]);
	for (uint32_t i = 0; i < listed->count; i++)
		listed->sound &= listed->sets[i] != set;
	listed->sound &= is_full_team(listed->routes, set, listed->used);
	listed->sets[listed->count++] = set;
	return listed->count == listed->stop_at || listed->count == 4096;
}

static void open_listed(struct listed *listed, const struct routes *routes, uint32_t stop_at)
{
	*listed = (struct listed){ .routes = routes, .sound = true, .stop_at = stop_at,
				   .used = calloc(routes->link_count + 1, sizeof(uint32_t)) };
	if (!listed->used)
		exit(1);
}

/* As many as by all subsets, none twice, all of them full teams; and the counts agree. */
static bool lists_all(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      const struct routes *routes)
{
	struct liquid_teams teams = { 0 };
	uint64_t brute = brute_full_teams(routes);
	struct listed listed;
	struct liquid_error err;

	open_listed(&listed, routes, 0);
	must(liquid_list_teams(fabric, traffic, false, 0, take_team, &listed, &teams, &err), &err);
	free(listed.used);
	return listed.sound && listed.count == brute && teams.full_teams == brute &&
	       teams.full_simultaneities >= brute && teams.ended[LIQUID_TEAMS_NAIVE] &&
	       teams.categories[LIQUID_TEAMS_BLANK] <= teams.categories[LIQUID_TEAMS_NAIVE];
}

static void test_list(uint64_t seed, uint32_t capacity, const char *what)
{
	struct dice dice = { seed };
	uint32_t right = 0, refused = 0, rounds = 100;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t hosts = 4 + roll(&dice, 6);
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 2 + roll(&dice, 10));
		struct liquid_teams teams = { 0 };
		struct liquid_error err;
		struct problem problem;

		open_problem(&problem, fabric, traffic);
		if (problem.routes->whole)
			refused += liquid_list_teams(fabric, traffic, false, 0, NULL, NULL, &teams,
						     &err) == LIQUID_BAD_INPUT;
		else
			right += lists_all(fabric, traffic, problem.routes);
		close_problem(&problem);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right + refused == rounds && right > rounds / 2,
	   "%s: the list has each full team once, and nothing else", what);
}

static void test_list_limits(void)
{
	struct liquid_teams teams = { 0 };
	struct liquid_fabric *fabric = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct listed listed;
	struct liquid_error err;
	struct problem problem;

	open_problem(&problem, fabric, traffic);
	must(liquid_list_teams(fabric, traffic, false, 0, NULL, NULL, &teams, &err), &err);
	ok(!teams.full_teams && teams.full_simultaneities == 3 && teams.skeleton == 3 &&
	   teams.duration == 2,
	   "three transfers of which no two fit: no team, three simultaneities");
	open_listed(&listed, problem.routes, 2);
	ok(liquid_list_teams(fabric, traffic, true, 0, take_team, &listed, &teams, &err) ==
	   LIQUID_CANCELLED && listed.count == 2, "a report cancels the list");
	free(listed.used);
	must(liquid_list_teams(fabric, traffic, false, 1, NULL, NULL, &teams, &err), &err);
	ok(!teams.ended[LIQUID_TEAMS_NAIVE] && !teams.ended[LIQUID_TEAMS_SKELETON],
	   "with work for nothing no search ends");
	close_problem(&problem);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- schedules ---- */

/* 1: found, 0: refuted, -1: neither */
static int search_length(const struct problem *problem, uint32_t frames, bool pruned, bool shuffled)
{
	struct budget budget = { .limit = 1000000000, .look = UINT64_MAX };
	struct categories search;
	enum categories_outcome outcome;

	if (!categories_new(&search, problem->routes, &problem->inverse, &budget))
		exit(1);
	search.options = (struct categories_options){ pruned, pruned, pruned, !pruned };
	search.shuffled = shuffled;
	outcome = categories_search(&search, frames);
	categories_clear(&search);
	return outcome == CATEGORIES_FOUND ? 1 : outcome == CATEGORIES_GO_ON ? 0 : -1;
}

static void test_lengths(uint64_t seed, uint32_t capacity, const char *what)
{
	struct dice dice = { seed };
	uint32_t found = 0, refuted = 0, rounds = 200;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t hosts = 4 + roll(&dice, 6), shortest;
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 2 + roll(&dice, 8));
		struct problem problem;

		open_problem(&problem, fabric, traffic);
		shortest = brute_length(fabric, traffic);
		found += search_length(&problem, shortest, true, false) == 1 &&
			search_length(&problem, shortest, true, true) == 1 &&
			search_length(&problem, shortest, false, false) == 1;
		refuted += shortest == 1 ||
			(search_length(&problem, shortest - 1, true, false) == 0 &&
			 search_length(&problem, shortest - 1, true, true) == 0 &&
			 search_length(&problem, shortest - 1, false, false) == 0);
		close_problem(&problem);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(found == rounds, "%s: the shortest length is found, with pruning and without", what);
	ok(refuted == rounds, "%s: one frame less is refuted, with pruning and without", what);
}

static void test_published(void)
{
	struct liquid_solve_options options = { .method = "teams" };
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule;
	struct liquid_error err;

	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	ok(liquid_schedule_info(schedule)->length == 48 &&
	   liquid_schedule_info(schedule)->certificate == LIQUID_CERT_LIQUID,
	   "teams: swiss-t1 whole in 48 frames");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);

	fabric = make_triangle(1);
	traffic = triangle_traffic(1);
	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	ok(liquid_schedule_info(schedule)->length == 3 &&
	   liquid_schedule_info(schedule)->certificate == LIQUID_CERT_OPTIMAL &&
	   strstr(liquid_schedule_info(schedule)->witness_json, "search"),
	   "teams: proves that the three transfers without a team have no liquid schedule");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* Nodes behind each of the eight switches; one search alone goes astray in these. */
static void test_restarts(const uint32_t *behind, const char *what)
{
	struct liquid_solve_options options = { .method = "teams" };
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	uint32_t from[32], to[32], count = 0;
	struct liquid_schedule *schedule;
	struct liquid_traffic *traffic;
	struct liquid_error err;
	char name[8];

	for (uint32_t i = 0; i < 32; i++) {
		if (i % 4 >= behind[i / 4])
			continue;
		snprintf(name, sizeof(name), "t%u", i + 1);
		from[count] = liquid_fabric_find_host(fabric, name);
		snprintf(name, sizeof(name), "r%u", i + 1);
		to[count++] = liquid_fabric_find_host(fabric, name);
	}
	must(liquid_traffic_cross(from, count, to, count, &traffic, &err), &err);
	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	ok(liquid_schedule_info(schedule)->certificate == LIQUID_CERT_LIQUID, "teams: %s", what);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	static const uint32_t nodes_21[] = { 2, 2, 3, 2, 3, 4, 2, 3 };
	static const uint32_t nodes_22[] = { 1, 3, 3, 2, 4, 4, 2, 3 };


	test_full_teams(21, 1, "capacity 1");
	test_full_teams(22, 3, "capacities 1 to 3");
	test_list(25, 1, "capacity 1");
	test_list(26, 3, "capacities 1 to 3");
	test_list_limits();
	test_lengths(23, 1, "capacity 1");
	test_lengths(24, 3, "capacities 1 to 3");
	test_published();
	test_restarts(nodes_21, "21 nodes of swiss-t1 in 22 frames, after starting over");
	test_restarts(nodes_22, "22 nodes of swiss-t1 in 24 frames, after starting over");
	return tap_exit();
}
