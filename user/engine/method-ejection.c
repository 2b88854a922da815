// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ejection: the shortest length at which ejection chains find a place for all
 *
 * First the lower bound. Where that fails, lengths between it and the best, halving
 * the interval; each run goes on from where the last failure left off, with frames
 * added, or from the best schedule, without its emptiest frames.
 */
#include <stdlib.h>
#include <string.h>

#include "ejection.h"

struct descent {
	struct solving *solving;
	struct ejection ejection;
	uint32_t *frame;		/* scratch: a complete schedule */
	uint32_t low;			/* no shorter length is tried for now */
	bool failed;			/* ejection holds what a failed run left */
};

/* Frames of the best schedule by number of transfers, the fullest first; the rest is cut off. */
static int keep_fullest(struct descent *descent, uint32_t frames, struct liquid_error *err)
{
	const struct solving *solving = descent->solving;
	uint32_t transfers = solving->routes->transfer_count, kept = 0;
	uint32_t *size = calloc((size_t)solving->length + 1, sizeof(*size));
	uint32_t *at = calloc((size_t)transfers + 2, sizeof(*at));

	if (!size || !at) {
		free(size);
		free(at);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the frames");
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

/* The schedule that the run left, completed by frames of its own where it must. */
static int offer(struct descent *descent, struct liquid_error *err)
{
	struct solving *solving = descent->solving;
	uint32_t best = solving->length, length;
	int status;

	if (best && descent->ejection.frames + (descent->ejection.waiting_count > 0) >= best)
		return LIQUID_OK;
	status = ejection_complete(&descent->ejection, descent->frame, &length, err);
	if (status == LIQUID_LIMIT)
		return LIQUID_OK;
	if (!status && (!best || length < best))
		status = solving_offer(solving, descent->frame, length, err);
	return status;
}

static int try_length(struct descent *descent, uint32_t length, struct liquid_error *err)
{
	enum ejection_outcome outcome;
	int status;

	if (descent->failed && length > descent->ejection.frames)
		status = ejection_open(&descent->ejection, length, err);
	else if (!descent->failed || length < descent->ejection.frames)
		status = keep_fullest(descent, length, err);
	else
		status = LIQUID_OK;
	if (status)
		return status;
	outcome = ejection_run(&descent->ejection, descent->solving->budget);
	descent->failed = outcome != EJECTION_PLACED;
	if (descent->failed)
		descent->low = length + 1;
	return offer(descent, err);
}

/* The lower bound, then the middle of what is open; from the start when nothing is. */
static uint32_t next_length(const struct descent *descent)
{
	const struct solving *solving = descent->solving;

	if (descent->low == solving->lower_bound)
		return descent->low;
	return descent->low + (solving->length - descent->low) / 2;
}

static int descend(struct descent *descent, struct liquid_error *err)
{
	struct solving *solving = descent->solving;
	int status = LIQUID_OK;

	while (!status && !solving_done(solving) && budget_left(solving->budget) > 1) {
		uint64_t outer;

		if (descent->low >= solving->length)
			descent->low = solving->length - 1;
		outer = budget_narrow(solving->budget, budget_left(solving->budget) / 3 + 1);
		status = try_length(descent, next_length(descent), err);
		budget_widen(solving->budget, outer);
	}
	return status;
}

int method_ejection(struct solving *solving, struct liquid_error *err)
{
	struct descent descent = { .solving = solving, .low = solving->lower_bound };
	int status = solving->length ? LIQUID_OK : method_first_fit(solving, err);

	if (status || !solving->length || solving_done(solving))
		return status;
	status = ejection_new(&descent.ejection, solving->routes, solving->seed, err);
	if (status)
		return status;
	descent.frame = malloc(((size_t)solving->routes->transfer_count + 1) *
			       sizeof(*descent.frame));
	status = descent.frame ? descend(&descent, err) :
		liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	free(descent.frame);
	ejection_clear(&descent.ejection);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}
