// SPDX-License-Identifier: LGPL-2.1-or-later
/* Climbs of a level get their planes by edge colouring, and what meets in a tree goes on as one. */
#include <stdlib.h>
#include <string.h>

#include "problem/edge-colour.h"
#include "route/colour.h"

/* What goes up in a tree from a switch */
struct climb {
	uint32_t tree, s;
	uint32_t t;			/* switch of the same level by which it comes down */
};

struct colours {
	struct start *start;
	struct forest *forest;
	const struct route_graph *graph;
	uint32_t level;			/* that climbs */
	uint32_t *group, *plane;	/* by switch: what is joined from this level on; above */
	struct climb *climb;
	uint32_t climbs;
	uint32_t *left, *right, *colour; /* by climb */
	uint32_t *degree;		/* by switch */
	struct konig konig;
};

static uint32_t level_of(const struct colours *colours, uint32_t s)
{
	return colours->graph->switches - colours->start->rank[s];
}

/* ---- planes ---- */

/* Label what is joined by switches of @level and above. */
static void join(struct colours *colours, uint32_t level, uint32_t *label)
{
	const struct route_graph *graph = colours->graph;
	uint32_t *queue = colours->start->queue;

	memset(label, 0xff, graph->switches * sizeof(*label));
	for (uint32_t s = 0; s < graph->switches; s++) {
		uint32_t count = 1;

		if (label[s] != LIQUID_NONE || level_of(colours, s) < level)
			continue;
		queue[0] = s;
		label[s] = s;
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t arc = graph->first[queue[i]];
			     arc < graph->first[queue[i] + 1]; arc++) {
				uint32_t to = graph->to[arc];

				if (label[to] != LIQUID_NONE || level_of(colours, to) < level)
					continue;
				label[to] = s;
				queue[count++] = to;
			}
	}
}

static bool is_up(const struct colours *colours, uint32_t arc)
{
	return level_of(colours, colours->graph->to[arc]) > colours->level;
}

static uint32_t plane_of(const struct colours *colours, uint32_t arc)
{
	return colours->plane[colours->graph->to[arc]];
}

/* The arc from @s into the plane that has @number lower ones; LIQUID_NONE: not just one */
static uint32_t up_arc(const struct colours *colours, uint32_t s, uint32_t number)
{
	const struct route_graph *graph = colours->graph;
	uint32_t found = LIQUID_NONE;

	for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++) {
		uint32_t lower = 0;

		for (uint32_t other = graph->first[s]; other < graph->first[s + 1]; other++)
			lower += is_up(colours, other) &&
				 plane_of(colours, other) < plane_of(colours, arc);
		if (!is_up(colours, arc) || lower != number)
			continue;
		if (found != LIQUID_NONE)
			return LIQUID_NONE;
		found = arc;
	}
	return found;
}

static uint32_t count_planes(const struct colours *colours, uint32_t s)
{
	const struct route_graph *graph = colours->graph;
	uint32_t count = 0;

	for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++)
		count += is_up(colours, arc);
	return count;
}

/* Whether both have one arc into each of the same planes, of which there are @count */
static bool same_planes(const struct colours *colours, uint32_t s, uint32_t t, uint32_t count)
{
	if (count_planes(colours, s) != count || count_planes(colours, t) != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a = up_arc(colours, s, i), b = up_arc(colours, t, i);

		if (a == LIQUID_NONE || b == LIQUID_NONE ||
		    plane_of(colours, a) != plane_of(colours, b))
			return false;
	}
	return true;
}

/* ---- a level ---- */

/* The only switch of the level by which what climbs from @s can come down, or LIQUID_NONE */
static uint32_t find_descent(const struct colours *colours, uint32_t s)
{
	uint32_t found = LIQUID_NONE;

	for (uint32_t t = 0; t < colours->graph->switches; t++) {
		if (level_of(colours, t) != colours->level || !colours->start->down[t] ||
		    colours->group[t] != colours->group[s])
			continue;
		if (found != LIQUID_NONE)
			return LIQUID_NONE;
		found = t;
	}
	return found;
}

/* Those that are above their destination climb no more. False: the tree does not suit. */
static bool find_descents(struct colours *colours)
{
	uint32_t count = 0, tree = LIQUID_NONE;

	for (uint32_t i = 0; i < colours->climbs; i++) {
		struct climb climb = colours->climb[i];

		if (climb.tree != tree)
			start_mark_down(colours->start, climb.tree);
		tree = climb.tree;
		if (colours->start->down[climb.s])
			continue;
		climb.t = find_descent(colours, climb.s);
		if (climb.t == LIQUID_NONE)
			return false;
		colours->climb[count++] = climb;
	}
	colours->climbs = count;
	return true;
}

static uint32_t most_climbs(struct colours *colours, const uint32_t *end)
{
	uint32_t most = 0;

	memset(colours->degree, 0, colours->graph->switches * sizeof(*colours->degree));
	for (uint32_t i = 0; i < colours->climbs; i++) {
		uint32_t degree = ++colours->degree[end[i]];

		most = degree > most ? degree : most;
	}
	return most;
}

/* A colour for each climb, such that those of a switch have few colours twice: modulo @planes */
static bool give_colours(struct colours *colours, uint32_t planes)
{
	struct konig_graph graph = {
		colours->climbs, colours->graph->switches, colours->graph->switches,
		colours->left, colours->right,
	};
	uint32_t most, other;

	for (uint32_t i = 0; i < colours->climbs; i++) {
		colours->left[i] = colours->climb[i].s;
		colours->right[i] = colours->climb[i].t;
	}
	most = most_climbs(colours, colours->left);
	other = most_climbs(colours, colours->right);
	most = other > most ? other : most;
	return konig_colour(&colours->konig, &graph, (most + planes - 1) / planes * planes,
			    colours->colour);
}

/* All go up by their colours, and what meets in a tree goes on together. */
static void go_up(struct colours *colours, uint32_t planes)
{
	struct forest *forest = colours->forest;
	uint32_t count = 0;

	for (uint32_t i = 0; i < colours->climbs; i++) {
		struct climb climb = colours->climb[i];
		uint32_t arc = up_arc(colours, climb.s, colours->colour[i] % planes), k = count;

		forest->next[forest_place(forest, climb.tree, climb.s)] = arc;
		climb.s = colours->graph->to[arc];
		while (k && colours->climb[k - 1].tree == climb.tree &&
		       colours->climb[k - 1].s != climb.s)
			k--;
		if (!k || colours->climb[k - 1].tree != climb.tree)
			colours->climb[count++] = climb;
	}
	colours->climbs = count;
}

/* False: no memory. */
static bool climb_level(struct colours *colours, bool *suits)
{
	uint32_t planes;

	join(colours, colours->level, colours->group);
	join(colours, colours->level + 1, colours->plane);
	*suits = find_descents(colours);
	if (!*suits || !colours->climbs)
		return true;
	planes = count_planes(colours, colours->climb[0].s);
	for (uint32_t i = 0; i < colours->climbs && *suits; i++)
		*suits = same_planes(colours, colours->climb[i].s, colours->climb[i].t, planes);
	if (!*suits)
		return true;
	if (!give_colours(colours, planes))
		return false;
	go_up(colours, planes);
	return true;
}

/* ---- all levels ---- */

static bool colours_open(struct colours *colours, struct start *start)
{
	const struct forest *forest = start->forest;
	size_t places = forest_place(forest, forest->trees, 0), count = 1;
	size_t switches = (size_t)forest->graph->switches + 1;

	*colours = (struct colours){ .start = start, .forest = start->forest,
				     .graph = forest->graph };
	for (size_t i = 0; i < places; i++)
		count += forest->own[i] > 0;
	colours->group = calloc(switches, sizeof(*colours->group));
	colours->plane = calloc(switches, sizeof(*colours->plane));
	colours->degree = calloc(switches, sizeof(*colours->degree));
	colours->climb = calloc(count, sizeof(*colours->climb));
	colours->left = calloc(count, sizeof(*colours->left));
	colours->right = calloc(count, sizeof(*colours->right));
	colours->colour = calloc(count, sizeof(*colours->colour));
	return colours->group && colours->plane && colours->degree && colours->climb &&
	       colours->left && colours->right && colours->colour;
}

static void colours_close(struct colours *colours)
{
	free(colours->group);
	free(colours->plane);
	free(colours->degree);
	free(colours->climb);
	free(colours->left);
	free(colours->right);
	free(colours->colour);
	konig_clear(&colours->konig);
}

static void gather(struct colours *colours)
{
	const struct forest *forest = colours->forest;

	for (uint32_t tree = 0; tree < forest->trees; tree++)
		for (uint32_t s = 0; s < forest->graph->switches; s++)
			if (forest->own[forest_place(forest, tree, s)])
				colours->climb[colours->climbs++] = (struct climb){ tree, s, 0 };
}

bool colour_ways(struct start *start, bool *suits)
{
	struct colours colours;
	bool done = colours_open(&colours, start);

	*suits = start->levels;
	if (done && *suits)
		gather(&colours);
	while (done && *suits && colours.climbs) {
		done = climb_level(&colours, suits);
		colours.level++;
	}
	colours_close(&colours);
	return done;
}
