/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The twin quotient: transfers whose routes depend on the groups of their ends only
 *
 * Senders are twins when nothing tells them apart but the links that only they
 * use; so are receivers. All transfers from one group to another then use the same
 * links besides their ends' own: they are the copies of one *unit*. Units are
 * scheduled under capacities (a group of n senders of capacity c sends n c a frame), and the
 * result is expanded to transfers without loss by bipartite edge colouring.
 * Found from sets of links alone.
 */
#ifndef LIQUID_QUOTIENT_H
#define LIQUID_QUOTIENT_H

#include "problem/routes.h"

/* The expansion takes some 50 bytes a transfer: larger traffics are left to other methods. */
#define QUOTIENT_TRANSFERS_MAX (UINT32_C(1) << 25)

/* What the unit-level methods work on: units use resources (links, and groups of endpoints). */
struct units {
	uint32_t count, resources;
	uint32_t *first, *uses;		/* resources of unit u: uses[first[u]] ... uses[first[u + 1] - 1] */
	uint32_t *copies;		/* by unit: how often it is to be scheduled */
	uint32_t *capacity, *load;	/* by resource */
	uint32_t duration;		/* largest ceil(load / capacity) */
	uint32_t total;			/* sum of copies */
};

/* A schedule of units: one entry a copy, in any order. */
struct unit_plan {
	uint32_t frames, entries, room;
	uint32_t *frame, *unit;
};

bool unit_plan_add(struct unit_plan *plan, uint32_t frame, uint32_t unit, uint32_t times);
void unit_plan_clear(struct unit_plan *plan);
void units_clear(struct units *units);

struct quotient {
	struct units units;
	uint32_t hosts, senders, receivers;	/* hosts: largest + 1; groups of each side */
	uint32_t repeat;		/* what all counts are a multiple of */
	uint32_t *sender_group, *receiver_group;	/* by host, or LIQUID_NONE */
	uint32_t *sender_size, *receiver_size;		/* by group */
	uint32_t *sender_limit, *receiver_limit;	/* by group: what each host takes a frame */
	uint32_t *unit_sender, *unit_receiver;		/* by unit: its groups */
	uint32_t *self;			/* by unit: self pairs that the traffic leaves out */
	uint32_t *pair_unit;		/* by pair */
};

/* *@found is false where the routes have no such structure; then @quotient is empty. */
int quotient_find(const struct routes *routes, struct quotient *quotient, bool *found,
		  struct liquid_error *err);
void quotient_clear(struct quotient *quotient);
/* Its units, where they are fewer than the pairs: some group has two hosts. Else 0. */
int quotient_count_units(const struct routes *routes, uint32_t *units, struct liquid_error *err);

/* From a complete plan of the units to frame[] by transfer; its length is plan->frames * repeat. */
int quotient_expand(const struct routes *routes, const struct quotient *quotient,
		    const struct unit_plan *plan, uint32_t *frame, struct liquid_error *err);

#endif
