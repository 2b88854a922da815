// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prices by the method of Frank and Wolfe: the load of a flow gives prices, the cheapest ways for
 * these give another flow, and the two are mixed as is best. Near the best flow the prices of its
 * links, which grow with their loads, are nearly the best prices.
 */
#include <stdlib.h>
#include <string.h>

#include "route/anneal.h"
#include "route/bound.h"
#include "route/cut.h"
#include "route/heap.h"

#define PRICE_MAX 1000000		/* the dearest arc */
#define CUT_WORK 2e7			/* of a round: switches x switches x roots */
#define CUT_ROUNDS 25			/* flows between looks for cuts */
#define MEAN_ROUNDS 8			/* flows between looks at the mean of their prices */
#define MEAN_KEEP 0.97			/* of its weight is left a round later */
#define LOG_40 3.6888794541139363	/* so much more weight has a load at last: by 40 */
#define HALVINGS 12			/* of the interval in which the best mixture is sought */

struct pricing {
	const struct forest *forest;
	const struct route_graph *graph;
	uint64_t *demand;		/* by root and switch */
	double *flow, *other;		/* by arc: load of the present flow, and of the cheapest */
	double *mean;			/* by arc: of the prices, the later ones first */
	uint64_t *price;		/* by arc */
	/* Scratch, by switch */
	struct heap heap;
	uint64_t *sum;
	uint32_t *order, *way;
	struct route_cut cut;
};

static bool pricing_open(struct pricing *pricing, const struct forest *forest)
{
	const struct route_graph *graph = forest->graph;
	size_t switches = (size_t)graph->switches + 1, arcs = (size_t)graph->arcs + 1;

	*pricing = (struct pricing){ .forest = forest, .graph = graph };
	pricing->demand = calloc(switches * switches, sizeof(*pricing->demand));
	pricing->flow = calloc(arcs, sizeof(*pricing->flow));
	pricing->other = calloc(arcs, sizeof(*pricing->other));
	pricing->mean = calloc(arcs, sizeof(*pricing->mean));
	pricing->price = calloc(arcs, sizeof(*pricing->price));
	pricing->sum = calloc(switches, sizeof(*pricing->sum));
	pricing->order = calloc(switches, sizeof(*pricing->order));
	pricing->way = calloc(switches, sizeof(*pricing->way));
	if (!route_cut_open(&pricing->cut, graph, pricing->demand) ||
	    !heap_open(&pricing->heap, graph->switches) || !pricing->demand || !pricing->flow ||
	    !pricing->other || !pricing->mean || !pricing->price || !pricing->sum ||
	    !pricing->order || !pricing->way)
		return false;
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		for (uint32_t s = 0; s < graph->switches; s++)
			pricing->demand[(size_t)forest->root[tree] * graph->switches + s] +=
				forest->own[forest_place(forest, tree, s)];
	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		pricing->flow[arc] = (double)forest->load[arc];
	return true;
}

static void pricing_close(struct pricing *pricing)
{
	free(pricing->demand);
	free(pricing->flow);
	free(pricing->other);
	free(pricing->mean);
	free(pricing->price);
	free(pricing->sum);
	heap_close(&pricing->heap);
	route_cut_close(&pricing->cut);
	free(pricing->order);
	free(pricing->way);
}

/* ---- cheapest ways to a root ---- */

/* Costs and way[] of each switch; returns how many of order[] reach the root. */
static uint32_t dijkstra(struct pricing *pricing, uint32_t root)
{
	const struct route_graph *graph = pricing->graph;
	struct heap *heap = &pricing->heap;
	uint32_t done = 0;

	for (uint32_t s = 0; s < graph->switches; s++)
		heap->cost[s] = UINT64_MAX;
	heap_add(heap, root, 0);
	while (heap->count) {
		uint32_t to = heap_take(heap);

		pricing->order[done++] = to;
		for (uint32_t k = graph->first_in[to]; k < graph->first_in[to + 1]; k++) {
			uint32_t arc = graph->in[k], s = graph->from[arc];
			uint64_t cost = heap->cost[to] + pricing->price[arc];

			if (cost >= heap->cost[s])
				continue;
			if (heap->cost[s] == UINT64_MAX)
				heap_add(heap, s, cost);
			else
				heap_lower(heap, s, cost);
			pricing->way[s] = arc;
		}
	}
	return done;
}

/* Fill other[] with the cheapest flow; returns what it pays. */
static double cheapest(struct pricing *pricing)
{
	const struct route_graph *graph = pricing->graph;
	double paid = 0;

	memset(pricing->other, 0, graph->arcs * sizeof(*pricing->other));
	for (uint32_t root = 0; root < graph->switches; root++) {
		const uint64_t *demand = &pricing->demand[(size_t)root * graph->switches];

		memcpy(pricing->sum, demand, graph->switches * sizeof(*demand));
		for (uint32_t i = dijkstra(pricing, root); i-- > 1;) {
			uint32_t s = pricing->order[i];

			paid += (double)demand[s] * (double)pricing->heap.cost[s];
			pricing->other[pricing->way[s]] += (double)pricing->sum[s];
			pricing->sum[graph->to[pricing->way[s]]] += pricing->sum[s];
		}
	}
	return paid;
}

/* ---- prices ---- */

static double most(const struct pricing *pricing)
{
	double value = 0;

	for (uint32_t arc = 0; arc < pricing->graph->arcs; arc++)
		value = fmax(value, pricing->flow[arc] / pricing->graph->capacity[arc]);
	return value;
}

static void set_prices(struct pricing *pricing, double beta)
{
	const struct route_graph *graph = pricing->graph;
	double top = most(pricing);

	for (uint32_t arc = 0; arc < graph->arcs; arc++) {
		double below = pricing->flow[arc] / graph->capacity[arc] - top;

		pricing->price[arc] = (uint64_t)(PRICE_MAX * anneal_exp(beta * below) /
						 graph->capacity[arc] + 0.5);
	}
}

static double cost_of_all(const struct pricing *pricing)
{
	double sum = 0;

	for (uint32_t arc = 0; arc < pricing->graph->arcs; arc++)
		sum += (double)pricing->price[arc] * pricing->graph->capacity[arc];
	return sum;
}

/* How fast sum(exp(beta * load)) grows where @share of the other flow is mixed in */
static double slope(const struct pricing *pricing, double share, double beta, double top)
{
	double sum = 0;

	for (uint32_t arc = 0; arc < pricing->graph->arcs; arc++) {
		double step = pricing->other[arc] - pricing->flow[arc];
		double at = (pricing->flow[arc] + share * step) / pricing->graph->capacity[arc];

		sum += step / pricing->graph->capacity[arc] *
		       anneal_exp(fmin(beta * (at - top), 500));
	}
	return sum;
}

static void mix(struct pricing *pricing, double beta)
{
	double low = 0, high = 1, top = most(pricing);

	for (uint32_t i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (slope(pricing, middle, beta, top) < 0)
			low = middle;
		else
			high = middle;
	}
	for (uint32_t arc = 0; arc < pricing->graph->arcs; arc++)
		pricing->flow[arc] += low * (pricing->other[arc] - pricing->flow[arc]);
}

/*
 * Cuts by the distances from switches under the present prices. The best one is kept, and is the
 * bound where it proves more.
 */
static void try_cuts(struct pricing *pricing, struct route_bound *bound)
{
	const struct route_graph *graph = pricing->graph;
	double roots = CUT_WORK / ((double)graph->switches * graph->switches + graph->arcs);
	uint32_t step = 1 + (uint32_t)(graph->switches / (roots + 1));
	struct route_cut *cut = &pricing->cut;

	for (uint32_t root = 0; root < graph->switches; root += step)
		route_cut_sweep(cut, pricing->order, dijkstra(pricing, root));
	route_cut_improve(cut);
	if (cut->value <= bound->value)
		return;
	bound->value = cut->value;
	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		bound->price[arc] = route_cut_has(cut, arc);
}

/* Keep the prices if they prove more than the best. */
static void rate_prices(struct pricing *pricing, struct route_bound *bound)
{
	double value = cheapest(pricing) / cost_of_all(pricing);

	if (value <= bound->value)
		return;
	bound->value = value;
	memcpy(bound->price, pricing->price, pricing->graph->arcs * sizeof(*bound->price));
}

/*
 * The mean of prices proves at least the mean of what they prove, and mostly more: links that are
 * dear in turn share the price.
 */
static void try_mean(struct pricing *pricing, struct route_bound *bound)
{
	double most_dear = 0;

	for (uint32_t arc = 0; arc < pricing->graph->arcs; arc++)
		most_dear = fmax(most_dear, pricing->mean[arc]);
	for (uint32_t arc = 0; arc < pricing->graph->arcs; arc++)
		pricing->price[arc] = (uint64_t)(PRICE_MAX * pricing->mean[arc] / most_dear + 0.5);
	rate_prices(pricing, bound);
}

/* ---- rounds ---- */

static void round_of(struct pricing *pricing, uint32_t round, uint32_t rounds,
		     struct route_bound *bound)
{
	double beta = 10 * anneal_exp(LOG_40 * round / rounds) / most(pricing), all;

	if (round % CUT_ROUNDS == 0)
		try_cuts(pricing, bound);
	if (round % MEAN_ROUNDS == MEAN_ROUNDS - 1)
		try_mean(pricing, bound);
	set_prices(pricing, beta);
	rate_prices(pricing, bound);
	all = cost_of_all(pricing);
	for (uint32_t arc = 0; arc < pricing->graph->arcs; arc++)
		pricing->mean[arc] = pricing->mean[arc] * MEAN_KEEP +
				     (double)pricing->price[arc] / all;
	mix(pricing, beta);
}

bool route_bound(const struct forest *forest, uint32_t rounds, struct route_bound *bound)
{
	struct pricing pricing;
	bool done = pricing_open(&pricing, forest);

	*bound = (struct route_bound){
		.price = calloc((size_t)forest->graph->arcs + 1, sizeof(*bound->price)),
	};
	done = done && bound->price;
	if (done && most(&pricing) > 0) {
		set_prices(&pricing, 0);
		rate_prices(&pricing, bound);
		for (uint32_t i = 0; i < rounds; i++)
			round_of(&pricing, i, rounds, bound);
		try_cuts(&pricing, bound);
	}
	pricing_close(&pricing);
	return done;
}
