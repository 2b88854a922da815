/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The search for translations: renamings that are tried, checked, and kept
 *
 * A renaming is given by the images of the groups of senders and of receivers. It is valid if
 * it maps the resources of each unit to those of a unit.
 */
#ifndef LIQUID_SYMMETRY_SEEK_H
#define LIQUID_SYMMETRY_SEEK_H

#include "solve/symmetry/symmetry.h"

/* A shift of a digit of a host's place in the list: (place / stride) % size plus step. */
struct shift {
	uint32_t stride, size, step;
};

struct seeker {
	const struct quotient *quotient;
	struct symmetry *symmetry;
	uint32_t count;			/* number of senders; the same for receivers */
	uint32_t *sender, *receiver;	/* hosts that send, that receive; ascending */
	uint32_t *sender_image, *receiver_image;	/* by group */
	uint32_t *first_of, *by_sender;	/* units sorted by sender and receiver group */
	uint32_t *unit_image, *resource_image, *seen;
	struct shift taken[SYMMETRY_GENERATORS_MAX];
	/* By generator: its images of the groups. */
	uint32_t *kept_senders[SYMMETRY_GENERATORS_MAX];
	uint32_t *kept_receivers[SYMMETRY_GENERATORS_MAX];
};

/* Returns false if out of memory. */
bool seeker_init(struct seeker *s, const struct quotient *quotient, struct symmetry *symmetry);
void seeker_clear(struct seeker *s);
/* Returns the unit of two groups, or LIQUID_NONE. */
uint32_t seeker_find_unit(const struct seeker *s, uint32_t sender, uint32_t receiver);
/*
 * Whether the images of the groups, which are one to one, map units to units and resources to
 * resources. If so, fills in unit_image[] and resource_image[].
 */
bool seeker_check(struct seeker *s);
/* Keep the renaming that seeker_check() has accepted as a generator; false: out of memory. */
bool seeker_keep(struct seeker *s);
/* Forget all generators but the first @generators. */
void seeker_forget(struct seeker *s, uint32_t generators);
/* The number of sender groups that the generators map @start to. */
uint32_t seeker_reach(struct seeker *s, uint32_t start);

/* Add generators found from the sets of resources alone; the order of the hosts is irrelevant. */
bool symmetry_seek(struct seeker *s);

#endif
