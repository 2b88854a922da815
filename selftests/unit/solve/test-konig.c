// SPDX-License-Identifier: GPL-2.0-only
/* Edge colouring: proper, with as many colours as the largest degree, and never with fewer. */
#include <stdlib.h>
#include <string.h>

#include "problem/edge-colour.h"
#include "problem/random.h"
#include "tap.h"

enum { VERTICES = 40, DEGREE = 70, EDGES = VERTICES * DEGREE };

static bool is_proper(const struct konig_graph *graph, const uint32_t *colour, uint32_t colours)
{
	static bool left[VERTICES][DEGREE], right[VERTICES][DEGREE];
	uint32_t e;

	memset(left, 0, sizeof(left));
	memset(right, 0, sizeof(right));
	for (e = 0; e < graph->edges; e++) {
		if (colour[e] >= colours || left[graph->left[e]][colour[e]] ||
		    right[graph->right[e]][colour[e]])
			return false;
		left[graph->left[e]][colour[e]] = right[graph->right[e]][colour[e]] = true;
	}
	return true;
}

/* A regular multigraph of @degree: the sum of this many random permutations, in random order. */
static void make_regular(struct konig_graph *graph, uint32_t *left, uint32_t *right,
			 uint32_t degree,
			 struct random *random)
{
	uint32_t order[VERTICES], d, v, i, keep;

	for (v = 0; v < VERTICES; v++)
		order[v] = v;
	graph->edges = 0;
	for (d = 0; d < degree; d++)
		for (v = 0; v < VERTICES; v++) {
			i = v + random_below(random, VERTICES - v);
			keep = order[v];
			order[v] = order[i];
			order[i] = keep;
			left[graph->edges] = v;
			right[graph->edges++] = order[v];
		}
	for (v = 0; v < graph->edges; v++) {
		i = v + random_below(random, graph->edges - v);
		keep = left[v], left[v] = left[i], left[i] = keep;
		keep = right[v], right[v] = right[i], right[i] = keep;
	}
	graph->left = left;
	graph->right = right;
	graph->lefts = graph->rights = VERTICES;
}

static void test_regular(void)
{
	static const uint32_t degrees[] = { 1, 2, 3, 7, 16, 63, 64, 65, 70 };
	static uint32_t left[EDGES], right[EDGES], colour[EDGES];
	struct random random = { .state = 7 };
	struct konig konig = { 0 };
	struct konig_graph graph;
	uint32_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++) {
		make_regular(&graph, left, right, degrees[i], &random);
		ok(konig_colour(&konig, &graph, degrees[i], colour) &&
		   is_proper(&graph, colour, degrees[i]),
		   "a regular multigraph of degree %u has %u colours", degrees[i], degrees[i]);
	}
	make_regular(&graph, left, right, 5, &random);
	ok(!konig_colour(&konig, &graph, 4, colour), "four colours are too few for degree 5");
	konig_clear(&konig);
}

static void test_empty(void)
{
	struct konig konig = { 0 };
	struct konig_graph graph = { 0 };
	uint32_t colour;

	ok(konig_colour(&konig, &graph, 3, &colour), "no edges need no colours");
	konig_clear(&konig);
}

int main(void)
{
	test_regular();
	test_empty();
	return tap_exit();
}
