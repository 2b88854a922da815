/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A flow in a network: what it is, and how it is made
 *
 * A problem of capillary routing (thesis, section 4.2.2): every node has a supply, positive where
 * flow begins and negative where it ends, and every link a capacity. The flow is grown in
 * proportion to the supplies until some cut is full: net_grow() finds that cut, whose ratio is the
 * factor, with a few maximum flows and without a linear program. Flows are of the order of the
 * capacities at all times, so one tolerance serves all layers.
 *
 * An arc is a direction of a link: 2 link along it, and 2 link + 1 against it, on which flow is
 * taken back.
 */
#ifndef LIQUID_CAPILLARY_NET_H
#define LIQUID_CAPILLARY_NET_H

#include "liquidsched.h"

/* Less than this share of the greatest capacity, or of the stream, is what rounding leaves. */
#define NET_TINY 1e-12
/* A link this near to its capacity, as a share of it, is full; so near to 0 it is empty. */
#define NET_FULL 1e-9

struct net {
	uint32_t nodes, links;
	uint32_t *from, *to;		/* by link: nodes */
	double *capacity;		/* by link, whole numbers; 0: it takes no part */
	double tiny;			/* less than this is not a room, and no flow */
	double *supply;			/* by node: flow that begins here, or < 0: that ends here */
	double *flow;			/* by link */
	double *left;			/* by node: supply not yet sent, times the factor */
	uint32_t *first, *arc;		/* arcs of v: arc[first[v]] ... arc[first[v + 1] - 1] */
	/* Scratch, by node */
	uint32_t *mark, *queue, *at, *low;
	uint32_t *path;			/* arcs, or nodes */
	double *worth;
	bool *side;			/* by node: on this side of the cut found by net_grow() */
};

static inline uint32_t arc_head(const struct net *net, uint32_t arc)
{
	return arc & 1 ? net->from[arc / 2] : net->to[arc / 2];
}

static inline uint32_t arc_tail(const struct net *net, uint32_t arc)
{
	return arc_head(net, arc ^ 1);
}

static inline double arc_room(const struct net *net, uint32_t arc)
{
	double flow = net->flow[arc / 2];

	return arc & 1 ? flow : net->capacity[arc / 2] - flow;
}

static inline void arc_push(struct net *net, uint32_t arc, double amount)
{
	net->flow[arc / 2] += arc & 1 ? -amount : amount;
}

/* net.c */
/* Without links' ends, capacities and supplies; net_close() in either case. False: no memory. */
bool net_open(struct net *net, uint32_t nodes, uint32_t links);
void net_close(struct net *net);
/* To be called when the ends and capacities of all links are set. */
void net_index(struct net *net);
/* The links of a fabric. Hosts other than @from and @to relay nothing: capacity 0. */
bool net_open_fabric(struct net *net, const struct liquid_fabric *fabric, uint32_t from,
		     uint32_t to);
/*
 * Write the nodes into net->queue so that flow goes forward only; returns how many: fewer than
 * net->nodes if the flow goes round in a circle.
 */
uint32_t net_sort(struct net *net);

/* max-flow.c */
/* Send @factor times the supplies as far as possible; returns the rest. */
double net_send(struct net *net, double factor);
/*
 * The greatest factor of all supplies that the links carry; the flow is then that, and side[] the
 * cut that allows no more.
 */
double net_grow(struct net *net);

/* bottleneck.c */
/*
 * After net_grow(): mark in @full, by link, those that every flow of the present supplies fills:
 * the true bottlenecks (thesis, section 4.2.3). mark[] is the number of each node's component, from
 * 0 on. Returns how many are full.
 */
uint32_t net_bottlenecks(struct net *net, bool *full);

/* min-cost.c */
/* Send the supplies over as few links as possible. */
void net_send_short(struct net *net);

#endif
