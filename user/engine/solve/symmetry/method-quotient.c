// SPDX-License-Identifier: LGPL-2.1-or-later
/* quotient: schedule groups of twins frame by frame, then expand the result to transfers. */
#include <stdlib.h>

#include "solve/methods.h"
#include "solve/symmetry/structure.h"
#include "solve/symmetry/unit-frames.h"

/* Try the duration with half of the work, then longer and longer lengths. */
static int search_lengths(struct solving *solving, const struct quotient *quotient,
			  struct liquid_error *err)
{
	struct unit_plan plan = { 0 };
	uint32_t length = quotient->units.duration, more = 1;
	bool found = false;
	int status = LIQUID_OK;

	while (!status && !found && budget_left(solving->budget) &&
	       (!solving->length || (uint64_t)length * quotient->repeat < solving->length)) {
		uint64_t outer = budget_narrow(solving->budget,
					       budget_left(solving->budget) / 2 + 1);

		status = unit_frames_solve(&quotient->units, length, solving->seed, solving->budget,
					   &plan, &found, err);
		budget_widen(solving->budget, outer);
		length += more;
		more += more / 2 + 1;
	}
	if (!status && found)
		status = quotient_offer(solving, quotient, &plan, err);
	unit_plan_clear(&plan);
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
