/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of methods, and the parts of methods that others use. */
#ifndef LIQUID_METHODS_H
#define LIQUID_METHODS_H

#include "problem/solving.h"

/*
 * A method returns LIQUID_OK even if it found nothing: the result is the solution in
 * @solving. It fails with LIQUID_NO_MEMORY, or with LIQUID_BAD_INPUT if it does not
 * apply to the problem.
 */
struct method {
	const char *name;
	int (*solve)(struct solving *solving, struct liquid_error *err);
	/* Called first; may not use the pairs of each link. NULL: nothing. */
	int (*look)(struct solving *solving, struct liquid_error *err);
};

/* Find a method by name; NULL means "auto". Returns NULL if there is none. */
const struct method *method_find(const char *name);
/* Gathers the pairs of each link only if @method->look() has not solved the problem. */
int method_run(const struct method *method, struct solving *solving, struct liquid_error *err);

int method_auto(struct solving *solving, struct liquid_error *err);
int method_frames(struct solving *solving, struct liquid_error *err);
int method_ejection(struct solving *solving, struct liquid_error *err);
int method_first_fit(struct solving *solving, struct liquid_error *err);
int method_teams(struct solving *solving, struct liquid_error *err);
int method_dsatur(struct solving *solving, struct liquid_error *err);
int method_round_robin(struct solving *solving, struct liquid_error *err);
int method_twins(struct solving *solving, struct liquid_error *err);
int method_quotient(struct solving *solving, struct liquid_error *err);
/* For small traffics that leave little room. */
int method_learning(struct solving *solving, struct liquid_error *err);
/* Few frames, each of hosts that send the same number of hosts ahead; soon ends where none do. */
int method_steps(struct solving *solving, struct liquid_error *err);
/* For fat trees whose tables choose by the receiver: no search, and a shorter schedule or none. */
int method_columns(struct solving *solving, struct liquid_error *err);
/* The all-to-all of some hosts by orbits of the tables; needs the fabric. */
int method_compact(struct solving *solving, struct liquid_error *err);
/* Offer @schedule, of orbits of the same hosts, as a list. */
int compact_offer(struct solving *solving, const struct liquid_schedule *schedule,
		  struct liquid_error *err);
int method_product(struct solving *solving, struct liquid_error *err);
int method_closure(struct solving *solving, struct liquid_error *err);

/* First fit into the duration, for small traffics: offers a liquid schedule or nothing. */
int word_fit(struct solving *solving, struct liquid_error *err);
/* Search all schedules of @length frames; sets *@proven if there is none. */
int frames_exhaust(struct solving *solving, uint32_t length, bool *proven,
		   struct liquid_error *err);

#endif
