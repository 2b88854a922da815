// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exports against brute force: on random fabrics with capacities a SAT solver
 * must find the CNF of the shortest length satisfiable and that of one frame less
 * not; the graph's edges are counted anew from the routes.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures.h"
#include "tap.h"

#define SATISFIABLE 10
#define UNSATISFIABLE 20

static int run_picosat(const char *path)
{
	char command[128];
	int status;

	snprintf(command, sizeof(command), "picosat -n '%s' >/dev/null 2>&1", path);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int sat_answer(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      uint32_t frames)
{
	char path[] = "/tmp/liquid-export-XXXXXX";
	int fd = mkstemp(path), answer;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct liquid_error err;

	if (!out)
		exit(1);
	must(liquid_export_cnf(fabric, traffic, frames, out, &err), &err);
	fclose(out);
	answer = run_picosat(path);
	unlink(path);
	return answer;
}

/* Pairs with counts above 1, so that the counters of both kinds are met. */
static struct liquid_traffic *double_some(struct dice *dice, struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	struct liquid_traffic *doubled;
	struct liquid_error err;

	must(liquid_traffic_new(&doubled, &err), &err);
	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++)
		must(liquid_traffic_add(doubled, pairs[i].src, pairs[i].dst,
					1 + !roll(dice, 4), &err), &err);
	liquid_traffic_free(traffic);
	return doubled;
}

static void test_cnf(uint64_t seed, uint32_t rounds, uint32_t capacity)
{
	struct dice dice = { seed };
	uint32_t found = 0, refuted = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t hosts = 4 + roll(&dice, 8);
		struct liquid_fabric *fabric = make_random(&dice, hosts, capacity);
		struct liquid_traffic *traffic = random_traffic(&dice, hosts, 2 + roll(&dice, 5));
		uint32_t shortest;

		if (liquid_traffic_pair_count(traffic) <= BRUTE_TRANSFERS_MAX / 2)
			traffic = double_some(&dice, traffic);
		shortest = brute_length(fabric, traffic);
		found += sat_answer(fabric, traffic, shortest) == SATISFIABLE;
		refuted += shortest == 1 ||
			sat_answer(fabric, traffic, shortest - 1) == UNSATISFIABLE;
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(found == rounds, "capacities to %" PRIu32 ": the CNF of the shortest length is satisfiable",
	   capacity);
	ok(refuted == rounds, "capacities to %" PRIu32 ": that of one frame less is not", capacity);
}

/* ---- the congestion graph ---- */

static bool share(const uint32_t *a, int a_count, const uint32_t *b, int b_count)
{
	for (int i = 0; i < a_count; i++)
		for (int j = 0; j < b_count; j++)
			if (a[i] == b[j])
				return true;
	return false;
}

/* Every two transfers compared by their links; capacities are 1. */
static uint64_t count_congestions(const struct liquid_fabric *fabric,
				  const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	uint32_t a[LIQUID_PATH_MAX], b[LIQUID_PATH_MAX];
	uint64_t edges = 0;

	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++) {
		int steps = liquid_fabric_route(fabric, pairs[i].src, pairs[i].dst, a, NULL);

		edges += (uint64_t)pairs[i].count * (pairs[i].count - 1) / 2;
		for (size_t j = 0; j < i; j++)
			if (share(a, steps, b, liquid_fabric_route(fabric, pairs[j].src,
								   pairs[j].dst, b, NULL)))
				edges += (uint64_t)pairs[i].count * pairs[j].count;
	}
	return edges;
}

/* What the file says of its edges, and how many there are; UINT64_MAX where it contradicts itself. */
static uint64_t edges_of_file(const char *text)
{
	unsigned long long edges = 0, lines = 0;
	unsigned int vertices = 0;

	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		unsigned int from, to;

		if (*line == 'p' && sscanf(line, "p edge %u %llu", &vertices, &edges) != 2)
			return UINT64_MAX;
		if (sscanf(line, "e %u %u", &from, &to) == 2)
			lines += from && to && from != to && from <= vertices && to <= vertices;
	}
	return lines == edges ? edges : UINT64_MAX;
}

static uint64_t edges_exported(const struct liquid_fabric *fabric,
			       const struct liquid_traffic *traffic)
{
	struct liquid_error err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint64_t edges;

	must(liquid_export_dimacs(fabric, traffic, out, &err), &err);
	fclose(out);
	edges = edges_of_file(text);
	free(text);
	return edges;
}

static void test_graph(void)
{
	struct liquid_fabric *fabric = make_fabric("swiss-t1", NULL, 0);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct dice dice = { 21 };
	uint32_t right = 0;

	ok(edges_exported(fabric, traffic) == 48704, "swiss-t1: 48704 congestions, as published");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	for (uint32_t i = 0; i < 50; i++) {
		fabric = make_random(&dice, 9, 1);
		traffic = double_some(&dice, random_traffic(&dice, 9, 30));
		right += edges_exported(fabric, traffic) == count_congestions(fabric, traffic);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(right == 50, "random fabrics: as many edges as transfers that share a link");
}

/* The ring's links take 2; with three distinct ends they are no matter of two transfers each. */
static void test_refused(void)
{
	struct liquid_fabric *fabric = make_triangle(2);
	struct liquid_traffic *traffic = triangle_traffic(1);
	struct liquid_error err;

	ok(edges_exported(fabric, traffic) == 0, "a link that takes all of its load makes no edges");
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	for (uint64_t seed = 1;; seed++) {
		struct dice dice = { seed };
		struct liquid_solve_options dsatur = { .method = "dsatur" };
		struct liquid_schedule *schedule;

		fabric = make_random(&dice, 10, 2);
		traffic = all_routes(fabric);
		if (liquid_export_dimacs(fabric, traffic, stderr, &err)) {
			ok(strstr(err.text, "capacity 2") && strstr(err.text, ">s"),
			   "a link of capacity 2 is refused by name: %s", err.text);
			ok(liquid_solve(fabric, traffic, &dsatur, &schedule, &err) ==
			   LIQUID_BAD_INPUT, "dsatur refuses it too: %s", err.text);
			break;
		}
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_graph();
	test_refused();
	if (run_picosat("--help") == 127) {
		ok(true, "# SKIP no picosat");
		return tap_exit();
	}
	test_cnf(31, 60, 1);
	test_cnf(32, 100, 3);
	return tap_exit();
}
