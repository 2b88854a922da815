/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frame-by-frame search over units, repeating a frame while it stays a team
 *
 * Of K frames that are left, the first must be a K-team: every resource that would
 * have too much left for K - 1 frames takes what it must. The search places the
 * scarcest such resource first, backtracks, and starts over with other choices.
 * Good for thousands of units at most: sets of units are bit masks.
 */
#ifndef LIQUID_UNIT_FRAMES_H
#define LIQUID_UNIT_FRAMES_H

#include "problem/budget.h"
#include "solve/symmetry/quotient.h"

/* Units beyond which the masks cost more than they save. */
#define UNIT_FRAMES_UNITS_MAX 4096u

/* *@found with a complete @plan of @length frames, or the budget is spent. */
int unit_frames_solve(const struct units *units, uint32_t length, uint64_t seed,
		      struct budget *budget, struct unit_plan *plan, bool *found,
		      struct liquid_error *err);

#endif
