// SPDX-License-Identifier: LGPL-2.1-or-later
/* Variables by activity: a binary heap. */
#include <stdlib.h>

#include "liquidsched.h"
#include "problem/random.h"
#include "solve/learning/order.h"

#define STEP_FIRST (UINT64_C(1) << 24)
#define ACTIVITY_MAX (UINT64_C(1) << 60)
#define SCALE_SHIFT 32
#define AGE_PARTS 19

static void place(struct order *order, uint32_t at, uint32_t variable)
{
	order->heap[at] = variable;
	order->at[variable] = at;
}

static void sift_up(struct order *order, uint32_t at)
{
	uint32_t variable = order->heap[at];

	while (at && order->activity[order->heap[(at - 1) / 2]] < order->activity[variable]) {
		place(order, at, order->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(order, at, variable);
}

static void sift_down(struct order *order, uint32_t at)
{
	uint32_t variable = order->heap[at], child;

	while ((child = 2 * at + 1) < order->count) {
		if (child + 1 < order->count && order->activity[order->heap[child + 1]] >
						order->activity[order->heap[child]])
			child++;
		if (order->activity[order->heap[child]] <= order->activity[variable])
			break;
		place(order, at, order->heap[child]);
		at = child;
	}
	place(order, at, variable);
}

bool order_new(struct order *order, uint32_t variables, bool descending, uint32_t jitter,
	       uint64_t seed)
{
	struct random random = { seed };

	*order = (struct order){ .step = STEP_FIRST, .variables = variables };
	order->heap = calloc((size_t)variables + 1, sizeof(*order->heap));
	order->at = calloc((size_t)variables + 1, sizeof(*order->at));
	order->activity = calloc((size_t)variables + 1, sizeof(*order->activity));
	if (!order->heap || !order->at || !order->activity)
		return false;
	for (uint32_t v = 0; v < variables; v++) {
		order->at[v] = LIQUID_NONE;
		order->activity[v] = descending ? v : variables - v;
		order->activity[v] += random_below(&random, jitter);
		order_put(order, v);
	}
	return true;
}

void order_clear(struct order *order)
{
	free(order->heap);
	free(order->at);
	free(order->activity);
}

static void scale(struct order *order)
{
	for (uint32_t v = 0; v < order->variables; v++)
		order->activity[v] >>= SCALE_SHIFT;
	order->step = (order->step >> SCALE_SHIFT) + 1;
}

void order_raise(struct order *order, uint32_t variable)
{
	order->activity[variable] += order->step;
	if (order->at[variable] != LIQUID_NONE)
		sift_up(order, order->at[variable]);
	if (order->activity[variable] > ACTIVITY_MAX)
		scale(order);
}

void order_age(struct order *order)
{
	order->step += order->step / AGE_PARTS;
	if (order->step > ACTIVITY_MAX)
		scale(order);
}

uint32_t order_take(struct order *order)
{
	uint32_t variable;

	if (!order->count)
		return LIQUID_NONE;
	variable = order->heap[0];
	order->at[variable] = LIQUID_NONE;
	if (--order->count) {
		place(order, 0, order->heap[order->count]);
		sift_down(order, 0);
	}
	return variable;
}

void order_put(struct order *order, uint32_t variable)
{
	if (order->at[variable] != LIQUID_NONE)
		return;
	place(order, order->count, variable);
	sift_up(order, order->count++);
}
