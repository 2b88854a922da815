// SPDX-License-Identifier: LGPL-2.1-or-later
/* quotient: schedule groups of twins frame by frame, then expand the result to transfers. */
#include <stdlib.h>

#include "solve/methods.h"
#include "solve/symmetry/structure.h"
#include "solve/symmetry/unit-frames.h"

/* Shorter and shorter, as long as there is work */
static int search_lengths(struct solving *solving, const struct quotient *quotient,
			  struct liquid_error *err)
{
	uint32_t most = UINT32_MAX;
	uint64_t seed = solving->seed;
	int status = LIQUID_OK;

	while (!status && !solving_done(solving) && budget_left(solving->budget)) {
		struct unit_plan plan = { 0 };
		bool found = false;

		if (solving->length)
			most = (solving->length - 1) / quotient->repeat + 1;
		if (most <= quotient->units.duration)
			break;
		status = unit_frames_solve(&quotient->units, most, seed++, solving->budget, &plan,
					   &found, err);
		if (!status && found)
			status = quotient_offer(solving, quotient, &plan, err);
		unit_plan_clear(&plan);
	}
	return status;
}

int method_quotient(struct solving *solving, struct liquid_error *err)
{
	const struct quotient *quotient;
	int status = structure_twins(solving, &quotient, err);

	if (status)
		return status;
	if (!quotient)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "quotient: the routes of the hosts do not fall into groups");
	if (quotient->units.pair_count > UNIT_FRAMES_UNITS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "quotient: %u pairs of groups, more than %u",
				   quotient->units.pair_count, UNIT_FRAMES_UNITS_MAX);
	return search_lengths(solving, quotient, err);
}
