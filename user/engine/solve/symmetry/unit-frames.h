/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frame-by-frame search over units; a frame is repeated while it is a team
 *
 * With K frames left, the next one must be a K-team: every resource takes at least the load that
 * exceeds its capacity in K - 1 frames. The search serves the scarcest such resource first,
 * backtracks, and restarts with other random choices. Unlike the search of solve/frames, it takes
 * several copies of a unit into a frame, and its restarts are short.
 */
#ifndef LIQUID_UNIT_FRAMES_H
#define LIQUID_UNIT_FRAMES_H

#include "problem/budget.h"
#include "solve/symmetry/quotient.h"

/* With more units, the search takes too long. */
#define UNIT_FRAMES_UNITS_MAX 4096u

/*
 * Try lengths from the duration of @units up to less than @most, a shorter one more often, until a
 * try succeeds: then *@found is set and @plan filled in.
 */
int unit_frames_solve(const struct routes *units, uint32_t most, uint64_t seed,
		      struct budget *budget, struct unit_plan *plan, bool *found,
		      struct liquid_error *err);

#endif
