// SPDX-License-Identifier: LGPL-2.1-or-later
/* Twins and translations of the routes of a problem: found once, for all methods that use them */
#include <stdlib.h>

#include "solve/symmetry/structure.h"

/* Operations for each link of a path that is looked at */
#define TWINS_WORK 10
#define SHIFTS_WORK 30

static void drop(struct structure *structure)
{
	symmetry_clear(&structure->symmetry);
	quotient_clear(&structure->quotient);
	free(structure);
}

int structure_twins(struct solving *solving, const struct quotient **quotient,
		    struct liquid_error *err)
{
	struct structure *structure = solving->structure;
	int status;

	*quotient = NULL;
	if (!structure) {
		structure = calloc(1, sizeof(*structure));
		if (!structure)
			return liquid_no_memory(err);
		status = quotient_find(solving->routes, &structure->quotient, &structure->twins,
				       err);
		if (status) {
			drop(structure);
			return status;
		}
		solving->structure = structure;
		solving->drop_structure = drop;
		budget_spend(solving->budget, TWINS_WORK *
			     (uint64_t)solving->routes->first[solving->routes->pair_count]);
	}
	if (structure->twins)
		*quotient = &structure->quotient;
	return LIQUID_OK;
}

int structure_translations(struct solving *solving, const struct quotient **quotient,
			   const struct symmetry **symmetry, struct liquid_error *err)
{
	int status = structure_twins(solving, quotient, err);
	struct structure *structure = solving->structure;

	*symmetry = NULL;
	if (status || !*quotient)
		return status;
	if (!structure->sought) {
		const struct routes *units = &structure->quotient.units;

		status = symmetry_find(&structure->quotient, &structure->symmetry, err);
		structure->sought = !status;
		budget_spend(solving->budget, SHIFTS_WORK *
			     (uint64_t)units->first[units->pair_count]);
	}
	if (status)
		return status;
	*symmetry = &structure->symmetry;
	return LIQUID_OK;
}
