/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The twin quotient: transfers whose routes depend only on the groups of their ends
 *
 * A link is a host's own if only the transfers of that host use it, and all of them do. Senders
 * are *twins* if their transfers differ only in their own links; likewise receivers. Then all
 * transfers from one group of twins to another use the same *inner* links (which are not an
 * end's own): they are copies of one *unit*. Units are scheduled under capacities: a group of n
 * senders of capacity c sends n c copies in a frame. The result is expanded to a schedule of the
 * same length by bipartite edge colouring. Only sets of links are used to find the groups.
 */
#ifndef LIQUID_QUOTIENT_H
#define LIQUID_QUOTIENT_H

#include "problem/solving.h"

/* The expansion takes 50 bytes for each transfer; other methods solve larger traffics. */
#define QUOTIENT_TRANSFERS_MAX (UINT32_C(1) << 25)

/* A schedule of units: an entry for each copy, in any order. */
struct unit_plan {
	uint32_t frames, entries, room;
	uint32_t *frame, *unit;
};

bool unit_plan_add(struct unit_plan *plan, uint32_t frame, uint32_t unit, uint32_t times);
void unit_plan_clear(struct unit_plan *plan);

struct quotient {
	struct routes units;		/* between groups; links: the groups of senders, of
					 * receivers, then inner links */
	uint32_t hosts, senders, receivers;	/* largest host + 1; number of groups */
	uint32_t repeat;		/* greatest common divisor of the counts of all pairs */
	uint32_t *sender_group, *receiver_group;	/* by host, or LIQUID_NONE */
	uint32_t *sender_size, *receiver_size;		/* by group */
	uint32_t *sender_limit, *receiver_limit;	/* by group: transfers a host and frame */
	uint32_t *self;			/* by unit: number of self pairs, absent from the traffic */
	uint32_t *pair_unit;		/* by pair: its unit */
};

/* If the routes have no such structure, *@found is false and @quotient is empty. */
int quotient_find(const struct routes *routes, struct quotient *quotient, bool *found,
		  struct liquid_error *err);
void quotient_clear(struct quotient *quotient);

/* Expand a complete plan to transfers and offer it; its length is plan->frames * repeat. */
int quotient_offer(struct solving *solving, const struct quotient *quotient,
		   const struct unit_plan *plan, struct liquid_error *err);

#endif
