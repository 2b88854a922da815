/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Halving: frames of units whose capacities form two nests
 *
 * A *nest* is a family of sets of units of which any two are disjoint, or one holds the other. If
 * the sets that have a capacity form two nests, one of the senders' side and one of the
 * receivers', then the units fit into as many frames as the fullest set needs: flows through
 * two trees have whole solutions wherever they have any, and a sum of K flows divides into K of
 * them. So no search is needed. Units for an even number of frames are halved, each set as evenly
 * as its number allows: units of odd number are paired within the smallest sets first, in both
 * nests, and the pairs, which form paths and even cycles, are parted (Euler splits: Gabow 1976).
 * If K is odd, one frame is taken out: 2^t / K copies of all units are halved t times, and the
 * half is kept in which sets lack less of what the other frames have no room for (Alon 2003).
 */
#ifndef LIQUID_HALVING_H
#define LIQUID_HALVING_H

#include "problem/budget.h"
#include "solve/symmetry/quotient.h"

struct halving {
	uint32_t units, sets;
	const uint32_t *count;		/* by unit */
	/*
	 * The smallest set of a unit in either nest, then larger ones: a parent's number is larger
	 * than its own. LIQUID_NONE: no set holds it.
	 */
	const uint32_t *inner[2];	/* by unit */
	const uint32_t *parent;		/* by set */
	const uint32_t *capacity;	/* by set, in a frame */
};

/*
 * Fill in @plan. @frames: at least 1, and so many that no set holds more units than it has room
 * for in all of them. Sets *@found unless the budget ends before.
 */
int halving_solve(const struct halving *halving, uint32_t frames, struct budget *budget,
		  struct unit_plan *plan, bool *found, struct liquid_error *err);

#endif
