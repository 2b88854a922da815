/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translations: renamings of the hosts that map every route to a route
 *
 * First, shifts of one digit of the hosts' numbers in mixed radix are tried. If these do not map
 * a host to all hosts like it, more are searched for from the sets of links alone, whatever the
 * order and the names of hosts and links. A translation is accepted only after a check that it
 * maps the resources of each unit to those of a unit.
 */
#ifndef LIQUID_SYMMETRY_H
#define LIQUID_SYMMETRY_H

#include "solve/symmetry/quotient.h"

#define SYMMETRY_GENERATORS_MAX 6

/* Commuting generators of a group; its elements are products of their powers. */
struct symmetry {
	uint32_t generators;
	uint32_t order[SYMMETRY_GENERATORS_MAX];
	uint32_t *unit_image[SYMMETRY_GENERATORS_MAX];		/* by unit */
	uint32_t *resource_image[SYMMETRY_GENERATORS_MAX];	/* by resource */
};

/* If no symmetry is found, there are no generators. */
int symmetry_find(const struct quotient *quotient, struct symmetry *symmetry,
		  struct liquid_error *err);
void symmetry_clear(struct symmetry *symmetry);

#endif
