// SPDX-License-Identifier: GPL-2.0-only
/* Routes for a traffic: loads, circles and bounds, each against its own computation. */
#include <math.h>
#include <string.h>

#include "fabric/fabric.h"
#include "problem/random.h"
#include "route/forest.h"
#include "route/grow.h"
#include "route-fixtures.h"
#include "tap.h"

static struct liquid_error err;

/* ---- the forest: what it keeps up to date, computed anew ---- */

static bool same_loads(const struct forest *forest)
{
	const struct route_graph *graph = forest->graph;
	uint64_t *load = calloc((size_t)graph->arcs + 1, sizeof(*load));
	bool same = true;

	for (uint32_t tree = 0; tree < forest->trees; tree++)
		for (uint32_t from = 0; from < graph->switches; from++) {
			const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];

			for (uint32_t s = from; next[s] != LIQUID_NONE; s = graph->to[next[s]])
				load[next[s]] += forest->own[forest_place(forest, tree, from)];
		}
	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		same &= load[arc] == forest->load[arc];
	free(load);
	return same;
}

/* The dependencies of all ways of hosts are those that are counted, and each goes forward. */
static bool same_dependencies(const struct forest *forest)
{
	const struct route_graph *graph = forest->graph;
	const struct lanes *lanes = forest->lanes;
	uint32_t all = lanes->lanes * lanes->dependencies, *base = lanes->base;
	uint32_t *count = calloc((size_t)all + 1, sizeof(*count));
	bool *seen = calloc((size_t)all + 1, sizeof(*seen));
	bool same = true;

	for (uint32_t tree = 0; tree < forest->trees; tree++) {
		const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];

		memset(seen, 0, all * sizeof(*seen));
		for (uint32_t from = 0; from < graph->switches; from++) {
			if (!graph->senders[from])
				continue;
			for (uint32_t arc = next[from]; arc != LIQUID_NONE;) {
				uint32_t then = next[graph->to[arc]], which;

				if (then == LIQUID_NONE)
					break;
				which = forest->lane[tree] * lanes->dependencies + base[arc] +
					then - graph->first[graph->to[arc]];
				count[which] += !seen[which];
				seen[which] = true;
				same &= lanes->lane[forest->lane[tree]].place[arc] <
					lanes->lane[forest->lane[tree]].place[then];
				arc = then;
			}
		}
	}
	for (uint32_t i = 0; i < all; i++)
		same &= count[i] == lanes->lane[i / lanes->dependencies]
					    .count[i % lanes->dependencies];
	free(count);
	free(seen);
	return same;
}

static void grow_all(struct forest *forest, uint32_t lanes)
{
	const struct route_graph *graph = forest->graph;
	struct grow grow;

	for (uint32_t tree = 0; tree < forest->trees; tree++) {
		forest->root[tree] = graph->home[tree];
		forest->lane[tree] = (uint8_t)(tree % lanes);
		for (uint32_t host = 0; host < graph->hosts; host++)
			if (graph->source[host] != graph->home[tree])
				forest->own[forest_place(forest, tree, graph->source[host])]++;
	}
	if (!grow_open(&grow, forest, true))
		exit(1);
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		if (grow_tree(&grow, tree) != LIQUID_NONE)
			exit(1);
	grow_end(&grow);
	grow_close(&grow);
}

static void test_forest(void)
{
	struct random random = { 1 };
	uint32_t cases = draws(40), right = 0, moved = 0, refused = 0, felled = 0;

	for (uint32_t i = 0; i < cases; i++) {
		struct liquid_fabric *fabric = make_mesh(&random, 12, 8, 6);
		struct route_graph graph;
		struct forest forest;
		struct lanes lanes;
		bool same;

		if (!route_graph_open(&graph, fabric) || !lanes_open(&lanes, &graph, 1 + i % 3) ||
		    !forest_open(&forest, &graph, &lanes, graph.hosts))
			exit(1);
		grow_all(&forest, 1 + i % 3);
		same = same_loads(&forest) && same_dependencies(&forest);
		for (uint32_t k = 0; k < 200; k++) {
			uint32_t arc = random_below(&random, graph.arcs);
			uint32_t tree = random_below(&random, forest.trees);

			if (graph.from[arc] == forest.root[tree])
				continue;
			if (forest_move(&forest, tree, arc))
				moved++;
			else
				refused++;
			if (k % 50 == 49) {
				forest_fell(&forest, tree);
				felled += forest_plant(&forest, tree);
			}
			if (k % 20 == 0)
				same &= same_loads(&forest) && same_dependencies(&forest);
		}
		right += same && same_loads(&forest) && same_dependencies(&forest);
		forest_close(&forest);
		lanes_close(&lanes);
		route_graph_close(&graph);
		liquid_fabric_free(fabric);
	}
	printf("# %u moves, %u refused, %u trees planted again\n", moved, refused, felled);
	ok(right == cases && moved > cases && refused > cases && felled,
	   "forest: loads and dependencies are those of all ways, after any moves: %u of %u", right,
	   cases);
}

/* ---- whole routes ---- */

/* The most that any set of switches sends to the others, by the capacity of the links to these */
static double best_cut(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t sets = 1u << liquid_fabric_switch_count(fabric);
	double best = 0;

	for (uint32_t set = 1; set < sets - 1; set++) {
		uint32_t within = 0, capacity = 0;

		for (uint32_t i = 0; i < liquid_fabric_link_count(fabric); i++) {
			const struct liquid_link *link = liquid_fabric_link(fabric, i);

			if (link->from < hosts)
				within += set >> (link->to - hosts) & 1;
			else if (link->to >= hosts && (set >> (link->from - hosts) & 1) &&
				 !(set >> (link->to - hosts) & 1))
				capacity += link->capacity;
		}
		best = fmax(best, (double)within * (hosts - within) / capacity);
	}
	return best;
}

struct tally {
	uint32_t loads, circles, bounds, exact, cuts, lanes;
};

static void check_routes(struct random *random, uint32_t lanes, struct tally *tally)
{
	struct liquid_fabric *fabric = make_mesh(random, 20, 9, 8);
	struct liquid_traffic *traffic = all_to_all(fabric);
	struct liquid_route_options options = {
		.traffic = traffic, .lanes = lanes, .work = 20000,
	};
	struct liquid_routing *routing;
	double bound;
	char *witness;

	must(liquid_route(fabric, &options, &routing, &err), &err);
	tally->loads += greatest_load(routing->fabric, traffic) == routing->load;
	tally->circles += !has_circle(routing->fabric);
	tally->lanes += routing->lanes <= lanes;
	witness = witness_of(fabric, routing->price);
	must(liquid_verify_prices(fabric, traffic, witness, &bound, &err), &err);
	tally->exact += bound > routing->bound * 0.999999 && bound < routing->bound * 1.000001;
	tally->bounds += bound <= routing->load && routing->least <= routing->load &&
			 bound <= routing->least + 1e-9;
	tally->cuts += bound >= best_cut(fabric) * 0.999999;
	free(witness);
	liquid_routing_free(routing);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_random(void)
{
	struct random random = { 2 };
	uint32_t cases = draws(40);
	struct tally tally = { 0 };

	for (uint32_t i = 0; i < cases; i++)
		check_routes(&random, 1 + i % 4, &tally);
	ok(tally.loads == cases, "random fabrics: the load is that of the tables: %u", tally.loads);
	ok(tally.circles == cases && tally.lanes == cases,
	   "random fabrics: no lane has a circle: %u", tally.circles);
	ok(tally.exact == cases, "random fabrics: the prices prove the bound: %u", tally.exact);
	ok(tally.bounds == cases, "random fabrics: the bound is not above the load: %u",
	   tally.bounds);
	ok(tally.cuts == cases, "random fabrics: no cut of switches proves more: %u", tally.cuts);
}

/* A torus by dimension order has circles in its rings; the same by lanes has none. */
static void test_circles(void)
{
	struct liquid_fabric *torus = make_fabric("torus", (const char *[]){ "size=5x5" }, 1);
	struct liquid_fabric *tree = make_fabric("fat-tree", (const char *[]){ "k=4" }, 1);
	struct liquid_fabric *triangle = make_triangle(1);
	uint32_t *circle, count;

	ok(liquid_fabric_find_circle(torus, &circle, &count, &err) == 1 && count == 5,
	   "5x5 torus: a circle of 5 links");
	for (uint32_t i = 0; i < count; i++)
		if (liquid_fabric_link(torus, circle[i])->to !=
		    liquid_fabric_link(torus, circle[(i + 1) % count])->from)
			count = 0;
	ok(count, "its links follow each other");
	free(circle);
	ok(!has_circle(tree), "fat tree: no circle");
	ok(has_circle(triangle), "three routes, each over two links of a ring: a circle");
	must(fabric_set_lane(triangle, liquid_fabric_find_host(triangle, "r1"), 1, &err),
	     &err);
	ok(!has_circle(triangle), "the same with one of them in another lane: none");
	liquid_fabric_free(torus);
	liquid_fabric_free(tree);
	liquid_fabric_free(triangle);
}

/* ---- bars: greatest loads that must not grow ---- */

static double load_of(const char *name, const char *const *params, size_t count, uint32_t lanes)
{
	struct liquid_fabric *fabric = make_fabric(name, params, count);
	struct liquid_route_options options = {
		.lanes = lanes, .work = 500000,
	};
	struct liquid_routing *routing;
	double load;

	must(liquid_route(fabric, &options, &routing, &err), &err);
	load = has_circle(routing->fabric) ? 1e9 : routing->load;
	liquid_routing_free(routing);
	liquid_fabric_free(fabric);
	return load;
}

static void test_bars(void)
{
	double torus = load_of("torus", (const char *[]){ "size=8x8" }, 1, 4);
	double cube = load_of("torus", (const char *[]){ "size=4x4x4", "hosts=2" }, 2, 4);
	double fly = load_of("dragonfly", (const char *[]){ "a=4", "p=2", "h=2" }, 3, 4);
	double tree = load_of("fat-tree", (const char *[]){ "k=8" }, 1, 1);

	ok(torus <= 64, "8x8 torus, 4 lanes: load %.6g, bound 64", torus);
	ok(cube <= 128, "4x4x4 torus of 128 hosts, 4 lanes: load %.6g, bound 128", cube);
	ok(fly <= 73, "dragonfly of 72 hosts, 4 lanes: load %.6g, bound 71", fly);
	ok(tree <= 127, "fat tree of 128 hosts: load %.6g, bound 127", tree);
}

/* Two switches with three hosts each, and two cables: a link has 3 or 6 transfers, not 4.5 */
static void test_least(void)
{
	struct liquid_route_options options = { .work = 1000 };
	struct liquid_routing *routing;
	struct liquid_fabric *fabric;
	char name[16];

	must(liquid_fabric_new("pair", &fabric, &err), &err);
	for (uint32_t i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "h%" PRIu32, i);
		must(liquid_fabric_add_host(fabric, name, &err), &err);
	}
	must(liquid_fabric_add_switch(fabric, "a", &err), &err);
	must(liquid_fabric_add_switch(fabric, "b", &err), &err);
	for (uint32_t i = 0; i < 6; i++)
		cable(fabric, i, 6 + i / 3, 1);
	cable(fabric, 6, 7, 1);
	cable(fabric, 6, 7, 1);
	must(liquid_fabric_finish(fabric, &err), &err);
	must(liquid_route(fabric, &options, &routing, &err), &err);
	ok(fabs(routing->bound - 5) < 1e-9 && routing->least == 6 && routing->load == 6,
	   "what a switch sends to a host stays together: bound %.6g, at least %.6g, load %.6g",
	   routing->bound, routing->least, routing->load);
	liquid_routing_free(routing);
	liquid_fabric_free(fabric);
}

/* ---- a lost cable ---- */

static uint32_t differences(const struct liquid_fabric *a, const struct liquid_fabric *b,
			    uint32_t host)
{
	uint32_t hosts = liquid_fabric_host_count(a), count = 0;
	uint32_t one[LIQUID_PATH_MAX], other[LIQUID_PATH_MAX];

	for (uint32_t src = 0; src < hosts; src++) {
		int links, more;

		if (src == host)
			continue;
		links = liquid_fabric_route(a, src, host, one, &err);
		more = liquid_fabric_route(b, src, host, other, &err);
		if (links != more) {
			count++;
			continue;
		}
		for (int i = 0; i < links; i++) {
			const struct liquid_link *link = liquid_fabric_link(a, one[i]);

			if (link->to == liquid_fabric_link(b, other[i])->to)
				continue;
			count++;
			break;
		}
	}
	return count;
}

static bool uses(const struct liquid_fabric *fabric, uint32_t host, uint32_t a, uint32_t b)
{
	uint32_t path[LIQUID_PATH_MAX], hosts = liquid_fabric_host_count(fabric);

	for (uint32_t src = 0; src < hosts; src++) {
		int links = src == host ? 0 : liquid_fabric_route(fabric, src, host, path, &err);

		for (int i = 0; i < links; i++) {
			const struct liquid_link *link = liquid_fabric_link(fabric, path[i]);

			if ((link->from == a && link->to == b) ||
			    (link->from == b && link->to == a))
				return true;
		}
	}
	return false;
}

static void test_lost_cable(void)
{
	struct liquid_fabric *fabric = make_fabric("torus", (const char *[]){ "size=6x6" }, 1);
	struct liquid_route_options options = { .lanes = 4 };
	struct liquid_routing *before, *after;
	struct liquid_fabric *rest;
	uint32_t hosts = 36, changed = 0, wrong = 0, cable = 0;

	must(liquid_route(fabric, &options, &before, &err), &err);
	while (liquid_fabric_link(fabric, cable)->from < hosts ||
	       liquid_fabric_link(fabric, cable)->to < hosts)
		cable++;
	rest = without(before->fabric, cable);
	options = (struct liquid_route_options){ .from = before->fabric };
	must(liquid_route(rest, &options, &after, &err), &err);
	for (uint32_t host = 0; host < hosts; host++) {
		bool used = uses(before->fabric, host, liquid_fabric_link(fabric, cable)->from,
				 liquid_fabric_link(fabric, cable)->to);
		bool moved = differences(before->fabric, after->fabric, host);

		changed += moved;
		wrong += moved && !used;
		wrong += after->lane[host] != before->lane[host];
	}
	ok(!wrong && changed && changed <= after->moved && after->moved < hosts,
	   "a lost cable: of 36 hosts only the %u whose routes used it have others", after->moved);
	ok(!has_circle(after->fabric) && after->load <= 1.3 * before->load,
	   "a lost cable: no circle, load %.6g instead of %.6g", after->load, before->load);
	liquid_routing_free(after);
	liquid_routing_free(before);
	liquid_fabric_free(rest);
	liquid_fabric_free(fabric);
}

/* ---- what is refused ---- */

/* A witness whose member links has the text @links */
static bool refuses(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		    const char *links, const char *reason)
{
	char witness[200];
	double bound;
	int status;

	snprintf(witness, sizeof(witness), "{\"kind\":\"prices\",\"links\":%s}", links);
	status = liquid_verify_prices(fabric, traffic, witness, &bound, &err);
	if (status == LIQUID_INVALID && bound == 0 && strstr(err.text, reason))
		return true;
	printf("# %s\n", err.text);
	return false;
}

static void test_refused(void)
{
	struct liquid_fabric *fabric = make_fabric("fat-tree", (const char *[]){ "k=4" }, 1);
	struct liquid_traffic *traffic = all_to_all(fabric);
	struct liquid_route_options options = { .lanes = 17 };
	struct liquid_routing *routing;
	bool right;

	right = refuses(fabric, traffic, "[", "not JSON") &&
		refuses(fabric, traffic, "[]", "must be") &&
		refuses(fabric, traffic, "7", "must be") &&
		refuses(fabric, traffic, "[7]", "1 ... 2^32") &&
		refuses(fabric, traffic, "[[\"x\",1]]", "not a link") &&
		refuses(fabric, traffic, "[[\"h1[1]>edge1[1]\",0]]", "1 ... 2^32") &&
		refuses(fabric, traffic, "[[\"h1[1]>edge1[1]\",-1]]", "1 ... 2^32") &&
		refuses(fabric, traffic, "[[\"h1[1]>edge1[1]\",1.5]]", "1 ... 2^32") &&
		refuses(fabric, traffic, "[[\"h1[1]>edge1[1]\",1],[\"h1[1]>edge1[1]\",1]]",
			"already");
	ok(right, "witnesses of prices that prove nothing are refused, with the reason");
	ok(liquid_route(fabric, &options, &routing, &err) == LIQUID_BAD_INPUT && !routing &&
	   strstr(err.text, "at most 16 lanes"), "17 lanes are refused");
	options.lanes = 2;
	options.circles = true;
	ok(liquid_route(fabric, &options, &routing, &err) == LIQUID_BAD_INPUT && !routing,
	   "lanes where circles are allowed are refused");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- the limit of how much longer routes may be ---- */

#define NODES 29		/* of make_mesh(20, 9) */

/* Links of the shortest ways between all nodes, by Floyd and Warshall */
static void measure_ways(const struct liquid_fabric *fabric, uint32_t way[NODES][NODES])
{
	for (uint32_t a = 0; a < NODES; a++)
		for (uint32_t b = 0; b < NODES; b++)
			way[a][b] = a == b ? 0 : NODES;
	for (uint32_t i = 0; i < liquid_fabric_link_count(fabric); i++) {
		const struct liquid_link *link = liquid_fabric_link(fabric, i);

		way[link->from][link->to] = 1;
	}
	for (uint32_t by = 0; by < NODES; by++)
		for (uint32_t a = 0; a < NODES; a++)
			for (uint32_t b = 0; b < NODES; b++)
				if (way[a][by] + way[by][b] < way[a][b])
					way[a][b] = way[a][by] + way[by][b];
}

/* The most links that a route has more than the shortest way */
static uint32_t most_stretch(const struct liquid_fabric *fabric)
{
	uint32_t way[NODES][NODES], path[LIQUID_PATH_MAX], most = 0;

	measure_ways(fabric, way);
	for (uint32_t a = 0; a < liquid_fabric_host_count(fabric); a++)
		for (uint32_t b = 0; b < liquid_fabric_host_count(fabric); b++) {
			int links;

			if (a == b)
				continue;
			links = liquid_fabric_route(fabric, a, b, path, &err);
			must(links < 0 ? links : LIQUID_OK, &err);
			if ((uint32_t)links - way[a][b] > most)
				most = (uint32_t)links - way[a][b];
		}
	return most;
}

static void test_stretch(void)
{
	uint32_t kept = 0, refused = 0, longer = 0, cases = draws(40);
	struct random random = { 3 };

	for (uint32_t i = 0; i < cases; i++) {
		struct liquid_fabric *fabric = make_mesh(&random, 20, 9, 8);
		struct liquid_traffic *traffic = all_to_all(fabric);
		uint32_t stretch = i / 2 % 2;
		struct liquid_route_options options = {
			.traffic = traffic, .lanes = 1 + i % 2 * 3,
			.work = 20000,
		};
		struct liquid_routing *routing;

		must(liquid_route(fabric, &options, &routing, &err), &err);
		longer += most_stretch(routing->fabric) > stretch;
		liquid_routing_free(routing);
		options.stretch = &stretch;
		if (liquid_route(fabric, &options, &routing, &err)) {
			refused += !!strstr(err.text, "than the shortest");
		} else {
			kept += most_stretch(routing->fabric) <= stretch &&
				!has_circle(routing->fabric) &&
				greatest_load(routing->fabric, traffic) == routing->load;
			liquid_routing_free(routing);
		}
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(kept + refused == cases && kept > cases / 2 && longer > cases / 4,
	   "a limit: %u of %u kept, %u have no such routes; without it %u have longer ones",
	   kept, cases, refused, longer);
}

/* The busiest link between switches of each shift, by the tables */
static double shifts_of(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), path[LIQUID_PATH_MAX];
	uint32_t *load = calloc(liquid_fabric_link_count(fabric), sizeof(*load));
	double sum = 0;

	for (uint32_t shift = 1; shift < hosts; shift++) {
		double most = 1;

		memset(load, 0, liquid_fabric_link_count(fabric) * sizeof(*load));
		for (uint32_t src = 0; src < hosts; src++) {
			int length = liquid_fabric_route(fabric, src, (src + shift) % hosts, path,
							 NULL);

			for (int i = 1; i < length - 1; i++)
				most = fmax(most, (double)++load[path[i]] /
					    liquid_fabric_capacity(fabric, path[i]));
		}
		sum += most;
	}
	free(load);
	return sum;
}

/* Four pods of four leaves under two switches, which have cables to the same four cores */
static struct liquid_fabric *make_tall(void)
{
	struct liquid_fabric *fabric;
	char name[16];

	must(liquid_fabric_new("tall", &fabric, &err), &err);
	for (uint32_t h = 0; h < 64; h++) {
		snprintf(name, sizeof(name), "h%u", h);
		must(liquid_fabric_add_host(fabric, name, &err), &err);
	}
	for (uint32_t s = 0; s < 28; s++) {
		snprintf(name, sizeof(name), "s%u", s);
		must(liquid_fabric_add_switch(fabric, name, &err), &err);
	}
	for (uint32_t h = 0; h < 64; h++)
		cable(fabric, h, 64 + h / 4, 1);
	for (uint32_t leaf = 0; leaf < 16; leaf++)
		for (uint32_t up = 0; up < 2; up++)
			cable(fabric, 64 + leaf, 80 + leaf / 4 * 2 + up, 1);
	for (uint32_t up = 0; up < 8; up++)
		for (uint32_t core = 0; core < 4; core++)
			cable(fabric, 80 + up, 88 + core, 1);
	must(liquid_fabric_finish(fabric, &err), &err);
	return fabric;
}

static void test_shifts(void)
{
	struct liquid_fabric *tall = make_tall();
	struct liquid_route_options one_lane = { 0 };
	struct liquid_routing *found;
	struct random random = { 4 };
	uint32_t same = 0, cases = draws(40);

	for (uint32_t i = 0; i < cases; i++) {
		struct liquid_fabric *mesh = make_mesh(&random, 4 + i % 9, 3 + i % 5, i % 6);
		struct liquid_route_options options = { .lanes = 4, .work = 1000 };
		struct liquid_traffic *traffic = i % 2 ? NULL : all_to_all(mesh);
		struct liquid_routing *routing;

		options.traffic = traffic;
		if (!liquid_route(mesh, &options, &routing, &err)) {
			same += routing->shifts == shifts_of(routing->fabric);
			liquid_routing_free(routing);
		}
		liquid_traffic_free(traffic);
		liquid_fabric_free(mesh);
	}
	ok(same == cases, "the steps of a pairwise exchange take what the tables say: %u", same);
	must(liquid_route(tall, &one_lane, &found, &err), &err);
	ok(found->load == 120 && found->shifts <= 150 && !has_circle(found->fabric),
	   "a narrow tree of 64 hosts: load %g, and %g for the steps", found->load, found->shifts);
	liquid_routing_free(found);
	liquid_fabric_free(tall);
}

int main(void)
{
	test_forest();
	test_shifts();
	test_random();
	test_circles();
	test_bars();
	test_least();
	test_lost_cable();
	test_refused();
	test_stretch();
	return tap_exit();
}
