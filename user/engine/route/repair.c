// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plants the trees of before on the links that are left, repairs switches, else grows anew. */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "route/grow.h"
#include "route/repair.h"

struct mending {
	struct forest *forest;
	const struct route_graph *graph;
	const struct liquid_fabric *old;
	uint32_t *arc;			/* by link of the old fabric: our arc, or LIQUID_NONE */
	uint32_t *old_switch;		/* by switch: node of the old fabric, or LIQUID_NONE */
};

/* ---- what is what ---- */

static uint32_t find_switch(const struct liquid_fabric *fabric, const char *name)
{
	uint32_t node = fabric_find_node(fabric, name), hosts = liquid_fabric_host_count(fabric);

	return node == LIQUID_NONE || node < hosts ? LIQUID_NONE : node - hosts;
}

/* Our arc between the same ports of the same switches */
static uint32_t find_arc(const struct mending *mending, const struct liquid_link *link)
{
	const struct route_graph *graph = mending->graph;
	uint32_t from, to;

	from = find_switch(graph->fabric, liquid_fabric_node_name(mending->old, link->from));
	to = find_switch(graph->fabric, liquid_fabric_node_name(mending->old, link->to));
	if (from == LIQUID_NONE || to == LIQUID_NONE)
		return LIQUID_NONE;
	for (uint32_t arc = graph->first[from]; arc < graph->first[from + 1]; arc++) {
		const struct liquid_link *ours = liquid_fabric_link(graph->fabric,
								    graph->link[arc]);

		if (graph->to[arc] == to && ours->from_port == link->from_port &&
		    ours->to_port == link->to_port)
			return arc;
	}
	return LIQUID_NONE;
}

static bool mending_open(struct mending *mending, struct forest *forest,
			 const struct liquid_fabric *old)
{
	uint32_t links = liquid_fabric_link_count(old), hosts = liquid_fabric_host_count(old);

	*mending = (struct mending){ .forest = forest, .graph = forest->graph, .old = old };
	mending->arc = malloc(((size_t)links + 1) * sizeof(*mending->arc));
	mending->old_switch = malloc(((size_t)forest->graph->switches + 1) *
				     sizeof(*mending->old_switch));
	if (!mending->arc || !mending->old_switch)
		return false;
	for (uint32_t i = 0; i < links; i++) {
		const struct liquid_link *link = liquid_fabric_link(old, i);

		mending->arc[i] = link->from < hosts || link->to < hosts ? LIQUID_NONE :
				  find_arc(mending, link);
	}
	for (uint32_t s = 0; s < forest->graph->switches; s++)
		mending->old_switch[s] =
			find_switch(old, liquid_fabric_node_name(forest->graph->fabric,
								 forest->graph->hosts + s));
	return true;
}

static void mending_close(struct mending *mending)
{
	free(mending->arc);
	free(mending->old_switch);
}

/* ---- trees ---- */

static uint32_t old_arc(const struct mending *mending, uint32_t s, uint32_t old_host)
{
	uint32_t link;

	if (mending->old_switch[s] == LIQUID_NONE || old_host == LIQUID_NONE)
		return LIQUID_NONE;
	link = liquid_fabric_forward(mending->old, mending->old_switch[s], old_host);
	return link == LIQUID_NONE ? LIQUID_NONE : mending->arc[link];
}

/* True: every switch with hosts still has its way. */
static bool is_whole(const struct forest *forest, uint32_t tree)
{
	for (uint32_t s = 0; s < forest->graph->switches; s++)
		if (forest->graph->senders[s] && !forest_reaches(forest, tree, s))
			return false;
	return true;
}

/* Whether the present tree could send by @arc, and not worse than by @best */
static bool is_better(const struct forest *forest, uint32_t tree, uint32_t arc, uint32_t best)
{
	const struct route_graph *graph = forest->graph;

	if (!forest_reaches(forest, tree, graph->to[arc]))
		return false;
	return best == LIQUID_NONE || forest->load[arc] * graph->capacity[best] <
				      forest->load[best] * graph->capacity[arc];
}

/* Give @s, whose way is lost, another; the least loaded first. */
static bool mend_switch(struct forest *forest, uint32_t tree, uint32_t s)
{
	const struct route_graph *graph = forest->graph;
	uint32_t arcs = graph->first[s + 1] - graph->first[s];
	uint64_t tried = 0;		/* bit for each of the first 64 arcs */

	for (uint32_t round = 0; round < arcs; round++) {
		uint32_t best = LIQUID_NONE;

		for (uint32_t i = 0; i < arcs && i < 64; i++)
			if (!(tried >> i & 1) &&
			    is_better(forest, tree, graph->first[s] + i, best))
				best = graph->first[s] + i;
		if (best == LIQUID_NONE)
			return false;
		if (forest_move(forest, tree, best))
			return true;
		tried |= UINT64_C(1) << (best - graph->first[s]);
	}
	return false;
}

/* Ways of other switches may be needed first: until nothing is repaired any more. */
static bool mend_tree(struct forest *forest, uint32_t tree)
{
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	bool mended = true;

	while (mended && !is_whole(forest, tree)) {
		mended = false;
		for (uint32_t s = 0; s < forest->graph->switches; s++)
			if (next[s] == LIQUID_NONE && s != forest->root[tree])
				mended |= mend_switch(forest, tree, s);
	}
	return is_whole(forest, tree);
}

/*
 * Where nothing else closes no circle, an alias has the routes of its host, which come first: they
 * bring no new dependency.
 */
static bool follow_host(struct forest *forest, const uint32_t *host, uint32_t tree)
{
	uint32_t owner = liquid_fabric_owner(forest->graph->fabric, host[tree]);

	for (uint32_t other = 0; other < tree; other++) {
		if (host[other] != owner || forest->lane[other] != forest->lane[tree])
			continue;
		memcpy(&forest->next[forest_place(forest, tree, 0)],
		       &forest->next[forest_place(forest, other, 0)],
		       forest->graph->switches * sizeof(*forest->next));
		return forest_plant(forest, tree);
	}
	return false;
}

/*
 * Grow @tree in its lane; or in another, which is nothing but another service level for its host.
 * But all addresses of a host keep to one lane. Returns a switch that has no way, or LIQUID_NONE.
 */
static uint32_t grow_anew(struct grow *grow, uint32_t tree)
{
	struct forest *forest = grow->forest;
	uint32_t own = forest->lane[tree], from = grow_tree(grow, tree);
	uint32_t lanes = liquid_fabric_alias_count(forest->graph->fabric) ? 1 :
			 forest->lanes->lanes;

	for (uint32_t i = 1; i < lanes && from != LIQUID_NONE; i++) {
		forest_fell(forest, tree);
		forest->lane[tree] = (uint8_t)((own + i) % lanes);
		from = grow_tree(grow, tree);
	}
	if (from == LIQUID_NONE)
		return from;
	forest_fell(forest, tree);
	forest->lane[tree] = (uint8_t)own;
	return from;
}

/* Repair the trees from the @first in repair->tree on. */
static bool mend_all(struct forest *forest, const uint32_t *host, struct repair *repair,
		     uint32_t first)
{
	struct grow grow;
	bool done = grow_open(&grow, forest, false);

	for (uint32_t i = first; i < repair->trees && done; i++) {
		uint32_t tree = repair->tree[i], from;

		if (mend_tree(forest, tree))
			continue;
		forest_fell(forest, tree);
		from = grow_anew(&grow, tree);
		if (from == LIQUID_NONE || follow_host(forest, host, tree))
			continue;
		repair->from = from;
		repair->lost = tree;
		break;
	}
	grow_close(&grow);
	return done;
}

/* The ways of before that are still there; false: some switch with hosts has none. */
static bool plant_old(const struct mending *mending, uint32_t tree, uint32_t old_host)
{
	struct forest *forest = mending->forest;
	uint32_t *next = &forest->next[forest_place(forest, tree, 0)];

	for (uint32_t s = 0; s < forest->graph->switches; s++)
		next[s] = s == forest->root[tree] ? LIQUID_NONE : old_arc(mending, s, old_host);
	if (!forest_plant(forest, tree)) {
		/* The routes of before have a circle in this lane: grow the tree anew. */
		for (uint32_t s = 0; s < forest->graph->switches; s++)
			next[s] = LIQUID_NONE;
		forest_plant(forest, tree);
	}
	return is_whole(forest, tree);
}

static bool is_alias(const struct liquid_fabric *fabric, uint32_t host)
{
	return liquid_fabric_owner(fabric, host) != host;
}

bool route_repair(struct forest *forest, const struct liquid_fabric *old, const uint32_t *host,
		  struct repair *repair)
{
	const struct liquid_fabric *fabric = forest->graph->fabric;
	struct mending mending;
	bool done = mending_open(&mending, forest, old);
	uint32_t tree = 0;

	*repair = (struct repair){ .lost = LIQUID_NONE, .from = LIQUID_NONE };
	repair->tree = calloc((size_t)forest->trees + 1, sizeof(*repair->tree));
	done = done && repair->tree;
	/* Hosts first, as if there were no aliases, and then these */
	while (tree < forest->trees && done && repair->lost == LIQUID_NONE) {
		bool aliases = is_alias(fabric, host[tree]);
		uint32_t first = repair->trees;

		for (; tree < forest->trees && aliases == is_alias(fabric, host[tree]); tree++) {
			const char *name = liquid_fabric_node_name(fabric, host[tree]);

			if (!plant_old(&mending, tree, liquid_fabric_find_host(old, name)))
				repair->tree[repair->trees++] = tree;
		}
		done = mend_all(forest, host, repair, first);
	}
	mending_close(&mending);
	return done;
}
