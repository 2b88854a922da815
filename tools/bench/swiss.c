// SPDX-License-Identifier: GPL-2.0-only
/* Allocations and patterns of Swiss-T1: making, solving and checking them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "swiss.h"

double bench_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void swiss_die(const struct swiss *swiss)
{
	fprintf(stderr, "swiss-t1: %s\n", swiss->err.text);
	exit(1);
}

void swiss_open(struct swiss *swiss)
{
	char name[16];
	int count;

	if (liquid_fabric_make("swiss-t1", NULL, 0, &swiss->fabric, &swiss->err) != LIQUID_OK)
		swiss_die(swiss);
	for (uint32_t i = 0; i < SWISS_HOSTS; i++) {
		snprintf(name, sizeof(name), "t%u", i + 1);
		swiss->sender[i] = liquid_fabric_find_host(swiss->fabric, name);
		snprintf(name, sizeof(name), "r%u", i + 1);
		swiss->receiver[i] = liquid_fabric_find_host(swiss->fabric, name);
	}
	for (uint32_t i = 0; i < SWISS_HOSTS; i++)
		for (uint32_t j = 0; j < SWISS_HOSTS; j++) {
			count = liquid_fabric_route(swiss->fabric, swiss->sender[i],
						    swiss->receiver[j], swiss->path[i][j].link,
						    &swiss->err);
			if (count < 0)
				swiss_die(swiss);
			swiss->path[i][j].count = (uint32_t)count;
		}
}

void swiss_close(struct swiss *swiss)
{
	liquid_fabric_free(swiss->fabric);
}

/* An allocation is a number in base 5; its first digit is that of the first switch. */
static uint32_t nodes_of(uint32_t allocation, uint32_t *node)
{
	uint32_t count = 0, weight = SWISS_ALLOCATIONS / 5;

	for (uint32_t s = 0; s < SWISS_SWITCHES; s++, weight /= 5)
		for (uint32_t k = 0; k < allocation / weight % 5; k++)
			node[count++] = s * SWISS_NODES + k;
	return count;
}

uint32_t swiss_nodes(uint32_t allocation)
{
	uint32_t node[SWISS_HOSTS];

	return nodes_of(allocation, node);
}

/* The routes between nodes of two switches, of which all pairs are alike except for their ends. */
static const struct swiss_path *path_between(const struct swiss *swiss, uint32_t from, uint32_t to)
{
	return &swiss->path[from * SWISS_NODES][to * SWISS_NODES];
}

static void count_behind(const uint32_t *node, uint32_t count, uint32_t behind[SWISS_SWITCHES])
{
	memset(behind, 0, SWISS_SWITCHES * sizeof(*behind));
	for (uint32_t i = 0; i < count; i++)
		behind[node[i] / SWISS_NODES]++;
}

/*
 * The largest load, and those of the links between switches. Each of the links at the ends
 * carries one transfer to or from every node.
 */
static uint32_t loads_of(const struct swiss *swiss, const uint32_t behind[SWISS_SWITCHES],
			 uint32_t count, uint32_t load[SWISS_LINKS_MAX])
{
	uint32_t most = count;

	memset(load, 0, SWISS_LINKS_MAX * sizeof(*load));
	for (uint32_t i = 0; i < SWISS_SWITCHES; i++)
		for (uint32_t j = 0; j < SWISS_SWITCHES; j++) {
			const struct swiss_path *path = path_between(swiss, i, j);

			for (uint32_t k = 1; k + 1 < path->count; k++) {
				load[path->link[k]] += behind[i] * behind[j];
				if (load[path->link[k]] > most)
					most = load[path->link[k]];
			}
		}
	return most;
}

static uint32_t duration_of(const struct swiss *swiss, const uint32_t *node, uint32_t count)
{
	uint32_t load[SWISS_LINKS_MAX], behind[SWISS_SWITCHES];

	count_behind(node, count, behind);
	return loads_of(swiss, behind, count, load);
}

uint32_t swiss_skeleton(const struct swiss *swiss, uint32_t allocation, uint32_t *duration)
{
	uint32_t load[SWISS_LINKS_MAX], behind[SWISS_SWITCHES], node[SWISS_HOSTS];
	uint32_t count = nodes_of(allocation, node), skeleton = 0;

	count_behind(node, count, behind);
	*duration = loads_of(swiss, behind, count, load);
	for (uint32_t i = 0; i < SWISS_SWITCHES; i++)
		for (uint32_t j = 0; j < SWISS_SWITCHES; j++) {
			const struct swiss_path *path = path_between(swiss, i, j);
			bool in = count == *duration;

			for (uint32_t k = 1; k + 1 < path->count; k++)
				in |= load[path->link[k]] == *duration;
			skeleton += in ? behind[i] * behind[j] : 0;
		}
	return skeleton;
}

static bool share_link(const struct routes *routes, uint32_t a, uint32_t b)
{
	for (uint32_t i = routes->first[a]; i < routes->first[a + 1]; i++)
		for (uint32_t j = routes->first[b]; j < routes->first[b + 1]; j++)
			if (routes->links[i] == routes->links[j])
				return true;
	return false;
}

uint64_t swiss_edges(const struct swiss_problem *problem)
{
	uint64_t edges = 0;

	for (uint32_t a = 0; a < problem->routes->pair_count; a++)
		for (uint32_t b = 0; b < a; b++)
			edges += share_link(problem->routes, a, b);
	return edges;
}

uint32_t swiss_patterns(const struct swiss *swiss, uint32_t allocation[SWISS_PATTERNS])
{
	bool known[SWISS_HOSTS + 1][SWISS_FRAMES_MAX + 1] = { { false } };
	uint32_t node[SWISS_HOSTS], count = 0;

	for (uint32_t a = 1; a < SWISS_ALLOCATIONS; a++) {
		uint32_t nodes = nodes_of(a, node), duration = duration_of(swiss, node, nodes);

		if (!known[nodes][duration] && count < SWISS_PATTERNS)
			allocation[count++] = a;
		known[nodes][duration] = true;
	}
	return count;
}

uint32_t swiss_find(const struct swiss *swiss, uint32_t nodes, uint32_t duration)
{
	uint32_t node[SWISS_HOSTS];

	for (uint32_t a = 1; a < SWISS_ALLOCATIONS; a++)
		if (nodes_of(a, node) == nodes && duration_of(swiss, node, nodes) == duration)
			return a;
	return 0;
}

void swiss_problem_open(struct swiss *swiss, uint32_t allocation, struct swiss_problem *problem)
{
	uint32_t from[SWISS_HOSTS], to[SWISS_HOSTS], count;

	count = problem->nodes = nodes_of(allocation, problem->node);
	problem->duration = duration_of(swiss, problem->node, count);
	for (uint32_t i = 0; i < count; i++) {
		from[i] = swiss->sender[problem->node[i]];
		to[i] = swiss->receiver[problem->node[i]];
	}
	if (liquid_traffic_cross(from, count, to, count, &problem->traffic, &swiss->err) ||
	    routes_build(swiss->fabric, problem->traffic, &problem->routes, &swiss->err))
		swiss_die(swiss);
}

void swiss_problem_close(struct swiss_problem *problem)
{
	routes_free(problem->routes);
	liquid_traffic_free(problem->traffic);
}

bool swiss_check(const struct swiss *swiss, const struct swiss_problem *problem,
		 const uint32_t *frame, uint32_t length)
{
	const struct routes *routes = problem->routes;
	uint64_t busy[SWISS_LINKS_MAX] = { 0 }, seen = 0;
	uint32_t host_node[2 * SWISS_HOSTS] = { 0 };

	if (!length || length > SWISS_FRAMES_MAX || routes->pair_count != routes->transfer_count ||
	    routes->transfer_count != problem->nodes * problem->nodes)
		return false;
	for (uint32_t k = 0; k < SWISS_HOSTS; k++)
		host_node[swiss->sender[k]] = host_node[swiss->receiver[k]] = k;
	for (uint32_t p = 0; p < routes->pair_count; p++) {
		const struct swiss_path *path = &swiss->path[host_node[routes->pairs[p].src]]
							    [host_node[routes->pairs[p].dst]];
		uint64_t bit;

		if (frame[p] >= length)
			return false;
		bit = UINT64_C(1) << frame[p];
		for (uint32_t k = 0; k < path->count; k++) {
			if (busy[path->link[k]] & bit)
				return false;
			busy[path->link[k]] |= bit;
		}
		seen |= bit;
	}
	return (uint32_t)__builtin_popcountll(seen) == length;
}

uint32_t swiss_solve(struct swiss *swiss, const struct swiss_problem *problem,
		     const struct method *method, uint64_t work, uint32_t *frame)
{
	struct budget budget = { .limit = work, .look = UINT64_MAX };
	struct solving solving = { .routes = problem->routes, .budget = &budget, .frame = frame,
				   .lower_bound = problem->routes->duration };

	if (method_run(method, &solving, &swiss->err) != LIQUID_OK)
		swiss_die(swiss);
	routes_inverse_clear(&solving.inverse);
	witness_clear(&solving.witness);
	return solving.length;
}
