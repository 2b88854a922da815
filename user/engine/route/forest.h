/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The forest of all routes: for each destination a tree, by which every switch forwards to it
 *
 * A tree is given by the arc that each switch sends by. The load of an arc is the demand of all
 * switches behind it, summed over the trees; a move gives one switch of one tree another arc, and
 * so changes the loads along two paths.
 */
#ifndef LIQUID_ROUTE_FOREST_H
#define LIQUID_ROUTE_FOREST_H

#include "route/graph.h"
#include "route/lanes.h"

struct forest {
	const struct route_graph *graph;
	struct lanes *lanes;
	uint32_t trees;
	uint32_t *root;			/* by tree: switch of its destination */
	uint8_t *lane;			/* by tree */
	/* By tree and switch */
	uint32_t *next;			/* arc; LIQUID_NONE: the root, or no way */
	uint32_t *own;			/* transfers from the hosts of this switch */
	uint32_t *demand;		/* the same with the switches behind it */
	uint32_t *senders;		/* hosts at this switch and those behind it */
	uint64_t *load;			/* by arc */
};

static inline size_t forest_place(const struct forest *forest, uint32_t tree, uint32_t s)
{
	return (size_t)tree * forest->graph->switches + s;
}

/* forest.c; forest_close() in either case. False: no memory. */
bool forest_open(struct forest *forest, const struct route_graph *graph, struct lanes *lanes,
		 uint32_t trees);
void forest_close(struct forest *forest);
/*
 * Plant @tree, whose root, lane, next[] and own[] are set. False: its dependencies close a circle
 * in its lane; nothing has changed.
 */
bool forest_plant(struct forest *forest, uint32_t tree);
/* The opposite */
void forest_fell(struct forest *forest, uint32_t tree);
/*
 * Let @tree send by @arc from where that begins, whether or not it has a way there. False: that
 * would close a circle in the tree or in its lane; nothing has changed.
 */
bool forest_move(struct forest *forest, uint32_t tree, uint32_t arc);
/* Let the hosts of @s send @demand more in @tree, or less. */
void forest_send(struct forest *forest, uint32_t tree, uint32_t s, int64_t demand);
/* Whether the tree's way from @s leads through @through. */
bool forest_passes(const struct forest *forest, uint32_t tree, uint32_t s, uint32_t through);
/* Whether @s has a way to the root. */
bool forest_reaches(const struct forest *forest, uint32_t tree, uint32_t s);
/* The greatest load by capacity, and how many arcs have it */
double forest_most(const struct forest *forest, uint32_t *arcs);

/* The limit of how much longer ways may be than the shortest ones */
struct stretch {
	uint32_t more;			/* hops that a way may have more than the shortest */
	uint16_t *least;		/* by root and switch: hops of the shortest way */
};

/* stretch_close() in either case. False: no memory. */
bool stretch_open(struct stretch *stretch, const struct route_graph *graph, uint32_t more);
void stretch_close(struct stretch *stretch);
/* All ways of hosts are short enough. */
bool stretch_holds(const struct stretch *stretch, const struct forest *forest);
/*
 * Whether @tree may send by @arc from where that begins: no way behind it becomes longer than it
 * may be, or all become shorter. Neither end is behind the other.
 */
bool stretch_allows(const struct stretch *stretch, const struct forest *forest, uint32_t tree,
		    uint32_t arc);

#endif
