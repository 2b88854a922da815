// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the papers' 362 patterns of Swiss-T1, one per line, in the order of Fig. 17
 *
 * The order is by nodes, then by liquid throughput. Columns: number from 1, nodes of each switch,
 * nodes, duration, and the nodes as a list for `liquid-nl --senders 't[LIST]'` with semicolons
 * instead of commas.
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

int main(void)
{
	uint32_t allocation[SWISS_PATTERNS], count;
	struct line line[SWISS_PATTERNS];
	struct swiss_problem problem;
	struct swiss swiss;

	memset(&swiss, 0, sizeof(swiss));
	swiss_open(&swiss);
	count = swiss_patterns(&swiss, allocation);
	for (uint32_t i = 0; i < count; i++) {
		swiss_problem_open(&swiss, allocation[i], &problem);
		line[i] = (struct line){ allocation[i], problem.nodes, problem.duration };
		swiss_problem_close(&problem);
	}
	qsort(line, count, sizeof(*line), by_throughput);
	for (uint32_t i = 0; i < count; i++)
		print_line(&swiss, i + 1, &line[i]);
	swiss_close(&swiss);
	return count == SWISS_PATTERNS ? 0 : 1;
}
