/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of hosts, in the order of their sources and then of their destinations */
#ifndef LIQUID_PAIRS_H
#define LIQUID_PAIRS_H

#include "liquidsched.h"

/* The index of @transfer's pair among @count, which must have it */
static inline uint32_t pairs_find(const struct liquid_pair *pairs, uint32_t count,
				  const struct liquid_transfer *transfer)
{
	uint32_t low = 0, high = count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct liquid_pair *pair = &pairs[middle];

		if (pair->src < transfer->src ||
		    (pair->src == transfer->src && pair->dst < transfer->dst))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
