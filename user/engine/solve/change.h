/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solving from an earlier schedule, after the fabric or the traffic has changed. */
#ifndef LIQUID_CHANGE_H
#define LIQUID_CHANGE_H

#include "solve/methods.h"

/*
 * Offer a schedule in which what @from has stays in its frame where it can. Where
 * that is more than 5 % above the lower bound, @anew is tried too, and taken when it
 * is shorter by more than 5 %.
 */
int change_solve(struct solving *solving, const struct liquid_fabric *fabric,
		 const struct liquid_schedule *from, const struct method *anew,
		 struct liquid_error *err);

/*
 * Put the transfers of which @frame[] says LIQUID_NONE into frames 0 ... @frames - 1,
 * where all others are; *@left: how many have no place still.
 */
int change_place(const struct solving *solving, uint32_t *frame, uint32_t frames, uint32_t *left,
		 struct liquid_error *err);

#endif
