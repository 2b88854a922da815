// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search space of full teams: how many categories four searches go through
 *
 * After Fig. 9 of Gabrielyan & Hersch (2006): fission alone (naive), without blank
 * categories, without idle ones too, and with the skeleton first; until all full
 * teams of the traffic are found. The patterns are Swiss-T1's all-to-all patterns of
 * LEAST to MOST nodes, those of one number of nodes and one duration being one
 * pattern, which its lexicographically smallest allocation stands for. The paper does
 * not say which 23 patterns it took; of 3 to 8 nodes, the default, there are 23.
 * Fission takes the first transfer of the depot; --scarcest: one of the bottleneck
 * with the least choice.
 *
 * usage: search-space [--scarcest] [LEAST MOST]
 */
#include <stdlib.h>
#include <string.h>

#include "categories.h"

enum { SWITCHES = 8, NODES = 4, ALLOCATIONS = 390625, SEARCHES = 4 };

/* Beyond it a pattern is left out; its line says so. */
#define WORK_MAX UINT64_C(20000000000)

struct bench {
	struct liquid_fabric *fabric;
	struct liquid_error err;
	uint32_t sender[SWITCHES * NODES], receiver[SWITCHES * NODES];
	bool scarcest;
	uint32_t patterns, left_out;
	double share[SEARCHES];		/* sums, of the naive search */
};

static void die(const struct bench *bench)
{
	fprintf(stderr, "search-space: %s\n", bench->err.text);
	exit(1);
}

static void open_fabric(struct bench *bench)
{
	char name[16];

	if (liquid_fabric_make("swiss-t1", NULL, 0, &bench->fabric, &bench->err))
		die(bench);
	for (uint32_t i = 0; i < SWITCHES * NODES; i++) {
		snprintf(name, sizeof(name), "t%u", i + 1);
		bench->sender[i] = liquid_fabric_find_host(bench->fabric, name);
		snprintf(name, sizeof(name), "r%u", i + 1);
		bench->receiver[i] = liquid_fabric_find_host(bench->fabric, name);
	}
}

/* The nodes behind each switch, the first switch counting most. */
static uint32_t decode(uint32_t code, uint32_t allocation[SWITCHES])
{
	uint32_t nodes = 0;

	for (int i = SWITCHES - 1; i >= 0; i--) {
		allocation[i] = code % (NODES + 1);
		nodes += allocation[i];
		code /= NODES + 1;
	}
	return nodes;
}

static struct liquid_traffic *make_traffic(struct bench *bench,
					   const uint32_t allocation[SWITCHES])
{
	uint32_t senders[SWITCHES * NODES], receivers[SWITCHES * NODES], count = 0;
	struct liquid_traffic *traffic;

	for (uint32_t i = 0; i < SWITCHES; i++)
		for (uint32_t j = 0; j < allocation[i]; j++) {
			senders[count] = bench->sender[NODES * i + j];
			receivers[count++] = bench->receiver[NODES * i + j];
		}
	if (liquid_traffic_cross(senders, count, receivers, count, &traffic, &bench->err))
		die(bench);
	return traffic;
}

/* False where the search is too long. */
static bool count_categories(struct bench *bench, const struct routes *routes,
			     const struct routes_inverse *inverse, int search_number,
			     struct categories_counts *counts)
{
	struct budget budget = { .limit = WORK_MAX, .look = UINT64_MAX };
	struct categories search;
	enum categories_outcome outcome;

	if (!categories_new(&search, routes, inverse, &budget)) {
		fputs("search-space: out of memory\n", stderr);
		exit(1);
	}
	search.enumerate = true;
	search.options = (struct categories_options){
		.blank = search_number >= 1, .idle = search_number >= 2,
		.skeleton = search_number >= 3, .first_in_depot = !bench->scarcest,
	};
	outcome = categories_search(&search, routes->duration);
	*counts = search.counts;
	categories_clear(&search);
	return outcome == CATEGORIES_GO_ON;
}

static void print_pattern(struct bench *bench, const uint32_t allocation[SWITCHES],
			  const struct routes *routes, const struct categories_counts *counts,
			  int done)
{
	for (int i = 0; i < SWITCHES; i++)
		printf("%u", allocation[i]);
	printf("  %5u %4u", routes->transfer_count, routes->duration);
	if (done < SEARCHES) {
		puts("  too long, left out");
		bench->left_out++;
		return;
	}
	printf("  %10llu", (unsigned long long)counts[SEARCHES - 1].full_teams);
	for (int i = 0; i < SEARCHES; i++) {
		double share = (double)counts[i].categories / (double)counts[0].categories;

		printf("  %11llu %5.1f%%", (unsigned long long)counts[i].categories, 100 * share);
		bench->share[i] += share;
	}
	putchar('\n');
	fflush(stdout);
	bench->patterns++;
}

static void run_pattern(struct bench *bench, const uint32_t allocation[SWITCHES],
			const struct routes *routes)
{
	struct categories_counts counts[SEARCHES];
	struct routes_inverse inverse;
	int done = 0;

	if (!routes_invert(routes, &inverse)) {
		fputs("search-space: out of memory\n", stderr);
		exit(1);
	}
	while (done < SEARCHES && count_categories(bench, routes, &inverse, done, &counts[done]))
		done++;
	for (int i = 1; i < done; i++)
		if (counts[i].full_teams != counts[0].full_teams) {
			fputs("search-space: the searches do not agree\n", stderr);
			exit(1);
		}
	print_pattern(bench, allocation, routes, counts, done);
	routes_inverse_clear(&inverse);
}

static void run_nodes(struct bench *bench, uint32_t nodes)
{
	bool seen[SWITCHES * NODES * NODES * NODES] = { false };
	uint32_t allocation[SWITCHES];

	for (uint32_t code = 1; code < ALLOCATIONS; code++) {
		struct liquid_traffic *traffic;
		struct routes *routes;

		if (decode(code, allocation) != nodes)
			continue;
		traffic = make_traffic(bench, allocation);
		if (routes_build(bench->fabric, traffic, &routes, &bench->err))
			die(bench);
		if (routes->duration < sizeof(seen) && !seen[routes->duration]) {
			seen[routes->duration] = true;
			run_pattern(bench, allocation, routes);
		}
		routes_free(routes);
		liquid_traffic_free(traffic);
	}
}

static bool parse(struct bench *bench, int argc, char **argv, int *least, int *most)
{
	int i = 1;

	bench->scarcest = argc > i && !strcmp(argv[i], "--scarcest");
	i += bench->scarcest;
	if (argc - i == 2) {
		*least = atoi(argv[i]);
		*most = atoi(argv[i + 1]);
	} else if (argc > i) {
		return false;
	}
	return *least >= 1 && *most >= *least && *most <= SWITCHES * NODES;
}

int main(int argc, char **argv)
{
	struct bench bench = { 0 };
	int least = 3, most = 8;

	if (!parse(&bench, argc, argv, &least, &most)) {
		fputs("usage: search-space [--scarcest] [LEAST MOST]\n", stderr);
		return 2;
	}
	open_fabric(&bench);
	printf("%-8s  %5s %4s  %10s  %18s  %18s  %18s  %18s\n", "nodes", "trans", "dur",
	       "full teams", "naive", "blank", "idle", "skeleton");
	for (int i = least; i <= most; i++)
		run_nodes(&bench, (uint32_t)i);
	printf("mean of %u patterns, %u left out:", bench.patterns, bench.left_out);
	for (int i = 0; i < SEARCHES; i++)
		printf("  %.1f%%", 100 * bench.share[i] / bench.patterns);
	putchar('\n');
	liquid_fabric_free(bench.fabric);
	return 0;
}
