/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods: their table, and what they are to each other. */
#ifndef LIQUID_METHODS_H
#define LIQUID_METHODS_H

#include "problem/solving.h"

/*
 * LIQUID_OK also where nothing was found: what counts is the solution left in
 * @solving. Failures: LIQUID_NO_MEMORY, or LIQUID_BAD_INPUT where the method cannot
 * take such a problem.
 */
struct method {
	const char *name;
	int (*solve)(struct solving *solving, struct liquid_error *err);
	/* Before that, what does without the pairs of each link; NULL: nothing. */
	int (*look)(struct solving *solving, struct liquid_error *err);
};

/* By name, auto without one; NULL where there is none. */
const struct method *method_find(const char *name);
/* The pairs of each link are gathered only where a look at the routes has not settled it. */
int method_run(const struct method *method, struct solving *solving, struct liquid_error *err);

int method_auto(struct solving *solving, struct liquid_error *err);
int auto_look(struct solving *solving, struct liquid_error *err);
int method_frames(struct solving *solving, struct liquid_error *err);
int method_ejection(struct solving *solving, struct liquid_error *err);
int method_first_fit(struct solving *solving, struct liquid_error *err);
int method_teams(struct solving *solving, struct liquid_error *err);
int method_dsatur(struct solving *solving, struct liquid_error *err);
int method_round_robin(struct solving *solving, struct liquid_error *err);
int method_twins(struct solving *solving, struct liquid_error *err);
int method_quotient(struct solving *solving, struct liquid_error *err);
int method_orbit(struct solving *solving, struct liquid_error *err);
int method_product(struct solving *solving, struct liquid_error *err);
int method_closure(struct solving *solving, struct liquid_error *err);

/* What needs nothing but the routes, and ends soon where they have no symmetry. */
int method_symmetric(struct solving *solving, struct liquid_error *err);
/* First fit into the duration, for small traffics: a liquid schedule or nothing. */
int word_fit(struct solving *solving, struct liquid_error *err);
/* Exhaust the search for @length frames; sets *@proven where there is no such schedule. */
int frames_exhaust(struct solving *solving, uint32_t length, bool *proven,
		   struct liquid_error *err);

#endif
