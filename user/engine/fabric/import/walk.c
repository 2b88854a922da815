// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Following all routes of an imported fabric, to find the links in use and the pairs without a
 * route. The routes to a host form a tree, so the route from each switch is followed once.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/import/import.h"

#define PAIRS_NAMED 6			/* most pairs without a route that a message names */

enum way { WAY_UNKNOWN, WAY_HERE, WAY_LEADS, WAY_ENDS, WAY_NO_TABLE };

struct walker {
	struct import *import;
	const uint8_t *out;
	struct import_walk *walk;
	uint32_t dst;
	uint8_t *way;			/* by switch: enum way to @dst */
	uint32_t *stack;
	uint64_t named;
};

/* Look up the next hop from @sw; if it is another switch (*@next), return what is known of that. */
static enum way next_hop(struct walker *w, uint32_t sw, uint32_t *next)
{
	const struct liquid_fabric *fabric = w->import->fabric;
	uint32_t node = fabric->hosts + sw, link, to;

	if (w->out[node])
		return WAY_ENDS;
	if (w->import->lack[node] == LACK_TABLE) {
		w->walk->blamed[node] = 1;
		return WAY_NO_TABLE;
	}
	link = liquid_fabric_forward(fabric, sw, w->dst);
	if (link == LIQUID_NONE || w->import->cut[link])
		return WAY_ENDS;
	to = fabric->link[link].to;
	if (to < fabric->hosts)
		return to == w->dst ? WAY_LEADS : WAY_ENDS;
	*next = to - fabric->hosts;
	return w->way[*next];
}

static int follow(struct walker *w, uint32_t sw, enum way *found)
{
	const struct liquid_fabric *fabric = w->import->fabric;
	uint32_t depth = 0, next = sw;
	enum way way = (enum way)w->way[sw];

	while (way == WAY_UNKNOWN) {
		sw = next;
		w->way[sw] = WAY_HERE;
		w->stack[depth++] = sw;
		way = next_hop(w, sw, &next);
	}
	if (way == WAY_HERE)
		return liquid_fail(w->import->err, LIQUID_BAD_INPUT,
				   "%s: the route to host %s loops through switch %s",
				   w->import->given->lft_label, fabric->host[w->dst].name,
				   fabric->sw[next].name);
	while (depth--) {
		w->way[w->stack[depth]] = (uint8_t)way;
		if (way == WAY_LEADS)
			w->walk->used[liquid_fabric_forward(fabric, w->stack[depth],
							    w->dst)] = true;
	}
	*found = way;
	return LIQUID_OK;
}

static void name_pair(struct walker *w, uint32_t src)
{
	const struct liquid_fabric *fabric = w->import->fabric;
	size_t length = strlen(w->walk->names), room = sizeof(w->walk->names) - length;

	if (w->named++ >= PAIRS_NAMED || room < 32)
		return;
	snprintf(w->walk->names + length, room, "%s %.80s>%.80s", length ? "," : "",
		 fabric->host[src].name, fabric->host[w->dst].name);
}

static int walk_pair(struct walker *w, uint32_t src)
{
	const struct liquid_fabric *fabric = w->import->fabric;
	uint32_t out = fabric->host[src].out, to = fabric->link[out].to;
	enum way way = to == w->dst ? WAY_LEADS : WAY_ENDS;
	int status = LIQUID_OK;

	if (to >= fabric->hosts)
		status = follow(w, to - fabric->hosts, &way);
	if (status)
		return status;
	w->walk->pairs++;
	if (way == WAY_LEADS) {
		w->walk->used[out] = true;
		w->walk->from[src]++;
		w->walk->to[w->dst]++;
		return LIQUID_OK;
	}
	w->walk->lost++;
	w->walk->unnamed += way == WAY_NO_TABLE;
	if (way == WAY_ENDS)
		name_pair(w, src);
	return LIQUID_OK;
}

static int walk_all(struct walker *w)
{
	const struct liquid_fabric *fabric = w->import->fabric;
	int status = LIQUID_OK;

	for (w->dst = 0; w->dst < fabric->hosts && !status; w->dst++) {
		if (w->out[w->dst])
			continue;
		memset(w->way, WAY_UNKNOWN, fabric->switches);
		for (uint32_t src = 0; src < fabric->hosts && !status; src++)
			if (src != w->dst && !w->out[src])
				status = walk_pair(w, src);
	}
	return status;
}

int import_walk(struct import *import, const uint8_t *out, struct import_walk *walk)
{
	const struct liquid_fabric *fabric = import->fabric;
	struct walker w = { .import = import, .out = out, .walk = walk };
	int status = LIQUID_OK;

	*walk = (struct import_walk){
		.used = calloc(fabric->links + 1, sizeof(*walk->used)),
		.from = calloc(fabric->hosts + 1, sizeof(*walk->from)),
		.to = calloc(fabric->hosts + 1, sizeof(*walk->to)),
		.blamed = calloc(fabric->hosts + fabric->switches + 1, 1),
	};
	w.way = malloc(fabric->switches + 1);
	w.stack = malloc((fabric->switches + 1) * sizeof(*w.stack));
	if (!walk->used || !walk->from || !walk->to || !walk->blamed || !w.way || !w.stack)
		status = liquid_no_memory(import->err);
	else if (import->no_tables)
		memset(walk->used, true, fabric->links);
	else
		status = walk_all(&w);
	free(w.way);
	free(w.stack);
	return status;
}

void import_walk_free(struct import_walk *walk)
{
	free(walk->used);
	free(walk->from);
	free(walk->to);
	free(walk->blamed);
}
