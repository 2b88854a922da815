/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks of transfers: a sparse table next to the frames, which most schedules do not have */
#ifndef LIQUID_MARKS_H
#define LIQUID_MARKS_H

#include <jansson.h>

#include "schedule/schedule.h"

/* Copy the marks, in any order, into a schedule whose frames are there. */
int marks_set(struct liquid_schedule *schedule, const struct liquid_mark *marks, size_t count,
	      struct liquid_error *err);
/* The hosts have other numbers now. */
void marks_renumber(struct liquid_schedule *schedule, const uint32_t *number);
/* The marks of a frame, transfer by transfer */
struct marks_walk {
	const struct liquid_mark *at;
	size_t left;
};

struct marks_walk marks_walk(const struct liquid_schedule *schedule, uint32_t frame);
/* The mark of @transfer, the next of the frame; NULL: it has none. */
const struct liquid_mark *marks_next(struct marks_walk *walk,
				     const struct liquid_transfer *transfer);
/*
 * Refuse marks that @consumer, "a gate" or so, cannot follow: those of any of these @kinds.
 * LIQUID_OK: there are none.
 */
#define MARK_WAY 1u
#define MARK_AFTER 2u
#define MARK_REVERSE 4u
#define MARK_ALL 8u
int marks_refuse(const struct liquid_schedule *schedule, unsigned int kinds, const char *consumer,
		 struct liquid_error *err);
/* Returns NULL if out of memory. */
json_t *marks_to_json(const struct liquid_schedule *schedule);
/* @value is the value of "marks" in the file. */
int marks_from_json(json_t *value, const char *label, struct liquid_schedule *schedule,
		    struct liquid_error *err);

#endif
