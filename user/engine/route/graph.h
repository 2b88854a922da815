/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The switches of a fabric and the links between them, for a search of routes. */
#ifndef LIQUID_ROUTE_GRAPH_H
#define LIQUID_ROUTE_GRAPH_H

#include "liquidsched.h"
#include "problem/translations.h"

#define ROUTE_TRANSLATIONS_MAX 1024u

/*
 * An arc is a link from switch to switch. Arcs are numbered by the switch that they leave: those of
 * switch s are first[s] ... first[s + 1] - 1.
 */
struct route_graph {
	const struct liquid_fabric *fabric;
	uint32_t switches, hosts, arcs;
	uint32_t *from, *to;		/* by arc: switches */
	uint32_t *link;			/* by arc: link of the fabric */
	uint32_t *capacity;		/* by arc: transfers a frame */
	uint32_t *first;		/* by switch, and one more */
	uint32_t *first_in, *in;	/* arcs that enter a switch: in[first_in[s]] ... */
	uint32_t *home;			/* by host: its switch; LIQUID_NONE: it receives nothing */
	uint32_t *source;		/* by host: switch that it sends to; LIQUID_NONE: none */
	uint32_t *senders;		/* by switch: hosts that send to it */
};

/* graph.c; route_graph_close() in either case. False: no memory. */
bool route_graph_open(struct route_graph *graph, const struct liquid_fabric *fabric);
void route_graph_close(struct route_graph *graph);
/*
 * Hops to the nearest of the @count switches in @queue, by switch; LIQUID_NONE: there is no way.
 * @queue has room for all switches.
 */
void route_graph_distances(const struct route_graph *graph, uint32_t *queue, uint32_t count,
			   uint32_t *distance);
/*
 * Renamings of the switches that keep all links and hosts; none but the identity if there are more
 * than ROUTE_TRANSLATIONS_MAX switches. translations_clear() in either case. False: no memory.
 */
bool route_graph_translations(const struct route_graph *graph, struct translations *found);

#endif
