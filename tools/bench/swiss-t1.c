// SPDX-License-Identifier: GPL-2.0-only
/*
 * Swiss-T1's allocations, from sets of links: the 362 patterns of the papers, or all 390,624
 *
 * An allocation takes 0 ... 4 nodes behind each of the 8 switches; its traffic is
 * each node's sender to each node's receiver. A pattern is the allocations of one
 * number of nodes and one duration; the lexicographically smallest vector stands for
 * it. Every schedule is checked here, on routes that the solver has not touched.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "konig.h"
#include "pattern.h"
#include "quotient.h"
#include "solver.h"

enum { SWITCHES = 8, NODES = 4, HOSTS = SWITCHES * NODES, ALLOCATIONS = 390625, FRAMES_MAX = 64 };

struct path {
	uint32_t count, link[LIQUID_PATH_MAX];
};

struct bench {
	struct liquid_fabric *fabric;
	struct liquid_error err;
	uint32_t sender[HOSTS], receiver[HOSTS];
	struct path path[HOSTS][HOSTS];	/* read from the fabric, for the check */
	uint32_t links;
	struct budget budget;
};

struct result {
	uint32_t nodes, duration, length;
	double seconds;
	bool right;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const struct bench *b)
{
	fprintf(stderr, "swiss-t1: %s\n", b->err.text);
	exit(1);
}

static void prepare(struct bench *b)
{
	char name[16];
	uint32_t i, j;
	int count;

	if (liquid_fabric_make("swiss-t1", NULL, 0, &b->fabric, &b->err) != LIQUID_OK)
		die(b);
	for (i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "t%u", i + 1);
		b->sender[i] = liquid_fabric_find_host(b->fabric, name);
		snprintf(name, sizeof(name), "r%u", i + 1);
		b->receiver[i] = liquid_fabric_find_host(b->fabric, name);
	}
	b->links = liquid_fabric_link_count(b->fabric);
	for (i = 0; i < HOSTS; i++)
		for (j = 0; j < HOSTS; j++) {
			count = liquid_fabric_route(b->fabric, b->sender[i], b->receiver[j],
						    b->path[i][j].link, &b->err);
			if (count < 0)
				die(b);
			b->path[i][j].count = (uint32_t)count;
		}
}

/* Digits to base 5, the first switch the most significant: the order is lexicographic. */
static uint32_t nodes_of(uint32_t allocation, uint32_t *node)
{
	uint32_t count = 0, weight = ALLOCATIONS / 5, s, k;

	for (s = 0; s < SWITCHES; s++, weight /= 5)
		for (k = 0; k < allocation / weight % 5; k++)
			node[count++] = s * NODES + k;
	return count;
}

static uint32_t duration_of(const struct bench *b, const uint32_t *node, uint32_t count)
{
	uint32_t load[256] = { 0 }, most = 0, i, j, k;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++) {
			const struct path *path = &b->path[node[i]][node[j]];

			for (k = 0; k < path->count; k++)
				if (++load[path->link[k]] > most)
					most = load[path->link[k]];
		}
	return most;
}

/* Each transfer once, no link twice in a frame, no frame empty, as many frames as the duration. */
static bool check(const struct bench *b, const struct routes *routes, const uint32_t *frame,
		  uint32_t length, const uint32_t *node, uint32_t count)
{
	static uint64_t busy[256];
	uint32_t host_node[2 * HOSTS + 2] = { 0 }, p, k;
	uint64_t seen = 0;

	if (length > FRAMES_MAX || length != duration_of(b, node, count) ||
	    routes->transfer_count != count * count)
		return false;
	for (k = 0; k < HOSTS; k++)
		host_node[b->sender[k]] = host_node[b->receiver[k]] = k;
	memset(busy, 0, sizeof(busy));
	for (p = 0; p < routes->pair_count; p++) {
		const struct path *path = &b->path[host_node[routes->pairs[p].src]]
						  [host_node[routes->pairs[p].dst]];
		uint64_t bit;

		if (frame[p] >= length)
			return false;
		bit = 1ull << frame[p];
		for (k = 0; k < path->count; k++) {
			if (busy[path->link[k]] & bit)
				return false;
			busy[path->link[k]] |= bit;
		}
		seen |= bit;
	}
	return (uint32_t)__builtin_popcountll(seen) == length;
}

static struct routes *routes_of(struct bench *b, const uint32_t *node, uint32_t count,
				struct liquid_traffic **traffic)
{
	uint32_t from[HOSTS], to[HOSTS], i;
	struct routes *routes;

	for (i = 0; i < count; i++) {
		from[i] = b->sender[node[i]];
		to[i] = b->receiver[node[i]];
	}
	if (liquid_traffic_cross(from, count, to, count, traffic, &b->err) != LIQUID_OK ||
	    routes_build(b->fabric, *traffic, &routes, &b->err) != LIQUID_OK)
		die(b);
	return routes;
}

/* From the sets of links to the frame of each transfer: detection, search, expansion. */
static uint32_t solve(struct bench *b, const struct routes *routes, uint32_t *frame)
{
	struct quotient quotient;
	struct unit_plan plan = { 0 };
	uint32_t length;
	bool found;

	if (quotient_find(routes, &quotient, &found, &b->err) != LIQUID_OK)
		die(b);
	if (found && pattern_solve(&quotient.units, routes->duration, 1, &b->budget, &plan, &found,
				   &b->err) != LIQUID_OK)
		die(b);
	if (found && quotient_expand(routes, &quotient, &plan, frame, &b->err) != LIQUID_OK)
		die(b);
	length = found ? plan.frames : 0;
	unit_plan_clear(&plan);
	quotient_clear(&quotient);
	return length;
}

static void run(struct bench *b, uint32_t allocation, struct result *result)
{
	uint32_t node[HOSTS], frame[HOSTS * HOSTS];
	struct liquid_traffic *traffic;
	struct routes *routes;
	double begin;

	result->nodes = nodes_of(allocation, node);
	routes = routes_of(b, node, result->nodes, &traffic);
	result->duration = routes->duration;
	memset(frame, 0xff, sizeof(frame));
	memset(&b->budget, 0, sizeof(b->budget));
	b->budget.limit = 1ull << 33;
	b->budget.look = UINT64_MAX;
	begin = now();
	result->length = solve(b, routes, frame);
	result->seconds = now() - begin;
	result->right = check(b, routes, frame, result->duration, node, result->nodes) &&
			result->length == result->duration;
	routes_free(routes);
	liquid_traffic_free(traffic);
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *what, double *seconds, uint32_t count, uint32_t liquid)
{
	double total = 0;
	uint32_t i;

	qsort(seconds, count, sizeof(*seconds), by_time);
	for (i = 0; i < count; i++)
		total += seconds[i];
	printf("%-12s liquid and verified %u of %u, total %.4f s, median %.1f us, p97 %.1f us, slowest %.3f ms\n",
	       what, liquid, count, total, 1e6 * seconds[count / 2],
	       1e6 * seconds[(uint64_t)count * 97 / 100], 1e3 * seconds[count - 1]);
}

/* The first allocation of each (nodes, duration). */
static uint32_t find_patterns(struct bench *b, uint32_t *pattern)
{
	static bool known[HOSTS + 1][FRAMES_MAX + 1];
	uint32_t node[HOSTS], count = 0, a, n, d;

	for (a = 1; a < ALLOCATIONS; a++) {
		n = nodes_of(a, node);
		d = duration_of(b, node, n);
		if (!known[n][d])
			pattern[count++] = a;
		known[n][d] = true;
	}
	return count;
}

int main(int argc, char **argv)
{
	static struct bench bench;
	static uint32_t list[ALLOCATIONS];
	static double seconds[ALLOCATIONS];
	uint32_t count = 0, liquid = 0, i;
	bool all = argc == 2 && !strcmp(argv[1], "--all");
	struct result result;

	if (argc > 2 || (argc == 2 && !all)) {
		fprintf(stderr, "usage: swiss-t1 [--all]\n");
		return 2;
	}
	prepare(&bench);
	if (all)
		for (i = 1; i < ALLOCATIONS; i++)
			list[count++] = i;
	else
		count = find_patterns(&bench, list);
	for (i = 0; i < count; i++) {
		run(&bench, list[i], &result);
		seconds[i] = result.seconds;
		liquid += result.right;
	}
	print(all ? "allocations" : "patterns", seconds, count, liquid);
	liquid_fabric_free(bench.fabric);
	return liquid == count && (all || count == 362) ? 0 : 1;
}
