/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Twins and translations of the routes of a problem: found once, for all methods that use them */
#ifndef LIQUID_STRUCTURE_H
#define LIQUID_STRUCTURE_H

#include "solve/symmetry/symmetry.h"

struct structure {
	struct quotient quotient;
	struct symmetry symmetry;
	bool twins;			/* there are some: @quotient is one */
	bool sought;			/* @symmetry was */
};

/* Find the twins; they belong to @solving. NULL in *@quotient: there are none. */
int structure_twins(struct solving *solving, const struct quotient **quotient,
		    struct liquid_error *err);
/* The same, and translations of the quotient, perhaps without generators */
int structure_translations(struct solving *solving, const struct quotient **quotient,
			   const struct symmetry **symmetry, struct liquid_error *err);

#endif
