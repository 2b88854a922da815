// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sweeps the switches in an order for the best cut, then moves single switches across it. */
#include <stdlib.h>
#include <string.h>

#include "route/cut.h"

bool route_cut_open(struct route_cut *cut, const struct route_graph *graph, const uint64_t *demand)
{
	*cut = (struct route_cut){ .graph = graph, .demand = demand };
	cut->inside = calloc((size_t)graph->switches + 1, sizeof(*cut->inside));
	cut->best = calloc((size_t)graph->switches + 1, sizeof(*cut->best));
	return cut->inside && cut->best;
}

void route_cut_close(struct route_cut *cut)
{
	free(cut->inside);
	free(cut->best);
}

/* ---- the present set ---- */

/* Let switch @s change sides. */
static void flip(struct route_cut *cut, uint32_t s)
{
	const struct route_graph *graph = cut->graph;
	/* What goes to the other side by then no longer crosses, and the rest does. */
	uint32_t out = cut->inside[s] ? 1 : 0, in = !out;
	bool side = cut->inside[s];

	for (uint32_t other = 0; other < graph->switches; other++) {
		int64_t to = (int64_t)cut->demand[(size_t)other * graph->switches + s];
		int64_t from = (int64_t)cut->demand[(size_t)s * graph->switches + other];

		if (other == s)
			continue;
		if (cut->inside[other] == side) {
			cut->demands[out] += to;
			cut->demands[in] += from;
		} else {
			cut->demands[in] -= to;
			cut->demands[out] -= from;
		}
	}
	for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++) {
		if (cut->inside[graph->to[arc]] == side)
			cut->capacity[out] += graph->capacity[arc];
		else
			cut->capacity[in] -= graph->capacity[arc];
	}
	for (uint32_t k = graph->first_in[s]; k < graph->first_in[s + 1]; k++) {
		uint32_t arc = graph->in[k];

		if (cut->inside[graph->from[arc]] == side)
			cut->capacity[in] += graph->capacity[arc];
		else
			cut->capacity[out] -= graph->capacity[arc];
	}
	cut->inside[s] = !side;
}

/* Keep the present set if it is the best. */
static bool look(struct route_cut *cut)
{
	bool better = false;

	for (uint32_t way = 0; way < 2; way++) {
		double value = (double)cut->demands[way] / (double)cut->capacity[way];

		if (!cut->capacity[way] || value <= cut->value)
			continue;
		cut->value = value;
		cut->best_way = way;
		better = true;
	}
	if (better)
		memcpy(cut->best, cut->inside, cut->graph->switches * sizeof(*cut->best));
	return better;
}

/* ---- searches ---- */

void route_cut_sweep(struct route_cut *cut, const uint32_t *order, uint32_t count)
{
	memset(cut->inside, 0, cut->graph->switches * sizeof(*cut->inside));
	memset(cut->demands, 0, sizeof(cut->demands));
	memset(cut->capacity, 0, sizeof(cut->capacity));
	for (uint32_t i = 0; i < count; i++) {
		flip(cut, order[i]);
		look(cut);
	}
}

/* Make the best set the present one. */
static void return_to_best(struct route_cut *cut)
{
	for (uint32_t s = 0; s < cut->graph->switches; s++)
		if (cut->inside[s] != cut->best[s])
			flip(cut, s);
}

void route_cut_improve(struct route_cut *cut)
{
	bool better = true;

	while (better) {
		return_to_best(cut);
		better = false;
		for (uint32_t s = 0; s < cut->graph->switches; s++) {
			flip(cut, s);
			if (look(cut))
				better = true;
			else
				flip(cut, s);
		}
	}
}

bool route_cut_has(const struct route_cut *cut, uint32_t arc)
{
	bool from = cut->best[cut->graph->from[arc]], to = cut->best[cut->graph->to[arc]];

	return cut->best_way ? !from && to : from && !to;
}
