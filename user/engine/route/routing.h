/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Routes as liquid_route() keeps them. */
#ifndef LIQUID_ROUTE_ROUTING_H
#define LIQUID_ROUTE_ROUTING_H

#include "route/forest.h"
#include "route/ways.h"

struct routing {
	struct liquid_routing shown;	/* first: the caller's pointer is to it */
	const struct liquid_route_options *options;
	struct route_graph graph;
	uint32_t trees;
	uint32_t *host;			/* by tree */
	uint32_t *next;			/* by tree and switch: the best so far */
	uint8_t *lane;			/* by host of graph.fabric */
	uint8_t *shown_lane;		/* by host of shown.fabric */
	struct liquid_fabric *fabric;	/* that of graph, if it is not the caller's; or NULL */
	struct liquid_traffic *traffic;	/* with its hosts' numbers; or NULL */
	struct ways ways;		/* with several addresses a host */
	uint8_t *way;			/* by pair of ways: the best so far */
	uint64_t *price;		/* by link */
	double hosts_load;		/* greatest load by capacity of a link of a host */
	bool bound_known;		/* no better bound is looked for */
	double switches_bound;		/* no routes have a smaller load between switches */
	uint32_t unit;			/* transfers on a link between switches: multiples of it */
	double switches_load;		/* the same between switches, of the best; < 0: none yet */
	uint32_t busiest;
	uint64_t hops;
	double shifts;			/* see route_shifts() */
	uint64_t moves;			/* tried so far */
	bool regular;			/* the best is regular (regular.h) */
	struct stretch stretch;		/* if there is such an option */
	struct liquid_error *err;
};

static inline const struct routing *routing_of(const struct liquid_routing *shown)
{
	return (const struct routing *)shown;
}

/*
 * shifts.c: sum over the shifts d of the greatest load that i -> i + d of all hosts gives a link
 * between switches, at least 1; 0: the traffic is not an all-to-all, or its pairs have several ways
 */
bool route_shifts(const struct routing *routing, const struct forest *forest, double *cost);

/* make-fabric.c: make the fabric that is shown, with the best tables and lanes. */
int routing_make_fabric(struct routing *routing);

/*
 * shorten.c: make shown.schedule, and change the best routes where that makes it shorter. No
 * schedule for any routes has less than @least frames.
 */
int routing_shorten(struct routing *routing, double least);

/*
 * addresses.c: the fabric and the traffic to route, in fabric, traffic and options
 */
int routing_addresses(struct routing *routing, const struct liquid_fabric *given,
		      struct liquid_route_options *options);
/*
 * Add the addresses that are in use to @to, the copy of a fabric; number[] is by host: its number
 * there. An address that needs no routes of its own has that of a lower one, or LIQUID_NONE.
 */
int routing_add_aliases(const struct routing *routing, struct liquid_fabric *to,
			uint32_t *number);
/* Fill in shown.traffic. */
int routing_name_addresses(struct routing *routing, const uint32_t *number);

/*
 * switches.c: ways to the switches themselves, for management packets, which use lane 0: by
 * @switches * to + from, the link, or LIQUID_NONE: there is none without a circle. NULL: no memory.
 */
uint32_t *routing_to_switches(const struct routing *routing);

#endif
