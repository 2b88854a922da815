// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames by halves are exact: for random nests, each frame is checked against every set; for
 * random hosts of fat trees, the length is the one that the sizes of rows and columns tell.
 */
#include "fixtures.h"
#include "problem/solving.h"
#include "solve/methods.h"
#include "solve/symmetry/halving.h"
#include "tap.h"

/* ---- random nests ---- */

#define SIDE_MAX 7
#define UNITS_MAX (SIDE_MAX * SIDE_MAX)
#define SETS_MAX (4 * UNITS_MAX)

/* A grid of units; each line of it is a set, and holds parts that are sets, too. */
struct nests {
	uint32_t rows, columns, sets;
	uint32_t count[UNITS_MAX], inner[2][UNITS_MAX];
	uint32_t parent[SETS_MAX], capacity[SETS_MAX];
	uint32_t load[SETS_MAX];
};

static uint32_t unit_of(const struct nests *n, int nest, uint32_t line, uint32_t i)
{
	return nest ? i * n->columns + line : line * n->columns + i;
}

/* Parts of the line at random; some of its units are in none, or not even in the line. */
static void add_line(struct nests *n, struct dice *dice, int nest, uint32_t line, uint32_t size)
{
	uint32_t parts = 1 + roll(dice, 3), first = n->sets, set = first + parts;

	n->sets = set + 1;
	for (uint32_t part = first; part < n->sets; part++) {
		n->parent[part] = part < set ? set : LIQUID_NONE;
		n->capacity[part] = 1 + roll(dice, 3);
	}
	for (uint32_t i = 0; i < size; i++) {
		uint32_t part = roll(dice, parts + 2);

		n->inner[nest][unit_of(n, nest, line, i)] =
			part <= parts ? first + part : LIQUID_NONE;
	}
}

static void draw_nests(struct nests *n, struct dice *dice)
{
	*n = (struct nests){ .rows = 1 + roll(dice, SIDE_MAX),
			     .columns = 1 + roll(dice, SIDE_MAX) };
	for (uint32_t row = 0; row < n->rows; row++)
		add_line(n, dice, 0, row, n->columns);
	for (uint32_t column = 0; column < n->columns; column++)
		add_line(n, dice, 1, column, n->rows);
	for (uint32_t u = 0; u < n->rows * n->columns; u++)
		n->count[u] = roll(dice, 4) ? roll(dice, 12) : 0;
}

static void add_load(struct nests *n, uint32_t unit, uint32_t count)
{
	for (int nest = 0; nest < 2; nest++)
		for (uint32_t set = n->inner[nest][unit]; set != LIQUID_NONE; set = n->parent[set])
			n->load[set] += count;
}

/* The frames that the fullest set needs. */
static uint32_t needed(struct nests *n)
{
	uint32_t most = 0;

	memset(n->load, 0, sizeof(n->load));
	for (uint32_t u = 0; u < n->rows * n->columns; u++)
		add_load(n, u, n->count[u]);
	for (uint32_t set = 0; set < n->sets; set++) {
		uint32_t frames = (n->load[set] + n->capacity[set] - 1) / n->capacity[set];

		most = frames > most ? frames : most;
	}
	return most;
}

static bool fits(struct nests *n, const struct unit_plan *plan, uint32_t frame, uint32_t *seen)
{
	memset(n->load, 0, sizeof(n->load));
	for (uint32_t i = 0; i < plan->entries; i++)
		if (plan->frame[i] == frame) {
			add_load(n, plan->unit[i], 1);
			seen[plan->unit[i]]++;
		}
	for (uint32_t set = 0; set < n->sets; set++)
		if (n->load[set] > n->capacity[set])
			return false;
	return true;
}

static bool is_exact(struct nests *n, uint32_t frames)
{
	struct budget budget = { .limit = UINT64_MAX, .look = UINT64_MAX };
	struct halving halving = { .units = n->rows * n->columns, .sets = n->sets,
				   .count = n->count, .inner = { n->inner[0], n->inner[1] },
				   .parent = n->parent, .capacity = n->capacity };
	uint32_t seen[UNITS_MAX] = { 0 };
	struct unit_plan plan = { 0 };
	struct liquid_error err;
	bool found, right;

	must(halving_solve(&halving, frames, &budget, &plan, &found, &err), &err);
	right = found && plan.frames == frames;
	for (uint32_t frame = 0; right && frame < frames; frame++)
		right = fits(n, &plan, frame, seen);
	right = right && !memcmp(seen, n->count, n->rows * n->columns * sizeof(*seen));
	unit_plan_clear(&plan);
	return right;
}

static void test_nests(void)
{
	uint32_t cases = 2000, right = 0, most = 0;
	struct dice dice = { 1 };
	struct nests n;

	for (uint32_t i = 0; i < cases; i++) {
		uint32_t frames;

		draw_nests(&n, &dice);
		frames = needed(&n);
		most = frames > most ? frames : most;
		right += !frames || (is_exact(&n, frames) && is_exact(&n, frames + roll(&dice, 3)));
	}
	ok(right == cases, "random nests: all frames of %u of %u hold, up to %u each",
	   right, cases, most);
}

/* ---- fat trees ---- */

struct run {
	struct liquid_fabric *fabric;
	struct liquid_traffic *traffic;
	struct routes *routes;
	struct budget budget;
	struct solving solving;
	struct liquid_error err;
	uint32_t host[2048], hosts;
};

static void run_begin(struct run *run)
{
	struct liquid_solve_options options = { 0 };

	must(routes_build(run->fabric, run->traffic, &run->routes, &run->err), &run->err);
	budget_start(&run->budget, &options);
	must(solving_start(&run->solving, run->routes, &run->budget, &options, &run->err),
	     &run->err);
}

static void run_end(struct run *run)
{
	solving_end(&run->solving);
	routes_free(run->routes);
	liquid_traffic_free(run->traffic);
}

static int by_host(const void *a, const void *b)
{
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* An all-to-all of @percent of the hosts at random, @units for each pair. */
static void draw_hosts(struct run *run, struct dice *dice, uint32_t percent, uint32_t units)
{
	uint32_t all = liquid_fabric_host_count(run->fabric);

	for (uint32_t i = 0; i < all; i++) {
		uint32_t j = roll(dice, i + 1);

		run->host[i] = run->host[j];
		run->host[j] = i;
	}
	run->hosts = all * percent / 100 > 3 ? all * percent / 100 : 3;
	qsort(run->host, run->hosts, sizeof(*run->host), by_host);
	must(liquid_traffic_new(&run->traffic, &run->err), &run->err);
	for (uint32_t i = 0; i < run->hosts; i++)
		for (uint32_t j = 0; j < run->hosts; j++)
			if (i != j)
				must(liquid_traffic_add(run->traffic, run->host[i], run->host[j],
							units, &run->err), &run->err);
}

static bool no_link_is_shared(const struct run *run)
{
	const struct routes *routes = run->routes;
	size_t slots = (size_t)routes->link_count * run->solving.length;
	uint32_t *used = calloc(slots + 1, sizeof(*used));
	bool good = used;

	for (uint32_t p = 0; good && p < routes->pair_count; p++)
		for (uint32_t t = routes->first_transfer[p]; t < routes->first_transfer[p + 1]; t++)
			for (uint32_t i = routes->first[p]; i < routes->first[p + 1]; i++) {
				uint32_t link = routes->links[i];
				size_t first = (size_t)link * run->solving.length;

				good &= ++used[first + run->solving.frame[t]] <=
					routes->capacity[link];
			}
	free(used);
	return good;
}

static void raise(uint32_t *most, uint32_t load)
{
	*most = load > *most ? load : *most;
}

/*
 * The longest: what hosts and links need where receivers near the sender use all links of their
 * column. A switch has half = k / 2 hosts and links up, a pod half switches.
 */
static uint32_t length_by_sizes(const struct run *run, uint32_t half)
{
	uint32_t edges[2048] = { 0 }, pods[128] = { 0 }, ups[64] = { 0 }, columns[1024] = { 0 };
	bool used[2048] = { false };
	uint32_t most = run->hosts - 1, hosts = 2 * half * half * half;

	for (uint32_t i = 0; i < run->hosts; i++) {
		uint32_t h = run->host[i];

		used[h] = true;
		edges[h / half]++;
		pods[h / half / half]++;
		ups[h % half]++;
		columns[h % (half * half)]++;
	}
	for (uint32_t h = 0; h < hosts; h++) {
		uint32_t edge = edges[h / half], pod = pods[h / half / half];

		raise(&most, edge * ups[h % half] - (edge ? used[h] : 0));
		raise(&most, pod * columns[h % (half * half)] - (pod ? used[h] : 0));
	}
	return most;
}

static void test_fat_trees(uint32_t half, uint32_t cases, uint32_t units)
{
	char k[16];
	const char *key = k;
	uint32_t right = 0, liquid = 0;
	struct dice dice = { half };
	struct run run = { 0 };

	snprintf(k, sizeof(k), "k=%" PRIu32, 2 * half);
	run.fabric = make_fabric("fat-tree", &key, 1);
	for (uint32_t i = 0; i < cases; i++) {
		int status;

		draw_hosts(&run, &dice, 10 + roll(&dice, 91), units);
		run_begin(&run);
		status = method_columns(&run.solving, &run.err);
		right += !status && no_link_is_shared(&run) &&
			 (run.solving.length == run.routes->duration ||
			  run.solving.length == units * length_by_sizes(&run, half));
		liquid += run.solving.length == run.routes->duration;
		run_end(&run);
	}
	ok(right == cases, "fat tree %s, %u each: %u of %u subsets are liquid or as long as their "
	   "sizes tell, %u liquid", k, units, right, cases, liquid);
	liquid_fabric_free(run.fabric);
}

/*
 * 216 hosts that must all send and receive in each of 215 frames: no search has found fewer than
 * 216.
 */
static void test_half(void)
{
	const char *k12 = "k=12";
	struct run run = { .fabric = make_fabric("fat-tree", &k12, 1) };
	struct dice dice = { 2 };
	struct liquid_schedule *schedule;

	for (uint32_t i = 0; i < 20; i++) {
		draw_hosts(&run, &dice, 50, 1);
		run_begin(&run);
		if (run.routes->duration == run.hosts - 1 || i == 19)
			break;
		run_end(&run);
	}
	must(liquid_solve(run.fabric, run.traffic, NULL, &schedule, &run.err), &run.err);
	ok(run.routes->duration == 215 && info_of(schedule)->length == 215 &&
	   verifies(run.fabric, run.traffic, schedule),
	   "half of a fat tree k=12: %u frames for %u", info_of(schedule)->length,
	   run.routes->duration);
	liquid_schedule_free(schedule);
	run_end(&run);
	liquid_fabric_free(run.fabric);
}

/*
 * Hosts 1 and 6 to 10 of a fat tree k=10: the column of host 1 has one row that sends to it, whose
 * only set in the nest of that column is that of one unit.
 */
static void test_lone_row(void)
{
	static const uint32_t host[] = { 0, 5, 6, 7, 8, 9 };
	const char *k10 = "k=10";
	struct run run = { .fabric = make_fabric("fat-tree", &k10, 1) };

	must(liquid_traffic_alltoall(host, 6, &run.traffic, &run.err), &run.err);
	run_begin(&run);
	must(method_columns(&run.solving, &run.err), &run.err);
	ok(run.solving.length == 5 && no_link_is_shared(&run),
	   "a column to which one row sends: %u frames", run.solving.length);
	run_end(&run);
	liquid_fabric_free(run.fabric);
}

/* ---- where it does not apply ---- */

static void test_unfit(void)
{
	const char *size = "size=4x4", *k4 = "k=4";
	struct run run = { .fabric = make_fabric("torus", &size, 1) };
	struct dice dice = { 3 };

	draw_hosts(&run, &dice, 100, 1);
	run_begin(&run);
	ok(method_columns(&run.solving, &run.err) == LIQUID_BAD_INPUT && !run.solving.length,
	   "a torus has no columns");
	run_end(&run);
	liquid_fabric_free(run.fabric);

	run.fabric = make_fabric("fat-tree", &k4, 1);
	draw_hosts(&run, &dice, 100, 1);
	must(liquid_traffic_add(run.traffic, 0, 5, 1, &run.err), &run.err);
	run_begin(&run);
	ok(method_columns(&run.solving, &run.err) == LIQUID_BAD_INPUT && !run.solving.length,
	   "a pair that has more units than others");
	run_end(&run);

	draw_hosts(&run, &dice, 100, 1);
	run_begin(&run);
	run.budget.limit = 100;
	ok(!method_columns(&run.solving, &run.err) && !run.solving.length,
	   "no work is left: nothing is offered");
	run.budget.limit = UINT64_MAX;
	run.budget.out = false;
	must(method_columns(&run.solving, &run.err), &run.err);
	run.solving.frame[0] = UINT32_MAX;
	ok(run.solving.length && !method_columns(&run.solving, &run.err) &&
	   run.solving.frame[0] == UINT32_MAX, "a schedule that is as short is kept");
	run_end(&run);
	liquid_fabric_free(run.fabric);
}

int main(void)
{
	test_nests();
	test_fat_trees(2, 60, 1);
	test_fat_trees(3, 40, 2);
	test_fat_trees(4, 25, 1);
	test_fat_trees(5, 6, 1);
	test_half();
	test_lone_row();
	test_unfit();
	return tap_exit();
}
