/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Schedules whose frames are known, and those in parts. */
#ifndef LIQUID_GIVEN_H
#define LIQUID_GIVEN_H

#include "problem/solving.h"

/*
 * solver.c: make the schedule of @length frames in which the transfers of @traffic, by the order of
 * its pairs, have @frame[]; with its certificate. It is verified.
 */
int solve_given(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		const uint32_t *frame, uint32_t length, const struct liquid_solve_options *options,
		struct liquid_schedule **schedule, struct liquid_error *err);
/* solver.c: make the schedule of what @solving has found for @traffic, verified. */
int solve_result(struct solving *solving, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic, const struct liquid_solve_options *options,
		 struct liquid_schedule **schedule, struct liquid_error *err);
/* divide.c: liquid_solve() with parts */
int solve_in_parts(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		   const struct liquid_solve_options *options, struct liquid_schedule **schedule,
		   struct liquid_error *err);

#endif
