// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Simulated annealing over the forest
 *
 * What is minimised is the sum of exp(beta * load) over the arcs: a smooth form of the greatest
 * load, in which the arcs next to it count, too. To that comes a price for each hop, without which
 * ways grow longer for nothing. beta grows from round to round, and the temperature falls.
 */
#include <stdlib.h>
#include <string.h>

#include "route/anneal.h"
#include "route/search.h"

#define STEPS 64			/* of the table, per unit of beta * load */
#define TABLE (40 * STEPS)		/* a load that is 40 / beta below counts as 0 */
#define ABOVE (8 * STEPS)		/* as much above it as the table goes */
#define PICKS 7				/* arcs of which the most loaded is taken */

struct search {
	struct forest *forest;
	const struct search_options *options;
	struct random random;
	double most;			/* the greatest load when the round began */
	double beta, price, heat;
	bool strict;			/* only what becomes better, nothing that stays */
	double table[ABOVE + TABLE + 1]; /* exp(beta * (load - most)), from high to low loads */
	uint32_t *stamp, now;		/* by arc: on the old way */
	uint32_t *best;			/* next[] of the best forest */
	uint8_t *best_way;		/* way[] of the pairs with it */
	double best_most;
	uint32_t best_arcs;
};

static double worth(const struct search *search, uint32_t arc, double load)
{
	double x = load / search->forest->graph->capacity[arc];
	double at = (search->most - x) * search->beta * STEPS + ABOVE;

	if (at >= ABOVE + TABLE)
		return search->price * x;
	return search->table[at > 0 ? (uint32_t)(at + 0.5) : 0] + search->price * x;
}

/* What another @demand on @arc changes */
static double change(const struct search *search, uint32_t arc, double demand)
{
	double load = (double)search->forest->load[arc];

	return worth(search, arc, load + demand) - worth(search, arc, load);
}

/* What the move of @tree to @arc changes; the tree has no circle then. */
static double difference(struct search *search, uint32_t tree, uint32_t arc)
{
	const struct forest *forest = search->forest;
	const struct route_graph *graph = forest->graph;
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	double demand = forest->demand[forest_place(forest, tree, graph->from[arc])], sum = 0;
	uint32_t common;

	search->now++;
	for (uint32_t at = next[graph->to[arc]]; at != LIQUID_NONE; at = next[graph->to[at]])
		search->stamp[at] = search->now;
	for (common = next[graph->from[arc]];
	     common != LIQUID_NONE && search->stamp[common] != search->now;
	     common = next[graph->to[common]])
		sum += change(search, common, -demand);
	sum += change(search, arc, demand);
	for (uint32_t at = next[graph->to[arc]]; at != common; at = next[graph->to[at]])
		sum += change(search, at, demand);
	return sum;
}

/* What changes if @demand from @s goes by @other and no longer by @tree */
static double way_difference(struct search *search, uint32_t tree, uint32_t other, uint32_t s,
			     double demand)
{
	const struct forest *forest = search->forest;
	const struct route_graph *graph = forest->graph;
	const uint32_t *old = &forest->next[forest_place(forest, tree, 0)];
	const uint32_t *next = &forest->next[forest_place(forest, other, 0)];
	double sum = 0;

	search->now += 2;		/* now - 1: on the old way; now: on both */
	for (uint32_t at = old[s]; at != LIQUID_NONE; at = old[graph->to[at]])
		search->stamp[at] = search->now - 1;
	for (uint32_t at = next[s]; at != LIQUID_NONE; at = next[graph->to[at]]) {
		if (search->stamp[at] == search->now - 1)
			search->stamp[at] = search->now;
		else
			sum += change(search, at, demand);
	}
	for (uint32_t at = old[s]; at != LIQUID_NONE; at = old[graph->to[at]])
		if (search->stamp[at] == search->now - 1)
			sum += change(search, at, -demand);
	return sum;
}

/* ---- the choice of a move ---- */

static uint32_t pick_arc(struct search *search)
{
	const struct forest *forest = search->forest;
	uint32_t best = random_below(&search->random, forest->graph->arcs);

	for (uint32_t i = 1; i < PICKS; i++) {
		uint32_t arc = random_below(&search->random, forest->graph->arcs);

		if (forest->load[arc] * forest->graph->capacity[best] >
		    forest->load[best] * forest->graph->capacity[arc])
			best = arc;
	}
	return best;
}

/* A tree that sends something by @arc; LIQUID_NONE: none was found */
static uint32_t pick_tree(struct search *search, uint32_t arc)
{
	const struct search_options *options = search->options;
	const struct forest *forest = search->forest;
	uint32_t s = forest->graph->from[arc];

	for (uint32_t i = 0; i < 64; i++) {
		uint32_t tree = options->tree ?
				options->tree[random_below(&search->random, options->trees)] :
				random_below(&search->random, forest->trees);
		size_t place = forest_place(forest, tree, s);

		if (forest->next[place] == arc && forest->demand[place])
			return tree;
	}
	return LIQUID_NONE;
}

/* A switch whose way leads over @arc: where that begins, or one behind it */
static uint32_t pick_switch(struct search *search, uint32_t tree, uint32_t arc)
{
	const struct forest *forest = search->forest;
	const struct route_graph *graph = forest->graph;
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t s = graph->from[arc];

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t from = random_below(&search->random, graph->switches), hops = 0, at = from;

		for (; next[at] != LIQUID_NONE && next[at] != arc; at = graph->to[next[at]])
			hops++;
		if (next[at] != arc || !hops)
			continue;
		for (hops = random_below(&search->random, hops + 1); hops; hops--)
			from = graph->to[next[from]];
		return from;
	}
	return s;
}

/* Another arc of switch @s; LIQUID_NONE: it has none */
static uint32_t pick_other(struct search *search, uint32_t s, uint32_t old)
{
	const struct route_graph *graph = search->forest->graph;
	uint32_t arcs = graph->first[s + 1] - graph->first[s], arc;

	if (arcs < 2)
		return LIQUID_NONE;
	arc = graph->first[s] + random_below(&search->random, arcs - 1);
	return arc >= old ? arc + 1 : arc;
}

/* A tree need not reach switches without hosts. */
static bool has_way(const struct forest *forest, uint32_t tree, uint32_t s)
{
	return s == forest->root[tree] ||
	       forest->next[forest_place(forest, tree, s)] != LIQUID_NONE;
}

/* Give a pair that sends by @arc in @tree another address of its receiver. */
static void try_way(struct search *search, uint32_t tree, uint32_t arc)
{
	struct ways *ways = search->options->ways;
	uint32_t pair = ways_pick(ways, search->forest, tree, arc, &search->random), other;
	uint8_t way;

	if (pair == LIQUID_NONE)
		return;
	way = (uint8_t)random_below(&search->random, ways->each - 1);
	way += way >= ways->way[pair];
	other = ways_tree(ways, pair, way);
	if (anneal_accepts(&search->random,
			   way_difference(search, tree, other, ways->pair[pair].s,
					  ways->pair[pair].count), search->heat))
		ways_move(ways, search->forest, pair, way);
}

static void try_move(struct search *search)
{
	struct forest *forest = search->forest;
	uint32_t arc = pick_arc(search), tree = pick_tree(search, arc), s, other;
	double change;

	if (tree == LIQUID_NONE)
		return;
	if (search->options->ways && random_below(&search->random, 2)) {
		try_way(search, tree, arc);
		return;
	}
	s = pick_switch(search, tree, arc);
	if (!forest->demand[forest_place(forest, tree, s)])
		return;
	other = pick_other(search, s, forest->next[forest_place(forest, tree, s)]);
	if (other == LIQUID_NONE || !has_way(forest, tree, forest->graph->to[other]) ||
	    forest_passes(forest, tree, forest->graph->to[other], s))
		return;
	if (search->options->stretch &&
	    !stretch_allows(search->options->stretch, forest, tree, other))
		return;
	change = difference(search, tree, other);
	if (search->strict ? change < 0 :
	    anneal_accepts(&search->random, change, search->heat))
		forest_move(forest, tree, other);
}

/* ---- rounds ---- */

static void set_round(struct search *search, uint32_t round)
{
	uint32_t arcs;

	search->strict = search->options->gentle && round < ANNEAL_ROUNDS / 2;
	round = search->options->gentle ? ANNEAL_ROUNDS - 1 : round;
	search->most = forest_most(search->forest, &arcs);
	search->beta = anneal_beta(round, search->most);
	search->price = search->options->length * search->beta;
	search->heat = anneal_heat(round);
	for (uint32_t i = 0; i <= ABOVE + TABLE; i++)
		search->table[i] = anneal_exp(((double)ABOVE - i) / STEPS);
}

static void keep_best(struct search *search)
{
	struct forest *forest = search->forest;
	uint32_t arcs;
	double most = forest_most(forest, &arcs);

	if (search->best_most >= 0 &&
	    (most > search->best_most || (most == search->best_most && arcs >= search->best_arcs)))
		return;
	search->best_most = most;
	search->best_arcs = arcs;
	memcpy(search->best, forest->next,
	       forest_place(forest, forest->trees, 0) * sizeof(*search->best));
	if (search->best_way)
		memcpy(search->best_way, search->options->ways->way,
		       search->options->ways->pairs);
}

/* The best forest as a whole: all trees are felled, so that none is in the way of another. */
static void return_to_best(struct search *search)
{
	struct forest *forest = search->forest;

	for (uint32_t tree = 0; tree < forest->trees; tree++)
		forest_fell(forest, tree);
	memcpy(forest->next, search->best,
	       forest_place(forest, forest->trees, 0) * sizeof(*search->best));
	if (search->best_way) {
		memcpy(search->options->ways->way, search->best_way,
		       search->options->ways->pairs);
		ways_fill(search->options->ways, forest);
	}
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		forest_plant(forest, tree);	/* has no circle, as before */
}

bool search_run(struct forest *forest, const struct search_options *options)
{
	struct search *search = calloc(1, sizeof(*search));
	bool done = false;

	if (!search)
		return false;
	search->forest = forest;
	search->options = options;
	search->random.state = options->seed;
	search->best_most = -1;
	search->stamp = calloc((size_t)forest->graph->arcs + 1, sizeof(*search->stamp));
	search->best = malloc((forest_place(forest, forest->trees, 0) + 1) *
			      sizeof(*search->best));
	if (options->ways)
		search->best_way = malloc((size_t)options->ways->pairs + 1);
	if (search->stamp && search->best && (search->best_way || !options->ways)) {
		keep_best(search);
		for (uint32_t round = 0; round < ANNEAL_ROUNDS && forest->graph->arcs; round++) {
			set_round(search, round);
			if (options->gentle && search->most <= options->enough)
				break;
			for (uint64_t i = 0; i < options->moves / ANNEAL_ROUNDS; i++)
				try_move(search);
			keep_best(search);
		}
		return_to_best(search);
		done = true;
	}
	free(search->stamp);
	free(search->best);
	free(search->best_way);
	free(search);
	return done;
}
