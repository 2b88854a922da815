/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Links x frames: which frames of a link are full
 *
 * A link's full frames are a row of bits, so that the frames in which a transfer
 * conflicts with nothing, one, or more others come out 64 at a time.
 */
#ifndef LIQUID_GRID_H
#define LIQUID_GRID_H

#include "problem/routes.h"

struct grid {
	const struct routes *routes;
	uint32_t frames, words;		/* words of a row */
	uint64_t *full;			/* by link: a row; bits past the last frame are set */
	uint32_t *used;			/* by link of capacity > 1 and frame: number of transfers */
	size_t *used_at;		/* by link: its first entry there */
	uint32_t *pair_of;		/* by transfer */
	uint32_t *frame;		/* by transfer; LIQUID_NONE: no frame */
	uint64_t work;
};

enum grid_outcome { GRID_READY, GRID_TOO_LARGE, GRID_NO_MEMORY };

/* Size limit of a grid in bytes; for larger problems methods do without. */
#define GRID_BYTES_MAX ((uint64_t)1 << 30)

enum grid_outcome grid_new(struct grid *grid, const struct routes *routes, uint32_t frames);
void grid_clear(struct grid *grid);
void grid_place(struct grid *grid, uint32_t transfer, uint32_t frame);
/* The first frame at or after @from (then from 0) in which @pair fits, or LIQUID_NONE. */
uint32_t grid_first_fit(struct grid *grid, uint32_t pair, uint32_t from);

#endif
