// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search space of full teams: the number of categories that four searches visit
 *
 * Repeats Fig. 9 of Gabrielyan & Hersch (2006). The searches find all full teams of the
 * traffic: by fission alone (naive); without blank categories; also without idle ones; and
 * also with the skeleton first. The patterns are all-to-all patterns of Swiss-T1 with LEAST to
 * MOST nodes. A pattern is all allocations with the same number of nodes and the same
 * duration, represented by the lexicographically smallest one. The paper does not say which 23
 * patterns it used; there are 23 with 3 to 8 nodes, the default. Fission uses the first
 * transfer of the depot; with --scarcest, one of the bottleneck with the least choice.
 *
 * Also prints the skeleton's share of the transfers, as a mean over all 362 patterns, beside
 * the published figure.
 *
 * usage: search-space [--scarcest] [LEAST MOST]
 */
#include <stdlib.h>
#include <string.h>

#include "solve/baselines/categories.h"
#include "swiss.h"

enum { SEARCHES = 4 };

/* A pattern that needs more work is left out, and its line says so. */
#define WORK_MAX UINT64_C(20000000000)

struct bench {
	struct swiss swiss;
	bool scarcest;
	uint32_t patterns, left_out;
	double share[SEARCHES];		/* sums of categories relative to the naive search */
};

/* Returns false if the search exceeds WORK_MAX. */
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

static void print_pattern(struct bench *bench, const struct swiss_problem *problem,
			  const struct categories_counts *counts, int done)
{
	uint32_t behind[SWISS_SWITCHES] = { 0 };

	for (uint32_t i = 0; i < problem->nodes; i++)
		behind[problem->node[i] / SWISS_NODES]++;
	for (int i = 0; i < SWISS_SWITCHES; i++)
		printf("%u", behind[i]);
	printf("  %5u %4u", problem->routes->transfer_count, problem->duration);
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

static void run_pattern(struct bench *bench, const struct swiss_problem *problem)
{
	const struct routes *routes = problem->routes;
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
	print_pattern(bench, problem, counts, done);
	routes_inverse_clear(&inverse);
}

/* Run the searches on patterns of @least to @most nodes, and print the mean skeleton of all. */
static void run_patterns(struct bench *bench, uint32_t least, uint32_t most)
{
	uint32_t allocation[SWISS_PATTERNS], count = swiss_patterns(&bench->swiss, allocation);
	double share = 0;

	for (uint32_t nodes = 1; nodes <= SWISS_HOSTS; nodes++)
		for (uint32_t i = 0; i < count; i++) {
			struct swiss_problem problem;
			uint32_t duration;

			if (swiss_nodes(allocation[i]) != nodes)
				continue;
			share += swiss_skeleton(&bench->swiss, allocation[i], &duration) /
				 ((double)nodes * nodes);
			if (nodes < least || nodes > most)
				continue;
			swiss_problem_open(&bench->swiss, allocation[i], &problem);
			run_pattern(bench, &problem);
			swiss_problem_close(&problem);
		}
	printf("skeleton: %.1f%% of the transfers, mean of all %u patterns (published: 31.5%%)\n",
	       100 * share / count, count);
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
	return *least >= 1 && *most >= *least && *most <= SWISS_HOSTS;
}

int main(int argc, char **argv)
{
	static struct bench bench;
	int least = 3, most = 8;

	if (!parse(&bench, argc, argv, &least, &most)) {
		fputs("usage: search-space [--scarcest] [LEAST MOST]\n", stderr);
		return 2;
	}
	swiss_open(&bench.swiss);
	printf("%-8s  %5s %4s  %10s  %18s  %18s  %18s  %18s\n", "nodes", "trans", "dur",
	       "full teams", "naive", "blank", "idle", "skeleton");
	run_patterns(&bench, (uint32_t)least, (uint32_t)most);
	printf("mean of %u patterns, %u left out:", bench.patterns, bench.left_out);
	for (int i = 0; i < SEARCHES; i++)
		printf("  %.1f%%", 100 * bench.share[i] / bench.patterns);
	putchar('\n');
	swiss_close(&bench.swiss);
	return 0;
}
