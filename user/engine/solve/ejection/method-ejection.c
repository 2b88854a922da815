// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ejection: the shortest length at which ejection chains place all transfers
 *
 * The first run has as many frames as the lower bound. If the search gets stuck, it continues
 * from its state with more frames, as many as the waiting transfers may need. The remaining
 * work is used to remove the emptiest frames of the best schedule and do the same again.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/routes-slim.h"
#include "solve/ejection/ejection.h"
#include "solve/methods.h"

#define PART_FIRST 8		/* first part of the gap to close: 1 / PART_FIRST */

struct descent {
	struct solving *solving;
	struct routes slim;
	struct ejection ejection;
	uint32_t *frame;		/* by transfer; scratch for a complete schedule */
};

/* Keep the @frames fullest frames of the best schedule, by number of transfers. */
static int keep_fullest(struct descent *descent, uint32_t frames, struct liquid_error *err)
{
	const struct solving *solving = descent->solving;
	uint32_t transfers = solving->routes->transfer_count, kept = 0;
	uint32_t *size = calloc((size_t)solving->length + 1, sizeof(*size));
	uint32_t *at = calloc((size_t)transfers + 2, sizeof(*at));

	if (!size || !at) {
		free(size);
		free(at);
		return liquid_no_memory(err);
	}
	for (uint32_t i = 0; i < transfers; i++)
		size[solving->frame[i]]++;
	/* Counting sort: at[s] is where frames of size s begin, the largest first. */
	for (uint32_t i = 0; i < solving->length; i++)
		at[size[i]]++;
	for (uint32_t s = transfers + 1; s-- > 0;) {
		uint32_t count = at[s];

		at[s] = kept;
		kept += count;
	}
	for (uint32_t i = 0; i < solving->length; i++)
		size[i] = at[size[i]]++;
	for (uint32_t i = 0; i < transfers; i++)
		descent->ejection.frame[i] = size[solving->frame[i]];
	free(size);
	free(at);
	return ejection_open(&descent->ejection, frames, err);
}

/* Offer the schedule of the run; waiting transfers get further frames. */
static int offer(struct descent *descent, struct liquid_error *err)
{
	struct solving *solving = descent->solving;
	uint32_t best = solving->length, length;
	int status;

	if (best && descent->ejection.kind->frames + (descent->ejection.waiting_count > 0) >= best)
		return LIQUID_OK;
	status = ejection_complete(&descent->ejection, descent->frame, &length, err);
	if (status == LIQUID_LIMIT)
		return LIQUID_OK;
	if (!status && (!best || length < best))
		status = solving_offer(solving, descent->frame, length, err);
	return status;
}

static uint32_t shorter_length(const struct solving *solving, uint32_t part)
{
	return solving->length - 1 - (solving->length - 1 - solving->lower_bound) / part;
}

/* Frames that the waiting transfers need, filled as well as the other frames. */
static uint32_t frames_missing(const struct ejection *ejection)
{
	uint64_t placed = ejection->routes->transfer_count - ejection->waiting_count;
	uint64_t frames = (uint64_t)ejection->waiting_count * ejection->kind->frames;

	return (uint32_t)(frames / (placed + 1)) + 1;
}

/*
 * A run in some frames lasts until it makes too little progress. Then there are more frames, half
 * of the number that seems missing, so as not to overshoot.
 */
static int grow(struct descent *descent, struct liquid_error *err)
{
	struct ejection *ejection = &descent->ejection;
	struct budget *budget = descent->solving->budget;
	uint32_t limit = descent->solving->length, more = 0;
	enum ejection_outcome outcome = EJECTION_STUCK;
	int status = LIQUID_OK;

	while (!status && outcome != EJECTION_PLACED && ejection->kind->frames + more < limit &&
	       budget_left(budget)) {
		if (more)
			status = ejection_open(ejection, ejection->kind->frames + more, err);
		if (status)
			break;
		outcome = ejection_run(ejection, budget);
		more = frames_missing(ejection) / 2 + 1;
		status = offer(descent, err);
	}
	return status;
}

/*
 * Begin at @length frames; then shorten the best by a part of the gap, halved at each failure,
 * until @patience of them have failed.
 */
static int descend(struct descent *descent, uint32_t length, uint32_t patience,
		   struct liquid_error *err)
{
	struct solving *solving = descent->solving;
	uint32_t part = PART_FIRST;
	int status = LIQUID_OK;

	while (!status && patience && !solving_done(solving) && budget_left(solving->budget)) {
		uint32_t best = solving->length, gap = best - solving->lower_bound;

		status = keep_fullest(descent, length, err);
		if (!status)
			status = grow(descent, err);
		if (solving->length == best) {
			patience--;
			part *= part < gap ? 2 : 1;
		}
		length = shorter_length(solving, part);
	}
	return status;
}

int ejection_shorten(struct solving *solving, uint32_t length, uint32_t patience,
		     struct liquid_error *err)
{
	struct descent descent = { .solving = solving };
	int status;

	if (solving_done(solving))
		return LIQUID_OK;
	status = slim_init(&descent.slim, solving->routes, &solving->inverse, err);
	if (status)
		return status;
	status = ejection_new(&descent.ejection, &descent.slim, solving->seed, err);
	if (status) {
		slim_clear(&descent.slim);
		return status;
	}
	descent.ejection.alike = solving->alike;
	descent.frame = malloc(((size_t)solving->routes->transfer_count + 1) *
			       sizeof(*descent.frame));
	if (!length)
		length = shorter_length(solving, PART_FIRST);
	status = descent.frame ? descend(&descent, length, patience, err) : liquid_no_memory(err);
	free(descent.frame);
	ejection_clear(&descent.ejection);
	slim_clear(&descent.slim);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

int method_ejection(struct solving *solving, struct liquid_error *err)
{
	int status = solving->length ? LIQUID_OK : method_first_fit(solving, err);

	if (status || !solving->length)
		return status;
	return ejection_shorten(solving, solving->lower_bound, UINT32_MAX, err);
}
