// SPDX-License-Identifier: LGPL-2.1-or-later
/* Variables by activity: a binary heap. */
#include <stdlib.h>

#include "liquidsched.h"
#include "problem/random.h"
#include "solve/learning/activity.h"

#define STEP_FIRST (UINT64_C(1) << 24)
#define ACTIVITY_MAX (UINT64_C(1) << 60)
#define SCALE_SHIFT 32
#define AGE_PARTS 19

static void place(struct activity *activity, uint32_t at, uint32_t variable)
{
	activity->heap[at] = variable;
	activity->at[variable] = at;
}

static void sift_up(struct activity *activity, uint32_t at)
{
	uint32_t variable = activity->heap[at];

	while (at && activity->score[activity->heap[(at - 1) / 2]] < activity->score[variable]) {
		place(activity, at, activity->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	place(activity, at, variable);
}

static void sift_down(struct activity *activity, uint32_t at)
{
	uint32_t variable = activity->heap[at], child;

	while ((child = 2 * at + 1) < activity->count) {
		if (child + 1 < activity->count && activity->score[activity->heap[child + 1]] >
						activity->score[activity->heap[child]])
			child++;
		if (activity->score[activity->heap[child]] <= activity->score[variable])
			break;
		place(activity, at, activity->heap[child]);
		at = child;
	}
	place(activity, at, variable);
}

bool activity_new(struct activity *activity, uint32_t variables, bool descending,
		  uint32_t jitter, uint64_t seed)
{
	struct random random = { seed };

	*activity = (struct activity){ .step = STEP_FIRST, .variables = variables };
	activity->heap = calloc((size_t)variables + 1, sizeof(*activity->heap));
	activity->at = calloc((size_t)variables + 1, sizeof(*activity->at));
	activity->score = calloc((size_t)variables + 1, sizeof(*activity->score));
	if (!activity->heap || !activity->at || !activity->score)
		return false;
	for (uint32_t v = 0; v < variables; v++) {
		activity->at[v] = LIQUID_NONE;
		activity->score[v] = descending ? v : variables - v;
		activity->score[v] += random_below(&random, jitter);
		activity_put(activity, v);
	}
	return true;
}

void activity_clear(struct activity *activity)
{
	free(activity->heap);
	free(activity->at);
	free(activity->score);
}

static void scale(struct activity *activity)
{
	for (uint32_t v = 0; v < activity->variables; v++)
		activity->score[v] >>= SCALE_SHIFT;
	activity->step = (activity->step >> SCALE_SHIFT) + 1;
}

void activity_raise(struct activity *activity, uint32_t variable)
{
	activity->score[variable] += activity->step;
	if (activity->at[variable] != LIQUID_NONE)
		sift_up(activity, activity->at[variable]);
	if (activity->score[variable] > ACTIVITY_MAX)
		scale(activity);
}

void activity_age(struct activity *activity)
{
	activity->step += activity->step / AGE_PARTS;
	if (activity->step > ACTIVITY_MAX)
		scale(activity);
}

uint32_t activity_take(struct activity *activity)
{
	uint32_t variable;

	if (!activity->count)
		return LIQUID_NONE;
	variable = activity->heap[0];
	activity->at[variable] = LIQUID_NONE;
	if (--activity->count) {
		place(activity, 0, activity->heap[activity->count]);
		sift_down(activity, 0);
	}
	return variable;
}

void activity_put(struct activity *activity, uint32_t variable)
{
	if (activity->at[variable] != LIQUID_NONE)
		return;
	place(activity, activity->count, variable);
	sift_up(activity, activity->count++);
}
