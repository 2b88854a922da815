/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fewest frames that carry a traffic if they may be mixed in any proportion
 *
 * As many as the transfers are worth at most, over all prices at which no frame is worth more than
 * 1. Column generation: a mix of the frames known so far has prices; a frame that is worth more
 * than 1 at them makes a better mix. Frames come from a search that may miss one, so the prices
 * prove nothing until it is shown that no frame is worth more.
 */
#ifndef LIQUID_BOUND_MIX_H
#define LIQUID_BOUND_MIX_H

#include "bound/classes.h"
#include "problem/budget.h"

struct mix {
	double most;			/* frames of the best mix: an upper bound */
	double guess;			/* frames that price[] would prove */
	double *price;			/* by class; no known frame is worth more than 1 */
	bool ended;			/* no better mix was found; else the work was spent */
};

/*
 * Mix frames until no prices can prove more than @bound frames, or none better are found.
 * @frame: by transfer of @routes, its frame of a schedule of @length frames.
 */
int mix_frames(struct mix *mix, const struct classes *classes, const struct routes *routes,
	       const uint32_t *frame, uint32_t length, uint32_t bound, uint64_t seed,
	       struct budget *budget, struct liquid_error *err);
void mix_clear(struct mix *mix);

#endif
