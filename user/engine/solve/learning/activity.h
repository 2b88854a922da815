/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables by activity: those that were in the latest conflicts first; in whole numbers. */
#ifndef LIQUID_ACTIVITY_H
#define LIQUID_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

struct activity {
	uint32_t *heap, count;
	uint32_t *at;			/* by variable: its place in the heap, or LIQUID_NONE */
	uint64_t *score;		/* by variable */
	uint64_t step;			/* what an activity grows by */
	uint32_t variables;
};

/*
 * All variables by number, a few places off by @seed if @jitter is above 1. Returns false if out
 * of memory.
 */
bool activity_new(struct activity *activity, uint32_t variables, bool descending,
		  uint32_t jitter, uint64_t seed);
void activity_clear(struct activity *activity);
void activity_raise(struct activity *activity, uint32_t variable);
/* Make what was raised before weigh less: by 1 / 20. */
void activity_age(struct activity *activity);
/* Take the most active variable; LIQUID_NONE: there are no more. */
uint32_t activity_take(struct activity *activity);
/* Put @variable back, if it is not there. */
void activity_put(struct activity *activity, uint32_t variable);

#endif
