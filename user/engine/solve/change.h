/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solving from an earlier schedule, after the fabric or the traffic has changed. */
#ifndef LIQUID_CHANGE_H
#define LIQUID_CHANGE_H

#include "solve/methods.h"

/*
 * Offer a schedule in which the transfers of @from stay in their frames where possible.
 * If it is more than 5 % above the lower bound, solve by @anew too, and offer that
 * schedule if it is shorter by more than 5 %.
 */
int change_solve(struct solving *solving, const struct liquid_fabric *fabric,
		 const struct liquid_schedule *from, const struct method *anew,
		 struct liquid_error *err);

/*
 * Put the transfers whose @frame[] is LIQUID_NONE into frames 0 ... @frames - 1, which
 * contain all others; *@left is the number of transfers still without a frame.
 */
int change_place(const struct solving *solving, uint32_t *frame, uint32_t frames, uint32_t *left,
		 struct liquid_error *err);

#endif
