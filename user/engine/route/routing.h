/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Routes as liquid_route() keeps them. */
#ifndef LIQUID_ROUTE_ROUTING_H
#define LIQUID_ROUTE_ROUTING_H

#include "route/graph.h"

struct routing {
	struct liquid_routing shown;	/* first: the caller's pointer is to it */
	const struct liquid_route_options *options;
	struct route_graph graph;
	uint32_t trees;
	uint32_t *host;			/* by tree */
	uint32_t *next;			/* by tree and switch: the best so far */
	uint8_t *lane;			/* by host */
	uint64_t *price;		/* by link */
	double hosts_load;		/* greatest load by capacity of a link of a host */
	double switches_load;		/* the same between switches, of the best; < 0: none yet */
	uint32_t busiest;
	uint64_t hops;
	bool regular;			/* the best is regular (regular.h) */
	struct liquid_error *err;
};

static inline const struct routing *routing_of(const struct liquid_routing *shown)
{
	return (const struct routing *)shown;
}

/* make-fabric.c: make the fabric that is shown, with the best tables and lanes. */
int routing_make_fabric(struct routing *routing);

/*
 * switches.c: ways to the switches themselves, for management packets, which use lane 0: by
 * @switches * to + from, the link, or LIQUID_NONE: there is none without a circle. NULL: no memory.
 */
uint32_t *routing_to_switches(const struct routing *routing);

#endif
