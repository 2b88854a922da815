/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translations: renamings of the hosts that map every route to a route
 *
 * Guessed as shifts of one digit of the hosts' numbers in mixed radix; where that does
 * not carry a host to all hosts like it, sought from the sets of links, whatever the order
 * and the names of hosts and links. Believed only where each unit's resources are found to
 * map to another unit's.
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

/* Without any symmetry found there are no generators. */
int symmetry_find(const struct quotient *quotient, struct symmetry *symmetry,
		  struct liquid_error *err);
void symmetry_clear(struct symmetry *symmetry);

#endif
