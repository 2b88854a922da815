/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * "Is this number of frames enough?", as limits of variables
 *
 * An *item* is a strand of a unit (see problem/routes.h): it is in a frame or not. Renamings of the
 * units, some of which swap frames, may be imposed: an item is in a frame if and only if its image
 * is in the frame's image, and both are one variable. That leaves fewer variables, and often a
 * schedule where a search without renamings finds none; or it leaves none at all.
 */
#ifndef LIQUID_LEARNING_MODEL_H
#define LIQUID_LEARNING_MODEL_H

#include "problem/routes.h"
#include "solve/learning/learner.h"
#include "solve/symmetry/quotient.h"

struct renaming {
	const uint32_t *image;		/* by unit */
	bool swaps;			/* frames 0 and 1, 2 and 3, ...; an odd last one stays */
};

struct model {
	uint32_t frames, items;
	uint32_t *unit;			/* by item */
	uint32_t *variable;		/* by item and frame */
	struct limits limits;
};

/*
 * What a model of @units in @frames, at least their duration, costs to build, operations;
 * MODEL_TOO_LARGE: other methods are better.
 */
#define MODEL_TOO_LARGE UINT64_MAX
uint64_t model_work(const struct routes *units, uint32_t frames);
int model_new(struct model *model, const struct routes *units, uint32_t frames,
	      const struct renaming *renaming, uint32_t renamings, struct liquid_error *err);
void model_clear(struct model *model);
/* The schedule of units that @learner has found. Returns false if out of memory. */
bool model_plan(const struct model *model, const struct learner *learner, struct unit_plan *plan);

#endif
