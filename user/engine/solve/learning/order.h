/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Variables by activity: those that were in the latest conflicts first; in whole numbers. */
#ifndef LIQUID_ORDER_H
#define LIQUID_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct order {
	uint32_t *heap, count;
	uint32_t *at;			/* by variable: its place in the heap, or LIQUID_NONE */
	uint64_t *activity;		/* by variable */
	uint64_t step;			/* what an activity grows by */
	uint32_t variables;
};

/*
 * All variables by number, a few places off by @seed if @jitter is above 1. Returns false if out
 * of memory.
 */
bool order_new(struct order *order, uint32_t variables, bool descending, uint32_t jitter,
	       uint64_t seed);
void order_clear(struct order *order);
void order_raise(struct order *order, uint32_t variable);
/* Make what was raised before weigh less: by 1 / 20. */
void order_age(struct order *order);
/* Take the most active variable; LIQUID_NONE: there are no more. */
uint32_t order_take(struct order *order);
/* Put @variable back, if it is not there. */
void order_put(struct order *order, uint32_t variable);

#endif
