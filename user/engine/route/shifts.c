// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What shifts of the hosts cost: the steps of a pairwise exchange
 *
 * In a step host i sends to host i + d. The step takes as long as its busiest link between
 * switches; the sum over all d is what tables of the same load differ by.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "route/routing.h"
#include "traffic/traffic.h"

#define SHIFT_PAIRS UINT64_C(4000000)	/* of more pairs of hosts, some shifts represent all */

struct shifts {
	const struct forest *forest;
	uint32_t *tree, *source;	/* by place in the order of the hosts */
	uint32_t hosts;
	uint32_t *load, *touched;	/* by arc; arcs with a load */
};

static double shift_load(struct shifts *shifts, uint32_t shift)
{
	const struct forest *forest = shifts->forest;
	const struct route_graph *graph = forest->graph;
	uint32_t count = 0;
	double most = 1;

	for (uint32_t i = 0; i < shifts->hosts; i++) {
		uint32_t s = shifts->source[i], tree = shifts->tree[(i + shift) % shifts->hosts];
		const uint32_t *next;

		if (s == LIQUID_NONE || tree == LIQUID_NONE)
			continue;
		next = &forest->next[forest_place(forest, tree, 0)];
		for (uint32_t arc; (arc = next[s]) != LIQUID_NONE; s = graph->to[arc])
			if (!shifts->load[arc]++)
				shifts->touched[count++] = arc;
	}
	while (count--) {
		uint32_t arc = shifts->touched[count];
		double load = (double)shifts->load[arc] / graph->capacity[arc];

		most = load > most ? load : most;
		shifts->load[arc] = 0;
	}
	return most;
}

bool route_shifts(const struct routing *routing, const struct forest *forest, double *cost)
{
	const struct route_graph *graph = forest->graph;
	const uint32_t *host = NULL;
	size_t hosts = graph->hosts;
	uint32_t step = 1, *tree = malloc((hosts + 1) * sizeof(*tree));
	struct shifts shifts = { .forest = forest };
	bool done;

	*cost = 0;
	if (routing->options->traffic)
		host = traffic_hosts(routing->options->traffic, &hosts);
	shifts.tree = calloc(2 * hosts + 1, sizeof(*shifts.tree));
	shifts.load = calloc(2 * (size_t)graph->arcs + 1, sizeof(*shifts.load));
	done = tree && shifts.tree && shifts.load;
	if (done && (host || !routing->options->traffic) && !routing->ways.each) {
		memset(tree, 0xff, graph->hosts * sizeof(*tree));
		for (uint32_t t = 0; t < routing->trees; t++)
			tree[routing->host[t]] = t;
		shifts.hosts = (uint32_t)hosts;
		shifts.source = shifts.tree + hosts;
		shifts.touched = shifts.load + graph->arcs;
		for (uint32_t i = 0; i < hosts; i++) {
			shifts.tree[i] = tree[host_at(host, i)];
			shifts.source[i] = graph->source[host_at(host, i)];
		}
		step += (uint32_t)(hosts * hosts / SHIFT_PAIRS);
		for (uint32_t shift = 1; shift < hosts; shift += step)
			*cost += step * shift_load(&shifts, shift);
	}
	free(tree);
	free(shifts.tree);
	free(shifts.load);
	return done;
}
