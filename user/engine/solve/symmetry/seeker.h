/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translations from within: what is tried, checked, and kept
 *
 * A renaming is given by its images of the groups of senders and of receivers. It is
 * believed only where each unit's resources are found to map to another unit's.
 */
#ifndef LIQUID_SYMMETRY_SEEK_H
#define LIQUID_SYMMETRY_SEEK_H

#include "solve/symmetry/symmetry.h"

/* A digit of a host's place in the list: (place / stride) % size, shifted by step. */
struct shift {
	uint32_t stride, size, step;
};

struct seeker {
	const struct quotient *quotient;
	struct symmetry *symmetry;
	uint32_t count;			/* of senders, and of receivers */
	uint32_t *sender, *receiver;	/* hosts that send, that receive, in order */
	uint32_t *sender_image, *receiver_image;	/* by group */
	uint32_t *first_of, *by_sender;	/* units of each sender group, by receiver group */
	uint32_t *unit_image, *resource_image, *seen;
	struct shift taken[SYMMETRY_GENERATORS_MAX];
	/* What each generator does to the groups */
	uint32_t *kept_senders[SYMMETRY_GENERATORS_MAX];
	uint32_t *kept_receivers[SYMMETRY_GENERATORS_MAX];
};

/* False where memory is short. */
bool seeker_init(struct seeker *s, const struct quotient *quotient, struct symmetry *symmetry);
void seeker_clear(struct seeker *s);
/* The unit of the two groups, or LIQUID_NONE. */
uint32_t seeker_find_unit(const struct seeker *s, uint32_t sender, uint32_t receiver);
/*
 * Whether the images of the groups, each one to one, map units to units and resources
 * to resources; then unit_image[] and resource_image[] say how.
 */
bool seeker_check(struct seeker *s);
/* One more generator, which seeker_check() has found good. */
bool seeker_keep(struct seeker *s);
/* Forget all generators but the first @generators. */
void seeker_forget(struct seeker *s, uint32_t generators);
/* How many places the generators carry sender group @start to. */
uint32_t seeker_reach(struct seeker *s, uint32_t start);

/* Add generators found from the sets of resources alone, whatever the order of the hosts. */
bool symmetry_seek(struct seeker *s);

#endif
