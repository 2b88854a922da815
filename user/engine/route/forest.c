// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each change moves what is behind a switch from one way to the root to another: loads, lanes. */
#include <stdlib.h>

#include "route/forest.h"

bool forest_open(struct forest *forest, const struct route_graph *graph, struct lanes *lanes,
		 uint32_t trees)
{
	size_t places = (size_t)trees * graph->switches + 1;

	*forest = (struct forest){ .graph = graph, .lanes = lanes, .trees = trees };
	forest->root = calloc((size_t)trees + 1, sizeof(*forest->root));
	forest->lane = calloc((size_t)trees + 1, sizeof(*forest->lane));
	forest->next = malloc(places * sizeof(*forest->next));
	forest->own = calloc(places, sizeof(*forest->own));
	forest->demand = calloc(places, sizeof(*forest->demand));
	forest->senders = calloc(places, sizeof(*forest->senders));
	forest->load = calloc((size_t)graph->arcs + 1, sizeof(*forest->load));
	if (!forest->root || !forest->lane || !forest->next || !forest->own ||
	    !forest->demand || !forest->senders || !forest->load)
		return false;
	for (size_t i = 0; i < places; i++)
		forest->next[i] = LIQUID_NONE;
	return true;
}

void forest_close(struct forest *forest)
{
	free(forest->root);
	free(forest->lane);
	free(forest->next);
	free(forest->own);
	free(forest->demand);
	free(forest->senders);
	free(forest->load);
}

bool forest_passes(const struct forest *forest, uint32_t tree, uint32_t s, uint32_t through)
{
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];

	while (s != through && next[s] != LIQUID_NONE)
		s = forest->graph->to[next[s]];
	return s == through;
}

/* ---- the hosts behind each switch, and the dependencies that they bring ---- */

/* The arc behind @arc in the tree; LIQUID_NONE: @arc ends at the root */
static uint32_t then(const struct forest *forest, uint32_t tree, uint32_t arc)
{
	return forest->next[forest_place(forest, tree, forest->graph->to[arc])];
}

/*
 * Take @senders hosts away from the way of @tree from @s to the root, or up to the switch @stop,
 * with the dependencies that none has any more.
 */
static void remove_senders(struct forest *forest, uint32_t tree, uint32_t s, uint32_t senders,
			   uint32_t stop)
{
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t *behind = &forest->senders[forest_place(forest, tree, 0)];

	while (s != stop) {
		uint32_t arc = next[s];

		behind[s] -= senders;
		if (arc == LIQUID_NONE)
			return;
		if (!behind[s] && then(forest, tree, arc) != LIQUID_NONE)
			lanes_remove(forest->lanes, forest->lane[tree], arc,
				     then(forest, tree, arc));
		s = forest->graph->to[arc];
	}
}

/* The opposite. False: that closes a circle; nothing has changed. */
static bool add_senders(struct forest *forest, uint32_t tree, uint32_t from, uint32_t senders)
{
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t *behind = &forest->senders[forest_place(forest, tree, 0)];

	for (uint32_t s = from;; s = forest->graph->to[next[s]]) {
		uint32_t arc = next[s], after;

		after = arc == LIQUID_NONE ? LIQUID_NONE : then(forest, tree, arc);
		if (!behind[s] && after != LIQUID_NONE &&
		    !lanes_add(forest->lanes, forest->lane[tree], arc, after)) {
			remove_senders(forest, tree, from, senders, s);
			return false;
		}
		behind[s] += senders;
		if (arc == LIQUID_NONE)
			return true;
	}
}

bool forest_reaches(const struct forest *forest, uint32_t tree, uint32_t s)
{
	return forest_passes(forest, tree, s, forest->root[tree]);
}

/* Whether hosts send by @arc, which enters a switch, in @tree */
static bool is_used(const struct forest *forest, uint32_t tree, uint32_t arc)
{
	size_t place = forest_place(forest, tree, forest->graph->from[arc]);

	return forest->next[place] == arc && forest->senders[place];
}

/* What comes to @s by the arcs in[] before @end no longer goes on by next[s]. */
static void part(struct forest *forest, uint32_t tree, uint32_t s, uint32_t end)
{
	const struct route_graph *graph = forest->graph;
	uint32_t arc = forest->next[forest_place(forest, tree, s)];

	for (uint32_t k = graph->first_in[s]; k < end; k++)
		if (is_used(forest, tree, graph->in[k]))
			lanes_remove(forest->lanes, forest->lane[tree], graph->in[k], arc);
}

/* What comes to @s goes on by next[s]. False: that closes a circle; nothing has changed. */
static bool join(struct forest *forest, uint32_t tree, uint32_t s)
{
	const struct route_graph *graph = forest->graph;
	uint32_t arc = forest->next[forest_place(forest, tree, s)];

	for (uint32_t k = graph->first_in[s]; k < graph->first_in[s + 1]; k++) {
		if (is_used(forest, tree, graph->in[k]) &&
		    !lanes_add(forest->lanes, forest->lane[tree], graph->in[k], arc)) {
			part(forest, tree, s, k);
			return false;
		}
	}
	return true;
}

/* The hosts behind @s, none of which has been counted on the way from it, send by next[s]. */
static bool attach(struct forest *forest, uint32_t tree, uint32_t s)
{
	uint32_t senders = forest->senders[forest_place(forest, tree, s)];
	uint32_t arc = forest->next[forest_place(forest, tree, s)];
	uint32_t lane = forest->lane[tree], after;

	if (!senders || arc == LIQUID_NONE)
		return true;
	after = then(forest, tree, arc);
	if (!join(forest, tree, s))
		return false;
	if (after == LIQUID_NONE || lanes_add(forest->lanes, lane, arc, after)) {
		if (add_senders(forest, tree, forest->graph->to[arc], senders))
			return true;
		if (after != LIQUID_NONE)
			lanes_remove(forest->lanes, lane, arc, after);
	}
	part(forest, tree, s, forest->graph->first_in[s + 1]);
	return false;
}

static void detach(struct forest *forest, uint32_t tree, uint32_t s)
{
	uint32_t senders = forest->senders[forest_place(forest, tree, s)];
	uint32_t arc = forest->next[forest_place(forest, tree, s)];

	if (!senders || arc == LIQUID_NONE)
		return;
	part(forest, tree, s, forest->graph->first_in[s + 1]);
	if (then(forest, tree, arc) != LIQUID_NONE)
		lanes_remove(forest->lanes, forest->lane[tree], arc, then(forest, tree, arc));
	remove_senders(forest, tree, forest->graph->to[arc], senders, LIQUID_NONE);
}

/* ---- loads ---- */

/* @demand more (or less: modulo 2^32) goes the way of @tree from @s to the root. */
static void add_demand(struct forest *forest, uint32_t tree, uint32_t s, int64_t demand)
{
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t *sum = &forest->demand[forest_place(forest, tree, 0)];

	for (;; s = forest->graph->to[next[s]]) {
		sum[s] = (uint32_t)(sum[s] + demand);
		if (next[s] == LIQUID_NONE)
			return;
		forest->load[next[s]] = (uint64_t)((int64_t)forest->load[next[s]] + demand);
	}
}

void forest_send(struct forest *forest, uint32_t tree, uint32_t s, int64_t demand)
{
	uint32_t *own = &forest->own[forest_place(forest, tree, s)];

	*own = (uint32_t)(*own + demand);
	add_demand(forest, tree, s, demand);
}

/* ---- trees ---- */

/* Fell the part of @tree that the switches before @end have planted. */
static void fell(struct forest *forest, uint32_t tree, uint32_t end)
{
	for (uint32_t s = 0; s < end; s++) {
		size_t place = forest_place(forest, tree, s);

		if (forest->graph->senders[s])
			remove_senders(forest, tree, s, forest->graph->senders[s], LIQUID_NONE);
		if (forest->own[place])
			add_demand(forest, tree, s, -(int64_t)forest->own[place]);
	}
}

void forest_fell(struct forest *forest, uint32_t tree)
{
	fell(forest, tree, forest->graph->switches);
}

bool forest_plant(struct forest *forest, uint32_t tree)
{
	for (uint32_t s = 0; s < forest->graph->switches; s++) {
		size_t place = forest_place(forest, tree, s);

		if (forest->graph->senders[s] &&
		    !add_senders(forest, tree, s, forest->graph->senders[s])) {
			fell(forest, tree, s);
			return false;
		}
		if (forest->own[place])
			add_demand(forest, tree, s, forest->own[place]);
	}
	return true;
}

bool forest_move(struct forest *forest, uint32_t tree, uint32_t arc)
{
	const struct route_graph *graph = forest->graph;
	uint32_t s = graph->from[arc];
	size_t place = forest_place(forest, tree, s);
	uint32_t old = forest->next[place];

	if (forest_passes(forest, tree, graph->to[arc], s))
		return false;
	detach(forest, tree, s);
	forest->next[place] = arc;
	if (!attach(forest, tree, s)) {
		forest->next[place] = old;
		attach(forest, tree, s);	/* has no circle, as before */
		return false;
	}
	if (forest->demand[place]) {
		add_demand(forest, tree, graph->to[arc], forest->demand[place]);
		forest->load[arc] += forest->demand[place];
	}
	if (forest->demand[place] && old != LIQUID_NONE) {
		add_demand(forest, tree, graph->to[old], -(int64_t)forest->demand[place]);
		forest->load[old] -= forest->demand[place];
	}
	return true;
}

double forest_most(const struct forest *forest, uint32_t *arcs)
{
	double most = 0;

	*arcs = 0;
	for (uint32_t arc = 0; arc < forest->graph->arcs; arc++) {
		double load = (double)forest->load[arc] / forest->graph->capacity[arc];

		if (load > most)
			*arcs = 0;
		most = load > most ? load : most;
		*arcs += load == most;
	}
	return most;
}

/* ---- how much longer than the shortest ---- */

bool stretch_open(struct stretch *stretch, const struct route_graph *graph, uint32_t more)
{
	uint32_t *distance = malloc(((size_t)graph->switches + 1) * sizeof(*distance));
	uint32_t *queue = malloc(((size_t)graph->switches + 1) * sizeof(*queue));
	size_t square = (size_t)graph->switches * graph->switches + 1;

	stretch->more = more;
	stretch->least = malloc(square * sizeof(*stretch->least));
	for (uint32_t root = 0; distance && queue && stretch->least && root < graph->switches;
	     root++) {
		uint16_t *least = &stretch->least[(size_t)root * graph->switches];

		queue[0] = root;
		route_graph_distances(graph, queue, 1, distance);
		for (uint32_t s = 0; s < graph->switches; s++)
			least[s] = (uint16_t)(distance[s] < UINT16_MAX ? distance[s] : UINT16_MAX);
	}
	if (!distance || !queue) {
		free(stretch->least);
		stretch->least = NULL;
	}
	free(distance);
	free(queue);
	return stretch->least;
}

void stretch_close(struct stretch *stretch)
{
	free(stretch->least);
	stretch->least = NULL;
}

static uint32_t most_hops(const struct stretch *stretch, const struct forest *forest,
			  uint32_t tree, uint32_t s)
{
	return stretch->least[(size_t)forest->root[tree] * forest->graph->switches + s] +
	       stretch->more;
}

static uint32_t count_hops(const struct forest *forest, uint32_t tree, uint32_t s)
{
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t hops = 0;

	for (; next[s] != LIQUID_NONE; s = forest->graph->to[next[s]])
		hops++;
	return hops;
}

bool stretch_holds(const struct stretch *stretch, const struct forest *forest)
{
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		for (uint32_t s = 0; s < forest->graph->switches; s++)
			if (forest->graph->senders[s] &&
			    count_hops(forest, tree, s) > most_hops(stretch, forest, tree, s))
				return false;
	return true;
}

bool stretch_allows(const struct stretch *stretch, const struct forest *forest, uint32_t tree,
		    uint32_t arc)
{
	const struct route_graph *graph = forest->graph;
	uint32_t from = graph->from[arc];
	uint32_t before = count_hops(forest, tree, from);
	uint32_t after = 1 + count_hops(forest, tree, graph->to[arc]);

	for (uint32_t s = 0; after > before && s < graph->switches; s++)
		if (graph->senders[s] && (s == from || forest_passes(forest, tree, s, from)) &&
		    count_hops(forest, tree, s) + after - before >
			    most_hops(stretch, forest, tree, s))
			return false;
	return true;
}
