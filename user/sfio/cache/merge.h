/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sort a call's pieces for a listener, and cut overlaps: of two blocks the later one wins. */
#ifndef LIQUID_SFIO_MERGE_H
#define LIQUID_SFIO_MERGE_H

#include "cache/piece.h"

/*
 * Sort @all, and make @cut of it: pieces that do not overlap, in the same order. Where nothing
 * overlaps, as mostly, *@cut stays empty: @all is what to use. Returns 0 or -ENOMEM.
 */
int merge(struct pieces *all, struct pieces *cut);
/*
 * After a read into @cut: copy to those pieces of @all that were cut what came for the others.
 * Both are sorted.
 */
void merge_share(const struct pieces *all, const struct pieces *cut);

#endif
