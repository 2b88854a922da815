// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the papers' 362 patterns of Swiss-T1, one per line, in the order of Fig. 17
 *
 * The order is by nodes, then by liquid throughput. Columns: number from 1, nodes of each switch,
 * nodes, duration, and the nodes as a list for `liquid-nl --senders 't[LIST]'` with semicolons
 * instead of commas.
 *
 * With --congestion the columns are: number, nodes, duration, transfers; those of them that use a
 * bottleneck (the skeleton), and the least and the most of any allocation with as many nodes and
 * this duration; edges of the congestion graph.
 */
#include <stdlib.h>
#include <string.h>

#include "swiss.h"

struct line {
	uint32_t allocation, nodes, duration;
};

/* For the same number of nodes, a longer duration means less throughput. */
static int by_throughput(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->nodes != y->nodes)
		return x->nodes < y->nodes ? -1 : 1;
	return x->duration == y->duration ? 0 : x->duration > y->duration ? -1 : 1;
}

static void print_nodes(const struct swiss_problem *problem)
{
	for (uint32_t i = 0; i < problem->nodes; i++)
		printf("%s%u", i ? ";" : "", problem->node[i] + 1);
	putchar('\n');
}

static void print_line(struct swiss *swiss, uint32_t number, const struct line *line)
{
	uint32_t behind[SWISS_SWITCHES] = { 0 };
	struct swiss_problem problem;

	swiss_problem_open(swiss, line->allocation, &problem);
	for (uint32_t i = 0; i < problem.nodes; i++)
		behind[problem.node[i] / SWISS_NODES]++;
	printf("%u,", number);
	for (uint32_t s = 0; s < SWISS_SWITCHES; s++)
		printf("%u", behind[s]);
	printf(",%u,%u,", line->nodes, line->duration);
	print_nodes(&problem);
	swiss_problem_close(&problem);
}

/* ---- --congestion ---- */

struct skeletons {
	uint32_t least, most;		/* transfers; most 0: no allocation yet */
};

/* By nodes and duration, of all allocations */
static struct skeletons skeletons[SWISS_HOSTS + 1][SWISS_FRAMES_MAX + 1];

static void find_skeletons(const struct swiss *swiss)
{
	for (uint32_t a = 1; a < SWISS_ALLOCATIONS; a++) {
		uint32_t duration, transfers = swiss_skeleton(swiss, a, &duration);
		struct skeletons *class = &skeletons[swiss_nodes(a)][duration];

		if (!class->most || transfers < class->least)
			class->least = transfers;
		if (transfers > class->most)
			class->most = transfers;
	}
}

static void print_congestion(struct swiss *swiss, uint32_t number, const struct line *line)
{
	const struct skeletons *class = &skeletons[line->nodes][line->duration];
	struct swiss_problem problem;
	uint32_t duration;

	swiss_problem_open(swiss, line->allocation, &problem);
	printf("%u,%u,%u,%u,%u,%u,%u,%llu\n", number, line->nodes, line->duration,
	       line->nodes * line->nodes, swiss_skeleton(swiss, line->allocation, &duration),
	       class->least, class->most, (unsigned long long)swiss_edges(&problem));
	swiss_problem_close(&problem);
}

/* ---- */

static int usage(void)
{
	fputs("usage: patterns [--congestion]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	bool congestion = argc == 2 && !strcmp(argv[1], "--congestion");
	uint32_t allocation[SWISS_PATTERNS], count;
	struct line line[SWISS_PATTERNS];
	struct swiss_problem problem;
	struct swiss swiss;

	if (argc > 1 && !congestion)
		return usage();
	memset(&swiss, 0, sizeof(swiss));
	swiss_open(&swiss);
	count = swiss_patterns(&swiss, allocation);
	for (uint32_t i = 0; i < count; i++) {
		swiss_problem_open(&swiss, allocation[i], &problem);
		line[i] = (struct line){ allocation[i], problem.nodes, problem.duration };
		swiss_problem_close(&problem);
	}
	qsort(line, count, sizeof(*line), by_throughput);
	if (congestion)
		find_skeletons(&swiss);
	for (uint32_t i = 0; i < count; i++)
		(congestion ? print_congestion : print_line)(&swiss, i + 1, &line[i]);
	swiss_close(&swiss);
	return count == SWISS_PATTERNS ? 0 : 1;
}
