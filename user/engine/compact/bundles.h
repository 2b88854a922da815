/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bundles: links that a unit may use one for the other
 *
 * The global cables of a dragonfly's router lead to different groups, but to the same router of
 * each. A unit on one of them meets the same other links, in base frames in which all groups do
 * the same, as a unit on another one. So it is enough that such a bundle carries no more in a
 * frame than it has links; the link of each unit is found afterwards, by edge colouring.
 */
#ifndef LIQUID_BUNDLES_H
#define LIQUID_BUNDLES_H

#include "compact/cells.h"

struct pack;

struct bundles {
	uint32_t count;
	uint32_t *size;			/* by bundle: its links */
	/* Sets of units, one for each link of a bundle, that are the same except for that link */
	uint32_t sets;
	uint32_t *first, *unit;		/* by set, and sets: the first of its units */
	uint32_t *bundle_of_set;
	uint32_t *set_of;		/* by unit: LIQUID_NONE */
};

/*
 * Find bundles in @cells of one phase; each becomes a single cell with room for all. No unit uses
 * two of them. @origin: the places of all @classes. Then bundles_free() also on failure.
 */
int bundles_find(struct bundles *bundles, struct cells *cells, const uint32_t *origin,
		 uint32_t classes, struct liquid_error *err);
void bundles_free(struct bundles *bundles);

/* Give the units of each bundle one link in each frame. All of a set are in the same arena. */
int bundles_assign(const struct bundles *bundles, struct pack *pack, struct liquid_error *err);

#endif
