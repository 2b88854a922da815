/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What can a frame be worth at most, if each transfer has a price?
 *
 * Links have multipliers. Those of all links, times capacity, plus what transfers cost above the
 * multipliers of their links, are at least the worth of a frame; and it falls short of that by its
 * *loss*: the multipliers of idle capacity, what transfers left out cost above the multipliers of
 * their links, and what those taken cost below them. So the search looks for a frame whose loss is
 * at most a limit. Any multipliers are right; good ones make the search short.
 */
#ifndef LIQUID_VERIFY_PACKING_H
#define LIQUID_VERIFY_PACKING_H

#include "verify/verify.h"

struct packing {
	uint32_t items, links;
	uint32_t *first, *path;		/* by item: its first entry in path[], the links it uses */
	uint32_t *most;			/* by item: units that a frame may have; 1 or more */
	uint64_t *price;		/* by item, each unit */
	uint32_t *capacity;		/* by link */
	uint64_t *multiplier;		/* by link */
};

/* Is there a frame that is worth more than @worth? All prices are below 2^32. */
enum verify_answer packing_exceeds(const struct packing *packing, uint64_t worth);

#endif
