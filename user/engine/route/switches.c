// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ways to the switches themselves
 *
 * The subnet manager's tables have them, too. Packets to a switch use lane 0, among the
 * dependencies of the hosts' routes in it: the way to a host of the switch serves, or a tree grows.
 */
#include <stdlib.h>
#include <string.h>

#include "route/grow.h"
#include "route/routing.h"

/* The trees of all hosts, and after them one for each switch */
static bool plant_hosts(const struct routing *routing, struct forest *forest)
{
	for (uint32_t tree = 0; tree < routing->trees; tree++) {
		uint32_t host = routing->host[tree];

		forest->root[tree] = routing->graph.home[host];
		forest->lane[tree] = routing->lane[host];
	}
	memcpy(forest->next, routing->next,
	       forest_place(forest, routing->trees, 0) * sizeof(*forest->next));
	for (uint32_t tree = 0; tree < routing->trees; tree++)
		if (!forest_plant(forest, tree))
			return false;
	return true;
}

/* A host of switch @s to which packets use lane 0 */
static uint32_t find_tree(const struct routing *routing, const struct forest *forest, uint32_t s)
{
	for (uint32_t tree = 0; tree < routing->trees; tree++)
		if (forest->root[tree] == s && !forest->lane[tree])
			return tree;
	return LIQUID_NONE;
}

static void way_to(const struct routing *routing, struct forest *forest, struct grow *grow,
		   uint32_t s, uint32_t *link)
{
	uint32_t tree = find_tree(routing, forest, s);

	if (tree == LIQUID_NONE) {
		tree = routing->trees + s;
		forest->root[tree] = s;
		grow_tree(grow, tree);
	}
	for (uint32_t from = 0; from < routing->graph.switches; from++) {
		uint32_t arc = forest->next[forest_place(forest, tree, from)];

		link[from] = arc == LIQUID_NONE ? LIQUID_NONE : routing->graph.link[arc];
	}
}

uint32_t *routing_to_switches(const struct routing *routing)
{
	uint32_t switches = routing->graph.switches;
	uint32_t *link = malloc(((size_t)switches * switches + 1) * sizeof(*link));
	struct forest forest = { 0 };
	struct lanes lanes = { 0 };
	struct grow grow = { 0 };
	bool done = link && lanes_open(&lanes, &routing->graph, routing->shown.lanes) &&
		    forest_open(&forest, &routing->graph, &lanes, routing->trees + switches) &&
		    grow_open(&grow, &forest, false);

	lanes.circles = routing->shown.circles;
	done = done && plant_hosts(routing, &forest);
	for (uint32_t s = 0; s < switches && done; s++)
		way_to(routing, &forest, &grow, s, link + (size_t)switches * s);
	grow_close(&grow);
	forest_close(&forest);
	lanes_close(&lanes);
	if (done)
		return link;
	free(link);
	return NULL;
}
