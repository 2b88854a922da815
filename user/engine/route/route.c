// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Routes for a traffic: attempts from several starts, of which the best counts
 *
 * One lane comes first: it suffices for trees of switches, and every program uses it. More lanes
 * are tried if one does not reach the bound.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "route/bound.h"
#include "route/colour.h"
#include "route/grow.h"
#include "route/regular.h"
#include "route/repair.h"
#include "route/routing.h"
#include "route/search.h"
#include "route/split.h"
#include "route/start.h"
#include "traffic/traffic.h"

#define HOP_SHARE 0.05			/* cost of a hop, as a share of that of the greatest load */
#define MOVES_MIN UINT64_C(2000000)
#define MOVES_PER_PLACE 25		/* moves for each switch of each tree */
#define MOVES_PER_PAIR 1400		/* at most: few pairs have few routes to change */
#define MOVES_AGAIN UINT64_C(4000000)	/* of all searches, after which none is made again */
#define ROUNDS_MAX 16
#define GENTLE_SHARE 20		/* moves of a search, over those of one that changes little */
#define SEEDS 10			/* of a round */
#define REPAIR_MOVES_PER_PLACE 200
#define REPAIR_MOVES_MAX 300000		/* 0.2 s: packets are lost until there are new tables */
#define BOUND_ROUNDS 200
#define REGULAR_WORTH 1.03		/* how much less may be carried by a regular forest */
#define REGULAR_MOVES 200000
#define REGULAR_TURNS 3000		/* moves with dimensions, which move much at a time */
#define REGULAR_SEEDS 3
#define BOUND_WORK 4e9			/* of all rounds: switches x arcs x rounds */

enum start_kind { START_REGULAR, START_GIVEN, START_MODULO, START_TRUNK, START_LEVELS,
		  START_COLOURED, START_UP_DOWN, START_GROWN };

struct attempt {
	enum start_kind start;
	bool all_lanes;
	uint32_t search;		/* 0: none; else the seed */
	/* Changes little, and is due also when the load cannot be smaller: for cheap shifts */
	bool gentle;
};

/* ---- the traffic ---- */

static void demand_pair(struct routing *routing, struct forest *forest, const uint32_t *tree,
			uint32_t src, uint32_t dst, uint32_t count)
{
	uint32_t s = routing->graph.source[src];

	if (tree[dst] == LIQUID_NONE || s == LIQUID_NONE || s == routing->graph.home[dst])
		return;
	forest->own[forest_place(forest, tree[dst], s)] += count;
}

/* What the transfers on each link between switches are multiples of */
static uint32_t unit_of(const struct routing *routing, const struct forest *forest)
{
	uint32_t unit = 0;

	/* Each pair may change its address, but a switch forwards to an address as a whole. */
	if (routing->ways.each)
		return 1;
	for (size_t i = 0; i < forest_place(forest, forest->trees, 0); i++) {
		uint32_t other = forest->own[i];

		while (other) {
			uint32_t rest = unit % other;

			unit = other;
			other = rest;
		}
	}
	return unit ? unit : 1;
}

static bool demand_all(struct routing *routing, struct forest *forest)
{
	const struct liquid_traffic *traffic = routing->options->traffic;
	uint32_t hosts = routing->graph.hosts, *tree;

	if (routing->ways.each) {
		ways_deal(&routing->ways);
		ways_fill(&routing->ways, forest);
		routing->unit = unit_of(routing, forest);
		return true;
	}
	tree = malloc(((size_t)hosts + 1) * sizeof(*tree));

	if (!tree)
		return false;
	for (uint32_t host = 0; host < hosts; host++)
		tree[host] = LIQUID_NONE;
	for (uint32_t t = 0; t < routing->trees; t++)
		tree[routing->host[t]] = t;
	for (size_t i = 0; traffic && i < liquid_traffic_pair_count(traffic); i++) {
		const struct liquid_pair *pair = &liquid_traffic_pairs(traffic)[i];

		demand_pair(routing, forest, tree, pair->src, pair->dst, pair->count);
	}
	for (uint32_t src = 0; !traffic && src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++)
			if (src != dst)
				demand_pair(routing, forest, tree, src, dst, 1);
	free(tree);
	routing->unit = unit_of(routing, forest);
	return true;
}

/* ---- an attempt ---- */

/* The tables that the fabric has. False: they are not complete, or have a circle in one lane. */
static bool plant_given(const struct routing *routing, struct forest *forest)
{
	const struct route_graph *graph = &routing->graph;
	uint32_t *arc_of = malloc(((size_t)liquid_fabric_link_count(graph->fabric) + 1) *
				  sizeof(*arc_of));
	bool complete = arc_of;

	for (uint32_t arc = 0; arc < graph->arcs && complete; arc++)
		arc_of[graph->link[arc]] = arc;
	for (uint32_t tree = 0; tree < forest->trees && complete; tree++) {
		uint32_t *next = &forest->next[forest_place(forest, tree, 0)];

		for (uint32_t s = 0; s < graph->switches; s++) {
			uint32_t link = liquid_fabric_forward(graph->fabric, s,
							      routing->host[tree]);

			next[s] = link == LIQUID_NONE || s == forest->root[tree] ? LIQUID_NONE :
				  arc_of[link];
		}
		for (uint32_t s = 0; s < graph->switches; s++)
			complete &= !graph->senders[s] || forest_reaches(forest, tree, s);
		complete = complete && forest_plant(forest, tree);
	}
	free(arc_of);
	return complete;
}

static int no_way(const struct routing *routing, uint32_t tree, uint32_t s)
{
	const struct route_graph *graph = &routing->graph;

	return liquid_fail(routing->err, LIQUID_BAD_INPUT,
			   "there is no way from switch %s to host %s",
			   liquid_fabric_node_name(graph->fabric, graph->hosts + s),
			   liquid_fabric_node_name(graph->fabric, routing->host[tree]));
}

/* Returns 1 if this start does not suit the fabric. @any: it need not be a tree of switches. */
static int plant_up_down(const struct routing *routing, struct forest *forest, enum start_tie tie,
			 bool any)
{
	struct start start;
	int status = LIQUID_OK;

	if (!start_open(&start, forest))
		status = liquid_no_memory(routing->err);
	else if (!any && !start.levels)
		status = 1;
	start.tie = tie;
	for (uint32_t tree = 0; tree < forest->trees && !status; tree++) {
		uint32_t s = start_tree(&start, tree);

		/* Levels with lost links need not have a way up and down; other orders have. */
		if (s != LIQUID_NONE || !forest_plant(forest, tree))
			status = 1;
	}
	start_close(&start);
	return status;
}

/* Returns 1 if this start does not suit the fabric. */
static int plant_coloured(const struct routing *routing, struct forest *forest)
{
	struct start start;
	bool suits = false, done = start_open(&start, forest);

	start.tie = TIE_MODULO;
	for (uint32_t tree = 0; done && start.levels && tree < forest->trees; tree++)
		start_tree(&start, tree);
	if (done)
		done = colour_ways(&start, &suits);
	for (uint32_t tree = 0; done && suits && tree < forest->trees; tree++)
		suits = forest_plant(forest, tree);
	start_close(&start);
	return done ? !suits : liquid_no_memory(routing->err);
}

static int plant_grown(const struct routing *routing, struct forest *forest)
{
	struct grow grow;
	int status = grow_open(&grow, forest, true) ? LIQUID_OK : liquid_no_memory(routing->err);

	for (uint32_t tree = 0; tree < forest->trees && !status; tree++) {
		uint32_t s = grow_tree(&grow, tree);

		if (s != LIQUID_NONE)
			status = no_way(routing, tree, s);
	}
	if (!status)
		grow_end(&grow);
	grow_close(&grow);
	return status;
}

static int plant(const struct routing *routing, struct forest *forest, enum start_kind start)
{
	switch (start) {
	case START_GIVEN:
		return plant_given(routing, forest) ? LIQUID_OK : 1;
	case START_MODULO:
		return plant_up_down(routing, forest, TIE_MODULO, false);
	case START_TRUNK:
		return plant_up_down(routing, forest, TIE_TRUNK, false);
	case START_LEVELS:
		return plant_up_down(routing, forest, TIE_LOAD, false);
	case START_UP_DOWN:
		return plant_up_down(routing, forest, TIE_LOAD, true);
	case START_COLOURED:
		return plant_coloured(routing, forest);
	default:
		return plant_grown(routing, forest);
	}
}

static uint64_t count_hops(const struct forest *forest)
{
	uint64_t hops = 0;

	for (uint32_t arc = 0; arc < forest->graph->arcs; arc++)
		hops += forest->load[arc];
	return hops;
}

/*
 * Whether the forest is better than the best: least load, then lanes, then what shifts of the hosts
 * cost, then load between switches, then hops. A regular one counts for a little less than its
 * load, since schedules for it are shorter.
 */
static bool is_better(const struct routing *routing, const struct forest *forest, bool regular,
		      double shifts)
{
	double load = forest_most(forest, &(uint32_t){ 0 }), floor = routing->hosts_load;
	double now = fmax(load, floor) / (regular ? REGULAR_WORTH : 1);
	double best = fmax(routing->switches_load, floor) / (routing->regular ? REGULAR_WORTH : 1);
	uint32_t lanes = forest->lanes->lanes;

	if (routing->switches_load < 0 || now != best)
		return routing->switches_load < 0 || now < best;
	if (lanes != routing->shown.lanes)
		return lanes < routing->shown.lanes;
	if (shifts != routing->shifts)
		return shifts < routing->shifts;
	if (load != routing->switches_load)
		return load < routing->switches_load;
	return count_hops(forest) < routing->hops;
}

static int offer(struct routing *routing, const struct forest *forest, bool regular)
{
	uint32_t busiest, lanes = forest->lanes->lanes;
	double load = forest_most(forest, &busiest), shifts;

	if (!route_shifts(routing, forest, &shifts))
		return liquid_no_memory(routing->err);
	if (!is_better(routing, forest, regular, shifts) ||
	    (routing->options->stretch && !stretch_holds(&routing->stretch, forest)))
		return LIQUID_OK;
	routing->regular = regular;
	routing->shifts = shifts;
	routing->switches_load = load;
	routing->busiest = busiest;
	routing->hops = count_hops(forest);
	routing->shown.lanes = lanes;
	memcpy(routing->next, forest->next,
	       forest_place(forest, forest->trees, 0) * sizeof(*routing->next));
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		routing->lane[routing->host[tree]] = forest->lane[tree];
	if (routing->ways.each)
		memcpy(routing->way, routing->ways.way, routing->ways.pairs);
	return LIQUID_OK;
}

/* The least load that the bound allows: some link between switches has it */
static double least(const struct routing *routing)
{
	const struct route_graph *graph = &routing->graph;
	double bound = routing->switches_bound - 1e-9, value = graph->arcs ? INFINITY : bound;

	for (uint32_t arc = 0; arc < graph->arcs; arc++) {
		uint32_t unit = routing->unit, capacity = graph->capacity[arc];

		if (!arc || capacity != graph->capacity[arc - 1])
			value = fmin(value, ceil(bound * capacity / unit) * unit / capacity);
	}
	return fmax(value, routing->hosts_load);
}

static bool is_best(const struct routing *routing)
{
	return routing->switches_load >= 0 &&
	       fmax(routing->switches_load, routing->hosts_load) <=
		       least(routing) * (routing->regular ? REGULAR_WORTH : 1);
}

/* Takes as long as a search for few pairs: so only where another bound can be expected. */
static bool improve_bound(struct routing *routing, const struct forest *forest)
{
	const struct route_graph *graph = &routing->graph;
	double rounds = BOUND_WORK / ((double)graph->switches * graph->arcs + 1);
	struct route_bound bound;
	bool done;

	if (routing->bound_known)
		return true;
	done = route_bound(forest, (uint32_t)fmin(BOUND_ROUNDS, rounds), &bound);
	if (done)
		routing->switches_bound = fmax(routing->switches_bound, bound.value);
	if (done && bound.value > routing->shown.bound) {
		routing->shown.bound = bound.value;
		memset(routing->price, 0, liquid_fabric_link_count(graph->fabric) *
					  sizeof(*routing->price));
		for (uint32_t arc = 0; arc < graph->arcs; arc++)
			routing->price[graph->link[arc]] = bound.price[arc];
	}
	free(bound.price);
	return done;
}

/* By the size of the fabric, or of a small traffic */
static uint64_t moves_of(const struct routing *routing, const struct forest *forest)
{
	const struct liquid_traffic *traffic = routing->options->traffic;
	uint64_t moves = forest_place(forest, forest->trees, 0) * MOVES_PER_PLACE, most;

	if (routing->options->work)
		return routing->options->work;
	if (routing->options->from)
		return REPAIR_MOVES_MAX / 2;
	if (moves < MOVES_MIN)
		moves = MOVES_MIN;
	most = traffic ? (uint64_t)liquid_traffic_pair_count(traffic) * MOVES_PER_PAIR : moves;
	return moves < most ? moves : most;
}

static int search(struct routing *routing, struct forest *forest, uint32_t number, bool gentle)
{
	struct search_options options = {
		.moves = moves_of(routing, forest) / (gentle ? GENTLE_SHARE : 1),
		.gentle = gentle, .enough = least(routing),
		.length = HOP_SHARE,
		.stretch = routing->options->stretch ? &routing->stretch : NULL,
		.seed = routing->options->seed + number,
		.ways = routing->ways.each ? &routing->ways : NULL,
	};

	routing->moves += options.moves;
	if (!search_run(forest, &options))
		return liquid_no_memory(routing->err);
	return LIQUID_OK;
}

/* Forests of all the translations given; the forest is empty before and after. */
static bool try_regular(struct routing *routing, struct forest *forest, const uint32_t *lane,
			const struct translations *translations,
			const struct regular_dimensions *dimensions)
{
	bool planted = false, done = true;

	for (uint32_t i = 0; i < REGULAR_SEEDS && done && !planted; i++) {
		struct regular_options options = {
			.moves = dimensions ? REGULAR_TURNS : REGULAR_MOVES,
			.seed = routing->options->seed + i, .turns = 0.05,
			.dimensions = dimensions,
		};

		done = regular_plant(forest, translations, lane, &options, &planted);
	}
	if (!planted)
		return done;
	done = !offer(routing, forest, true) && improve_bound(routing, forest);
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		forest_fell(forest, tree);
	return done;
}

/*
 * In order of dimensions with all translations, and with every second, by which directions can take
 * turns where both are as long; then in any order.
 */
static int work_on_regular(struct routing *routing, struct forest *forest, const uint32_t *lane)
{
	struct translations all = { 0 }, squares = { 0 };
	struct regular_dimensions dimensions = { 0 };
	bool done = route_graph_translations(&routing->graph, &all) &&
		    translations_square(&all, routing->graph.switches, &squares);

	bool ordered = done && regular_dimensions_find(&routing->graph, &all, &dimensions);

	if (ordered)
		done = try_regular(routing, forest, lane, &all, &dimensions);
	if (ordered && done && !is_best(routing))
		done = try_regular(routing, forest, lane, &squares, &dimensions);
	if (done && !is_best(routing))
		done = try_regular(routing, forest, lane, &all, NULL);
	translations_clear(&all);
	translations_clear(&squares);
	regular_dimensions_clear(&dimensions);
	return done ? LIQUID_OK : liquid_no_memory(routing->err);
}

static int work_on(struct routing *routing, struct forest *forest, const struct attempt *attempt,
		   uint32_t number)
{
	int status = plant(routing, forest, attempt->start);

	if (status)
		return status < 0 ? status : LIQUID_OK;
	status = offer(routing, forest, false);
	if (status)
		return status;
	if (!routing->shown.bound || is_best(routing))
		if (!improve_bound(routing, forest))
			return liquid_no_memory(routing->err);
	if (!attempt->search || (attempt->gentle ? routing->shifts <= 0 : is_best(routing)))
		return LIQUID_OK;
	status = search(routing, forest, number, attempt->gentle);
	if (!status)
		status = offer(routing, forest, false);
	if (status)
		return status;
	return improve_bound(routing, forest) ? LIQUID_OK : liquid_no_memory(routing->err);
}

static int attempt(struct routing *routing, const struct attempt *attempt, uint32_t number)
{
	uint32_t count = attempt->all_lanes ? routing->options->lanes : 1;
	uint32_t *lane = calloc((size_t)routing->graph.switches + 1, sizeof(*lane));
	struct forest forest = { 0 };
	struct lanes lanes = { 0 };
	int status = LIQUID_OK;

	if (!lane || !route_split(&routing->graph, count, lane) ||
	    !lanes_open(&lanes, &routing->graph, count) ||
	    !forest_open(&forest, &routing->graph, &lanes, routing->trees) ||
	    !demand_all(routing, &forest))
		status = liquid_no_memory(routing->err);
	lanes.circles = routing->options->circles;
	for (uint32_t tree = 0; tree < routing->trees && !status; tree++) {
		forest.root[tree] = routing->graph.home[routing->host[tree]];
		forest.lane[tree] = (uint8_t)lane[forest.root[tree]];
	}
	if (!status && attempt->start == START_REGULAR)
		status = work_on_regular(routing, &forest, lane);
	else if (!status)
		status = work_on(routing, &forest, attempt, number);
	forest_close(&forest);
	lanes_close(&lanes);
	free(lane);
	return status;
}

/* ---- routes of before ---- */

static uint64_t repair_moves(const struct routing *routing, const struct forest *forest,
			     const struct repair *repair)
{
	uint64_t moves = forest_place(forest, repair->trees, 0) * REPAIR_MOVES_PER_PLACE;

	if (routing->options->work)
		return routing->options->work;
	return moves < REPAIR_MOVES_MAX ? moves : REPAIR_MOVES_MAX;
}

static int improve_changed(struct routing *routing, struct forest *forest,
			   const struct repair *repair)
{
	struct search_options options = {
		.moves = repair_moves(routing, forest, repair),
		.length = HOP_SHARE,
		.stretch = routing->options->stretch ? &routing->stretch : NULL,
		.seed = routing->options->seed,
		.tree = repair->tree, .trees = repair->trees,
	};

	if ((repair->trees && !search_run(forest, &options)) || offer(routing, forest, false))
		return liquid_no_memory(routing->err);
	routing->moves += repair->trees ? options.moves : 0;
	routing->shown.moved = repair->trees;
	return improve_bound(routing, forest) ? LIQUID_OK : liquid_no_memory(routing->err);
}

/* Keep the trees of before that still work; change the others only. Returns 1 if that fails. */
static int repair_in(struct routing *routing, struct forest *forest)
{
	const struct liquid_fabric *old = routing->options->from;
	struct repair repair;
	int status = LIQUID_OK;

	for (uint32_t tree = 0; tree < routing->trees; tree++) {
		uint32_t host = routing->host[tree], before;
		const char *name = liquid_fabric_node_name(routing->graph.fabric, host);

		before = liquid_fabric_find_host(old, name);
		forest->root[tree] = routing->graph.home[host];
		forest->lane[tree] = (uint8_t)(before == LIQUID_NONE ? 0 :
					       old->host[before].lane);
	}
	if (!route_repair(forest, old, routing->host, &repair))
		status = liquid_no_memory(routing->err);
	else if (repair.lost != LIQUID_NONE)
		status = 1;
	else
		status = improve_changed(routing, forest, &repair);
	free(repair.tree);
	return status;
}

static uint32_t lanes_of(const struct liquid_fabric *fabric)
{
	uint32_t lanes = 1;

	for (uint32_t host = 0; host < liquid_fabric_host_count(fabric); host++)
		if (fabric->host[host].lane >= lanes)
			lanes = fabric->host[host].lane + 1;
	return lanes;
}

static int repair_old(struct routing *routing)
{
	struct forest forest = { 0 };
	struct lanes lanes = { 0 };
	int status = LIQUID_OK;

	if (!lanes_open(&lanes, &routing->graph, lanes_of(routing->options->from)) ||
	    !forest_open(&forest, &routing->graph, &lanes, routing->trees) ||
	    !demand_all(routing, &forest))
		status = liquid_no_memory(routing->err);
	lanes.circles = routing->options->circles;
	if (!status)
		status = repair_in(routing, &forest);
	forest_close(&forest);
	lanes_close(&lanes);
	return status;
}

/* Where the trees that live leave a host without a way, all are found anew, with as little work. */
static int replace_old(struct routing *routing)
{
	static const struct attempt up_down = { START_UP_DOWN, true, 1, false };
	static const struct attempt grown = { START_GROWN, true, 2, false };
	int status = repair_old(routing);

	if (status <= 0)
		return status;
	routing->shown.moved = routing->trees;
	status = attempt(routing, &up_down, up_down.search);
	return status || routing->switches_load >= 0 ? status :
	       attempt(routing, &grown, grown.search);
}

/*
 * Those that search little are all of the first round. When a load cannot be smaller, tables of
 * the same load with cheaper shifts of the hosts may still be among what they find.
 */
static bool is_due(const struct routing *routing, const struct attempt *attempt, uint32_t round)
{
	bool several = routing->options->lanes > 1, dealt = routing->ways.each;

	if (is_best(routing))
		return attempt->gentle && !round && !dealt && routing->shifts > 0;
	if (round && (attempt->gentle || !attempt->search))
		return false;
	/* With several lanes one start in one lane suffices: for trees of switches. */
	if (attempt->all_lanes ? !several : several && attempt->start == START_GROWN)
		return false;
	/* Dealt out to addresses, a traffic is not regular; there colours are a good start. */
	if (attempt->start == START_REGULAR)
		return !dealt;
	return attempt->start != START_COLOURED || !attempt->search || dealt;
}

static int attempt_round(struct routing *routing, uint32_t round)
{
	static const struct attempt attempts[] = {
		{ START_GIVEN, false, 0, false }, { START_MODULO, false, 1, true },
		{ START_TRUNK, false, 1, true }, { START_LEVELS, false, 1, true },
		{ START_COLOURED, false, 0, false }, { START_REGULAR, false, 0, false },
		{ START_REGULAR, true, 0, false }, { START_COLOURED, false, 3, false },
		{ START_GIVEN, false, 4, false }, { START_MODULO, false, 5, false },
		{ START_UP_DOWN, false, 6, false }, { START_GROWN, false, 7, false },
		{ START_UP_DOWN, true, 8, false }, { START_GROWN, true, 9, false },
	};
	uint32_t count = sizeof(attempts) / sizeof(attempts[0]);
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < count && !status; i++)
		if (is_due(routing, &attempts[i], round))
			status = attempt(routing, &attempts[i],
					 round * SEEDS + attempts[i].search);
	return status;
}

/*
 * For few pairs a search is short, and its result a matter of luck: they are all made again, with
 * other seeds, until as much has been tried as for many pairs.
 */
static int attempt_all(struct routing *routing)
{
	int status = attempt_round(routing, 0);

	routing->bound_known = true;
	if (routing->options->work)
		return status;
	for (uint32_t round = 1; round < ROUNDS_MAX && !status && !is_best(routing) &&
	     routing->moves + routing->moves / round <= MOVES_AGAIN; round++)
		status = attempt_round(routing, round);
	return status;
}

/* ---- the whole ---- */

/* A link of a host proves a bound by itself: whatever goes to or from the host takes it. */
static void offer_host_link(struct routing *routing, uint32_t link, uint64_t load)
{
	const struct liquid_fabric *fabric = routing->graph.fabric;
	double value;

	if (link == LIQUID_NONE)
		return;
	value = (double)load / liquid_fabric_capacity(fabric, link);
	routing->hosts_load = fmax(routing->hosts_load, value);
	if (value <= routing->shown.bound)
		return;
	routing->shown.bound = value;
	memset(routing->price, 0, liquid_fabric_link_count(fabric) * sizeof(*routing->price));
	routing->price[link] = 1;
}

static bool rate_hosts(struct routing *routing)
{
	const struct liquid_traffic *traffic = routing->options->traffic;
	const struct route_graph *graph = &routing->graph;
	uint64_t *sent = calloc(2 * (size_t)graph->hosts + 1, sizeof(*sent));
	uint64_t *received = sent ? sent + graph->hosts : NULL;

	for (size_t i = 0; sent && traffic && i < liquid_traffic_pair_count(traffic); i++) {
		const struct liquid_pair *pair = &liquid_traffic_pairs(traffic)[i];

		sent[pair->src] += pair->count;
		received[liquid_fabric_owner(graph->fabric, pair->dst)] += pair->count;
	}
	for (uint32_t host = 0; sent && host < graph->hosts; host++) {
		if (!traffic)
			sent[host] = received[host] = graph->hosts - 1;
		offer_host_link(routing, liquid_fabric_host_out(graph->fabric, host), sent[host]);
		offer_host_link(routing, liquid_fabric_host_in(graph->fabric, host),
				received[host]);
	}
	free(sent);
	return sent;
}

static bool open_ways(struct routing *routing)
{
	if (!ways_open(&routing->ways, &routing->graph, routing->traffic,
		       1u << routing->options->lmc, routing->host, routing->trees))
		return false;
	routing->way = calloc((size_t)routing->ways.pairs + 1, sizeof(*routing->way));
	return routing->way;
}

static bool open_routing(struct routing *routing, const struct liquid_fabric *fabric)
{
	struct route_graph *graph = &routing->graph;

	if (!route_graph_open(graph, routing->fabric ? routing->fabric : fabric))
		return false;
	routing->host = calloc((size_t)graph->hosts + 1, sizeof(*routing->host));
	routing->lane = calloc((size_t)graph->hosts + 1, sizeof(*routing->lane));
	routing->shown_lane = calloc((size_t)graph->hosts + 1, sizeof(*routing->shown_lane));
	routing->price = calloc((size_t)liquid_fabric_link_count(fabric) + 1,
				sizeof(*routing->price));
	for (uint32_t host = 0; routing->host && host < graph->hosts; host++)
		if (graph->home[host] != LIQUID_NONE)
			routing->host[routing->trees++] = host;
	routing->next = malloc(((size_t)routing->trees * graph->switches + 1) *
			       sizeof(*routing->next));
	routing->switches_load = -1;
	return routing->host && routing->lane && routing->shown_lane && routing->price &&
	       routing->next && (!routing->options->lmc || open_ways(routing));
}

static void show(struct routing *routing)
{
	struct liquid_routing *shown = &routing->shown;

	shown->circles = routing->options->circles;
	shown->lane = routing->shown_lane;
	shown->price = routing->price;
	shown->switch_load = routing->switches_load;
	shown->load = fmax(routing->switches_load, routing->hosts_load);
	shown->busiest = routing->busiest;
	shown->hops = routing->hops;
	shown->shifts = routing->shifts;
	shown->least = least(routing);
}

static int take_options(const struct liquid_route_options *options, struct liquid_error *err)
{
	if (options->lanes > LIQUID_LANES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "there are at most %d lanes",
				   LIQUID_LANES_MAX);
	if (options->lmc > LIQUID_LMC_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "an LMC is at most %d", LIQUID_LMC_MAX);
	if (options->lmc && options->from)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "with routes of before their addresses stay: no LMC");
	if (options->schedule && (options->lmc || options->from))
		return liquid_fail(err, LIQUID_BAD_INPUT, "a schedule is found with new routes "
				   "alone, of one address a host");
	if (options->circles && options->lanes > 1)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "where circles are allowed, lanes have no use");
	return LIQUID_OK;
}

/* A bound is one for all routes, whatever addresses hosts have. */
static void take_bound(struct routing *routing, const struct routing *other)
{
	uint32_t links = liquid_fabric_link_count(routing->graph.fabric);

	routing->bound_known = true;
	routing->switches_bound = other->switches_bound;
	routing->shown.bound = other->shown.bound;
	memcpy(routing->price, other->price, links * sizeof(*routing->price));
}

/* @other: has the bound; or NULL */
static int route_once(const struct liquid_fabric *fabric, struct liquid_route_options options,
		      const struct routing *other, struct routing **out, struct liquid_error *err)
{
	struct routing *routing = calloc(1, sizeof(*routing));
	int status;

	*out = NULL;
	if (!routing)
		return liquid_no_memory(err);
	routing->options = &options;
	routing->err = err;
	routing->graph.fabric = fabric;
	status = routing_addresses(routing, fabric, &options);
	if (!status && (!open_routing(routing, fabric) || !rate_hosts(routing)))
		status = liquid_no_memory(routing->err);
	if (!status && options.stretch &&
	    !stretch_open(&routing->stretch, &routing->graph, *options.stretch))
		status = liquid_no_memory(routing->err);
	if (options.from)
		options.lanes = lanes_of(options.from);
	if (!status && other)
		take_bound(routing, other);
	if (!status)
		status = options.from ? replace_old(routing) : attempt_all(routing);
	if (!status && options.stretch && routing->switches_load < 0)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "no routes were found that are all at "
				     "most %u links longer than the shortest: allow more, or more "
				     "lanes", *options.stretch);
	if (!status)
		status = routing_make_fabric(routing);
	if (!status && options.schedule)
		status = routing_shorten(routing, least(routing));
	if (status) {
		liquid_routing_free(&routing->shown);
		return status;
	}
	show(routing);
	*out = routing;
	return LIQUID_OK;
}

/*
 * With several addresses there is more to search, and sometimes less is found: then all pairs have
 * their host's first address.
 */
static int try_one_address(const struct liquid_fabric *fabric, struct liquid_route_options options,
			   struct routing **best, struct liquid_error *err)
{
	struct routing *other;
	int status;

	options.lmc = 0;
	options.traffic = (*best)->traffic;
	status = route_once(fabric, options, *best, &other, err);
	if (status)
		return status == LIQUID_NO_MEMORY ? status : LIQUID_OK;
	if (other->shown.load < (*best)->shown.load) {
		struct routing *worse = *best;

		other->shown.traffic = worse->traffic;
		other->shown.least = worse->shown.least;
		worse->traffic = NULL;
		*best = other;
		other = worse;
	}
	liquid_routing_free(&other->shown);
	return LIQUID_OK;
}

int liquid_route(const struct liquid_fabric *fabric, const struct liquid_route_options *given,
		 struct liquid_routing **out, struct liquid_error *err)
{
	struct liquid_route_options options = *given;
	struct routing *routing = NULL;
	int status = take_options(&options, err);

	*out = NULL;
	if (!status && options.traffic)
		status = traffic_list(options.traffic, err);
	if (!status)
		status = route_once(fabric, options, NULL, &routing, err);
	if (!status && options.lmc && routing->shown.load > ceil(routing->shown.bound - 1e-9))
		status = try_one_address(fabric, options, &routing, err);
	if (routing && status)
		liquid_routing_free(&routing->shown);
	else if (routing)
		*out = &routing->shown;
	return status;
}

void liquid_routing_free(struct liquid_routing *shown)
{
	struct routing *routing = (struct routing *)shown;

	if (!routing)
		return;
	liquid_schedule_free(shown->schedule);
	liquid_fabric_free(shown->fabric);
	liquid_fabric_free(routing->fabric);
	liquid_traffic_free(shown->traffic);
	liquid_traffic_free(routing->traffic);
	ways_close(&routing->ways);
	free(routing->way);
	free(routing->shown_lane);
	route_graph_close(&routing->graph);
	free(routing->host);
	free(routing->next);
	free(routing->lane);
	free(routing->price);
	stretch_close(&routing->stretch);
	free(routing);
}
