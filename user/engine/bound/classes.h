/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Classes of transfers that need not be distinguished when frames are mixed in any proportion
 *
 * Twins and translations map frames to frames. With each frame, a mix may have all its images in
 * equal parts; so what it carries of a class is all that matters. A *kind* is what a frame is made
 * of: units of the twin quotient, or pairs where there is none.
 */
#ifndef LIQUID_BOUND_CLASSES_H
#define LIQUID_BOUND_CLASSES_H

#include "problem/routes.h"

struct classes {
	uint32_t count, kinds, links;
	uint32_t *of_kind;		/* by kind: its class */
	uint32_t *of_pair;		/* by pair: its kind */
	double *need;			/* by class: transfers */
	uint32_t *first, *link;		/* by kind: its first entry in link[] */
	uint32_t *most;			/* by kind: transfers of it in a frame */
	uint32_t *capacity;		/* by link */
};

/* @routes have no strands. */
int classes_find(struct classes *classes, const struct routes *routes, struct liquid_error *err);
void classes_clear(struct classes *classes);

#endif
