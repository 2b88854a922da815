// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The search for a regular forest
 *
 * Of each orbit of switches the first one's trees are searched, by annealing as in search.c: a
 * move gives a switch of a tree another arc on a shortest way. What is counted are the loads of
 * orbits of arcs, and the kinds of turns, that is orbits of dependencies: the fewer there are, the
 * fewer lanes keep them free of circles. Then all trees are planted as translations of these, in
 * the first lane that takes them.
 */
#include <stdlib.h>
#include <string.h>

#include "route/anneal.h"
#include "route/regular.h"

#define ORBITS_MAX	1024u		/* of arcs */
#define FIRST_MAX	8u		/* orbits of switches: with more, little is regular */

struct regular {
	struct forest *forest;
	const struct route_graph *graph;
	const struct translations *translations;
	const struct regular_options *options;
	struct random random;
	uint32_t *first, *by;		/* by switch: first of its orbit; translation from it */
	uint32_t *orbit;		/* by arc */
	uint32_t orbits;
	uint32_t *capacity;		/* by orbit */
	uint64_t *load;			/* by orbit */
	uint32_t *turns;		/* by orbit and orbit: switches of trees that turn so */
	uint32_t kinds;			/* of turns with more than none */
	uint32_t *number;		/* by tree: which of its switch's hosts it leads to */
	uint32_t trees;			/* those of first switches */
	uint32_t *tree;			/* the same: trees of the forest */
	uint32_t *distance, *queue;	/* by such tree and switch: hops to the root; scratch */
	uint32_t *least;		/* by such tree and switch: dimension that comes first */
	uint32_t *next;			/* by such tree and switch: arc */
	uint32_t *demand;		/* by such tree and switch */
	double most, beta, heat;
};

static uint32_t image(const struct regular *regular, uint32_t translation, uint32_t s)
{
	return regular->translations->at[(size_t)translation * regular->graph->switches + s];
}

/* The image of an arc: of several between the same switches, the one with as many before it */
static uint32_t image_arc(const struct regular *regular, uint32_t translation, uint32_t arc)
{
	const struct route_graph *graph = regular->graph;
	uint32_t from = image(regular, translation, graph->from[arc]);
	uint32_t to = image(regular, translation, graph->to[arc]), before = 0, at;

	for (at = graph->first[graph->from[arc]]; at < arc; at++)
		before += graph->to[at] == graph->to[arc] &&
			  graph->capacity[at] == graph->capacity[arc];
	for (at = graph->first[from]; at < graph->first[from + 1]; at++)
		if (graph->to[at] == to && graph->capacity[at] == graph->capacity[arc] && !before--)
			return at;
	return LIQUID_NONE;
}

/* ---- orbits ---- */

static void find_switches(struct regular *regular)
{
	for (uint32_t s = 0; s < regular->graph->switches; s++)
		regular->first[s] = LIQUID_NONE;
	for (uint32_t s = 0; s < regular->graph->switches; s++) {
		if (regular->first[s] != LIQUID_NONE)
			continue;
		for (uint32_t t = 0; t < regular->translations->count; t++) {
			regular->first[image(regular, t, s)] = s;
			regular->by[image(regular, t, s)] = t;
		}
	}
}

/* False: parallel links differ, or there are too many orbits. */
static bool find_arcs(struct regular *regular)
{
	const struct route_graph *graph = regular->graph;

	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		regular->orbit[arc] = LIQUID_NONE;
	for (uint32_t arc = 0; arc < graph->arcs; arc++) {
		if (regular->orbit[arc] != LIQUID_NONE)
			continue;
		if (regular->orbits == ORBITS_MAX)
			return false;
		for (uint32_t t = 0; t < regular->translations->count; t++) {
			uint32_t at = image_arc(regular, t, arc);

			if (at == LIQUID_NONE)
				return false;
			regular->orbit[at] = regular->orbits;
		}
		regular->capacity[regular->orbits++] = graph->capacity[arc];
	}
	return true;
}

/*
 * Number the hosts of each switch, and take the trees of first switches. False: a switch has not as
 * many trees as the first of its orbit.
 */
static bool find_trees(struct regular *regular)
{
	const struct forest *forest = regular->forest;
	uint32_t *hosts = regular->queue;

	memset(hosts, 0, regular->graph->switches * sizeof(*hosts));
	for (uint32_t tree = 0; tree < forest->trees; tree++) {
		uint32_t s = forest->root[tree];

		regular->number[tree] = hosts[s]++;
		if (regular->first[s] == s)
			regular->tree[regular->trees++] = tree;
	}
	for (uint32_t s = 0; s < regular->graph->switches; s++)
		if (hosts[s] != hosts[regular->first[s]] ||
		    regular->graph->senders[s] != regular->graph->senders[regular->first[s]])
			return false;
	return regular->trees;
}

/* ---- trees of first switches ---- */

static size_t place(const struct regular *regular, uint32_t i, uint32_t s)
{
	return (size_t)i * regular->graph->switches + s;
}

static uint32_t root_of(const struct regular *regular, uint32_t i)
{
	return regular->forest->root[regular->tree[i]];
}

static uint32_t dimension_of(const struct regular *regular, uint32_t arc)
{
	const struct regular_dimensions *dimensions = regular->options->dimensions;

	return dimensions ? dimensions->dimension[arc] : 0;
}

static bool is_shorter(const struct regular *regular, uint32_t i, uint32_t arc)
{
	const uint32_t *distance = &regular->distance[place(regular, i, 0)];

	return distance[regular->graph->from[arc]] != LIQUID_NONE &&
	       distance[regular->graph->to[arc]] + 1 == distance[regular->graph->from[arc]];
}

/* A tree may have the arc: a shortest way begins with it, and none in a lower dimension does. */
static bool may_have(const struct regular *regular, uint32_t i, uint32_t arc)
{
	return is_shorter(regular, i, arc) &&
	       dimension_of(regular, arc) ==
		       regular->least[place(regular, i, regular->graph->from[arc])];
}

/* Count the turn from @s to the next switch @change times more. */
static void count_turn(struct regular *regular, uint32_t i, uint32_t s, int32_t change)
{
	uint32_t arc = regular->next[place(regular, i, s)], then;
	uint32_t *count;

	if (arc == LIQUID_NONE || !regular->demand[place(regular, i, s)])
		return;
	then = regular->next[place(regular, i, regular->graph->to[arc])];
	if (then == LIQUID_NONE)
		return;
	count = &regular->turns[(size_t)regular->orbit[arc] * regular->orbits +
				regular->orbit[then]];
	regular->kinds -= *count > 0;
	*count += (uint32_t)change;
	regular->kinds += *count > 0;
}

/* Let @demand more, or less, go from @s to the root. */
static void carry(struct regular *regular, uint32_t i, uint32_t s, int64_t demand)
{
	uint32_t arc = regular->next[place(regular, i, s)];

	while (arc != LIQUID_NONE) {
		regular->load[regular->orbit[arc]] += (uint64_t)demand;
		s = regular->graph->to[arc];
		regular->demand[place(regular, i, s)] += (uint32_t)demand;
		arc = regular->next[place(regular, i, s)];
	}
}

/* The turns at a switch: its own, and those of the switches that send by it */
static void count_turns(struct regular *regular, uint32_t i, uint32_t s, int32_t change)
{
	const struct route_graph *graph = regular->graph;

	count_turn(regular, i, s, change);
	for (uint32_t k = graph->first_in[s]; k < graph->first_in[s + 1]; k++)
		if (regular->next[place(regular, i, graph->from[graph->in[k]])] == graph->in[k])
			count_turn(regular, i, graph->from[graph->in[k]], change);
}

static void set_next(struct regular *regular, uint32_t i, uint32_t s, uint32_t arc)
{
	int64_t demand = regular->demand[place(regular, i, s)];

	count_turns(regular, i, s, -1);
	carry(regular, i, s, -demand);
	regular->next[place(regular, i, s)] = arc;
	carry(regular, i, s, demand);
	count_turns(regular, i, s, 1);
}

/* Each switch takes the first arc on a shortest way. False: there is no way. */
static bool grow_first(struct regular *regular, uint32_t i)
{
	const struct route_graph *graph = regular->graph;
	uint32_t *distance = &regular->distance[place(regular, i, 0)];

	regular->queue[0] = root_of(regular, i);
	for (uint32_t s = 0; s < graph->switches; s++) {
		regular->next[place(regular, i, s)] = LIQUID_NONE;
		regular->least[place(regular, i, s)] = LIQUID_NONE;
		regular->demand[place(regular, i, s)] = 0;
	}
	route_graph_distances(graph, regular->queue, 1, distance);
	for (uint32_t arc = 0; arc < graph->arcs; arc++) {
		size_t at = place(regular, i, graph->from[arc]);

		if (is_shorter(regular, i, arc) &&
		    dimension_of(regular, arc) < regular->least[at]) {
			regular->least[at] = dimension_of(regular, arc);
			regular->next[at] = arc;
		}
	}
	for (uint32_t s = 0; s < graph->switches; s++) {
		uint32_t own = regular->forest->own[forest_place(regular->forest,
								 regular->tree[i], s)];

		if (graph->senders[s] && distance[s] == LIQUID_NONE)
			return false;
		regular->demand[place(regular, i, s)] += own;
		carry(regular, i, s, own);
	}
	for (uint32_t s = 0; s < graph->switches; s++)
		count_turn(regular, i, s, 1);
	return true;
}

/* Of the trees of first switches, the one that @tree is a translation of */
static uint32_t first_tree(const struct regular *regular, uint32_t tree)
{
	uint32_t i = 0;

	while (root_of(regular, i) != regular->first[regular->forest->root[tree]] ||
	       regular->number[regular->tree[i]] != regular->number[tree])
		i++;
	return i;
}

/* What the hosts send is the same after a translation. */
static bool is_regular(const struct regular *regular)
{
	const struct forest *forest = regular->forest;

	for (uint32_t tree = 0; tree < forest->trees; tree++) {
		uint32_t first = regular->tree[first_tree(regular, tree)];
		uint32_t by = regular->by[forest->root[tree]];

		for (uint32_t s = 0; s < regular->graph->switches; s++)
			if (forest->own[forest_place(forest, first, s)] !=
			    forest->own[forest_place(forest, tree, image(regular, by, s))])
				return false;
	}
	return true;
}

/* ---- annealing ---- */

static double most_of(const struct regular *regular)
{
	double most = 0;

	for (uint32_t o = 0; o < regular->orbits; o++)
		most = fmax(most, (double)regular->load[o] / regular->capacity[o]);
	return most;
}

static double worth(const struct regular *regular)
{
	double sum = regular->options->turns * regular->kinds;

	for (uint32_t o = 0; o < regular->orbits; o++) {
		double load = (double)regular->load[o] / regular->capacity[o];

		sum += anneal_exp(regular->beta * (load - regular->most));
	}
	return sum;
}

/* Whether what changed since the forest was @before worth stays */
static bool accepts(struct regular *regular, double before)
{
	return anneal_accepts(&regular->random, worth(regular) - before, regular->heat);
}

/* Another arc for one switch of a tree */
static void try_move(struct regular *regular)
{
	const struct route_graph *graph = regular->graph;
	uint32_t i = random_below(&regular->random, regular->trees);
	uint32_t s = random_below(&regular->random, graph->switches), arc, old;
	double before;

	old = regular->next[place(regular, i, s)];
	if (old == LIQUID_NONE || !regular->demand[place(regular, i, s)])
		return;
	arc = graph->first[s] + random_below(&regular->random,
					     graph->first[s + 1] - graph->first[s]);
	if (arc == old || !may_have(regular, i, arc))
		return;
	before = worth(regular);
	set_next(regular, i, s, arc);
	if (!accepts(regular, before))
		set_next(regular, i, s, old);
}

/* All switches of the orbit of @first that may send in the direction of @arc do so. */
static void turn_all(struct regular *regular, uint32_t first, uint32_t arc)
{
	const uint32_t *direction = regular->options->dimensions->direction;
	const struct route_graph *graph = regular->graph;

	for (uint32_t s = 0; s < graph->switches; s++) {
		uint32_t at = graph->first[s];

		if (regular->first[s] != first)
			continue;
		while (direction[at] != direction[arc])
			at++;
		for (uint32_t i = 0; i < regular->trees; i++)
			if (may_have(regular, i, at) && regular->next[place(regular, i, s)] != at)
				set_next(regular, i, s, at);
	}
}

/* Another direction for all switches of an orbit that have the choice */
static void try_turn(struct regular *regular)
{
	const struct route_graph *graph = regular->graph;
	const struct regular_dimensions *dimensions = regular->options->dimensions;
	uint32_t s = regular->first[random_below(&regular->random, graph->switches)];
	uint32_t arcs = graph->first[s + 1] - graph->first[s];
	uint32_t to = graph->first[s] + random_below(&regular->random, arcs), from;
	double before = worth(regular);

	for (from = graph->first[s]; from < graph->first[s + 1]; from++)
		if (from != to && dimensions->dimension[from] == dimensions->dimension[to])
			break;
	if (from == graph->first[s + 1])
		return;
	turn_all(regular, s, to);
	if (!accepts(regular, before))
		turn_all(regular, s, from);
}

static void anneal(struct regular *regular)
{
	for (uint32_t round = 0; round < ANNEAL_ROUNDS; round++) {
		regular->most = most_of(regular);
		regular->beta = anneal_beta(round, regular->most);
		regular->heat = anneal_heat(round);
		for (uint64_t k = 0; k < regular->options->moves / ANNEAL_ROUNDS; k++)
			if (regular->options->dimensions)
				try_turn(regular);
			else
				try_move(regular);
	}
}

/* ---- all trees ---- */

/* Plant @tree as the translation of the @i-th first tree. False: a circle in each lane. */
static bool plant_tree(struct regular *regular, uint32_t tree, uint32_t i, uint32_t lane)
{
	struct forest *forest = regular->forest;
	uint32_t by = regular->by[forest->root[tree]], lanes = forest->lanes->lanes;

	for (uint32_t s = 0; s < regular->graph->switches; s++) {
		uint32_t arc = regular->next[place(regular, i, s)];

		forest->next[forest_place(forest, tree, image(regular, by, s))] =
			arc == LIQUID_NONE ? LIQUID_NONE : image_arc(regular, by, arc);
	}
	for (uint32_t k = 0; k < lanes; k++) {
		forest->lane[tree] = (uint8_t)((lane + k) % lanes);
		if (forest_plant(forest, tree))
			return true;
	}
	return false;
}

static bool plant_all(struct regular *regular, const uint32_t *lane)
{
	struct forest *forest = regular->forest;
	uint32_t tree;

	for (tree = 0; tree < forest->trees; tree++)
		if (!plant_tree(regular, tree, first_tree(regular, tree), lane[forest->root[tree]]))
			break;
	if (tree == forest->trees)
		return true;
	while (tree--)
		forest_fell(forest, tree);
	return false;
}

static bool get_memory(struct regular *regular)
{
	size_t switches = (size_t)regular->graph->switches + 1;
	size_t arcs = (size_t)regular->graph->arcs + 1;
	size_t trees = (size_t)regular->forest->trees + 1;

	regular->first = calloc(switches, sizeof(uint32_t));
	regular->by = calloc(switches, sizeof(uint32_t));
	regular->queue = calloc(switches, sizeof(uint32_t));
	regular->orbit = calloc(arcs, sizeof(uint32_t));
	regular->capacity = calloc(ORBITS_MAX, sizeof(uint32_t));
	regular->load = calloc(ORBITS_MAX, sizeof(uint64_t));
	regular->number = calloc(trees, sizeof(uint32_t));
	regular->tree = calloc(trees, sizeof(uint32_t));
	return regular->first && regular->by && regular->queue && regular->orbit &&
	       regular->capacity && regular->load && regular->number && regular->tree;
}

/* What depends on the number of orbits and of first trees */
static bool get_places(struct regular *regular)
{
	size_t places = (size_t)regular->trees * regular->graph->switches + 1;

	regular->turns = calloc((size_t)regular->orbits * regular->orbits + 1, sizeof(uint32_t));
	regular->distance = calloc(places, sizeof(uint32_t));
	regular->next = calloc(places, sizeof(uint32_t));
	regular->least = calloc(places, sizeof(uint32_t));
	regular->demand = calloc(places, sizeof(uint32_t));
	return regular->turns && regular->distance && regular->next && regular->least &&
	       regular->demand;
}

static void let_go(struct regular *regular)
{
	free(regular->first);
	free(regular->by);
	free(regular->queue);
	free(regular->orbit);
	free(regular->capacity);
	free(regular->load);
	free(regular->number);
	free(regular->tree);
	free(regular->turns);
	free(regular->distance);
	free(regular->next);
	free(regular->least);
	free(regular->demand);
}

bool regular_dimensions_find(const struct route_graph *graph,
			     const struct translations *translations,
			     struct regular_dimensions *found)
{
	struct forest none = { .graph = graph };
	struct regular regular = { .forest = &none, .graph = graph, .translations = translations };
	bool done;

	found->direction = malloc(((size_t)graph->arcs + 1) * sizeof(*found->direction));
	found->dimension = malloc(((size_t)graph->arcs + 1) * sizeof(*found->dimension));
	done = found->direction && found->dimension && get_memory(&regular) && find_arcs(&regular);
	for (uint32_t arc = 0; done && arc < graph->arcs; arc++) {
		uint32_t from = graph->from[arc], to = graph->to[arc];

		found->direction[arc] = regular.orbit[arc];
		found->dimension[arc] = regular.orbit[arc];
		for (uint32_t back = graph->first[to]; back < graph->first[to + 1]; back++)
			if (graph->to[back] == from && regular.orbit[back] < found->dimension[arc])
				found->dimension[arc] = regular.orbit[back];
	}
	let_go(&regular);
	return done;
}

void regular_dimensions_clear(struct regular_dimensions *found)
{
	free(found->direction);
	free(found->dimension);
}

bool regular_plant(struct forest *forest, const struct translations *translations,
		   const uint32_t *lane, const struct regular_options *options, bool *planted)
{
	struct regular regular = { .forest = forest, .graph = forest->graph, .options = options,
				   .translations = translations, .random.state = options->seed };
	bool done = true;

	*planted = false;
	if ((uint64_t)translations->count * FIRST_MAX < forest->graph->switches)
		return true;
	done = get_memory(&regular);
	if (done) {
		find_switches(&regular);
		*planted = find_arcs(&regular) && find_trees(&regular);
	}
	if (*planted)
		*planted = is_regular(&regular);
	if (*planted)
		done = get_places(&regular);
	for (uint32_t i = 0; done && *planted && i < regular.trees; i++)
		*planted = grow_first(&regular, i);
	if (done && *planted) {
		anneal(&regular);
		*planted = plant_all(&regular, lane);
	}
	let_go(&regular);
	return done;
}
