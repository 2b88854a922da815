/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames by the number of their transfers. */
#ifndef LIQUID_FRAME_FILL_H
#define LIQUID_FRAME_FILL_H

#include <stdint.h>

struct fill {
	uint32_t frame, count;
};

/* For qsort(): the fullest frames first, and of equally full ones the earlier. */
static inline int compare_fills(const void *a, const void *b)
{
	const struct fill *left = a, *right = b;

	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->frame < right->frame ? -1 : left->frame > right->frame;
}

#endif
