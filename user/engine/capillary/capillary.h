/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layers of a capillary routing, as liquid_capillary() keeps them. */
#ifndef LIQUID_CAPILLARY_H
#define LIQUID_CAPILLARY_H

#include "capillary/net.h"
#include "capillary/supply.h"

struct capillary {
	struct liquid_capillary shown;	/* first: the caller's pointer is to it */
	struct net net;			/* capacities of the whole network */
	uint32_t *layer_of;		/* by link: the layer it is a bottleneck of, from 1; or 0 */
	struct liquid_capillary_layer *layer;
	struct supplies exact;		/* after the last layer */
	double *supply;			/* by layer and node: what layer 0, 1, ... begins with */
	uint32_t ties;			/* cuts that were so near that they count as equal */
	uint32_t *bottleneck;		/* those of all layers, in turn */
	uint32_t bottlenecks;
	uint32_t room;			/* layers for which there is memory */
};

static inline struct capillary *capillary_of(const struct liquid_capillary *shown)
{
	return (struct capillary *)(uintptr_t)shown;
}

/*
 * Copy the problem that is left after @layers layers; net_close() in either case. False: no memory.
 */
bool capillary_problem(const struct capillary *capillary, uint32_t layers, struct net *net);

#endif
