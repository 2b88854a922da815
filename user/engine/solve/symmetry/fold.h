/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folds: the phases of a line with links that are K times as wide, each split into K colours
 *
 * The transfers of a phase and a colour share no link beyond its true capacity. Where the frames of
 * a product are its combinations of phases, K times over, with the transfers whose colours add up
 * to k modulo K in frame k of a combination, the transfers of a line in one frame have one colour:
 * those of all other dimensions are the same for them. So rows, which need more phases than they
 * have points, lose nothing where they need a multiple of that.
 */
#ifndef LIQUID_FOLD_H
#define LIQUID_FOLD_H

#include "problem/solving.h"

/* Rows of up to four times as many points need no more. */
#define FOLD_MAX 16u

/*
 * Replace phase @frame[], by pair of @line, by phase * @fold + colour. The links from @first_link
 * on are @fold times as wide in @line; the others, of the ends, stay out. Sets *@found to false
 * if a phase has no such colours.
 */
int fold_phases(struct solving *outer, const struct routes *line, uint32_t first_link,
		uint32_t fold, uint32_t *frame, bool *found, struct liquid_error *err);

#endif
