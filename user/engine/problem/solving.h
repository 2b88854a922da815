/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A problem that is being solved: its routes, what may be spent, and the best so far
 *
 * A method gets a struct solving and offers it solutions; the best is kept. It
 * spends work for what it does and stops when there is none left. Nothing that it
 * does may depend on addresses, hash order, floating point that rounds
 * differently elsewhere, or time: the same routes, seed and work give the same
 * solution on every machine.
 */
#ifndef LIQUID_SOLVING_H
#define LIQUID_SOLVING_H

#include "problem/budget.h"
#include "problem/routes.h"

enum witness_kind { WITNESS_NONE, WITNESS_MULTIPLIERS, WITNESS_CLIQUE, WITNESS_SEARCH };

struct witness {
	enum witness_kind kind;
	uint32_t denominator, count;	/* of items[] */
	uint32_t *items;		/* pairs of the clique, or links */
	uint32_t *values;		/* multipliers: of items[] */
};

struct solving {
	const struct liquid_fabric *fabric;	/* NULL: nothing is known but the routes */
	const struct routes *routes;
	struct routes_inverse inverse;
	struct budget *budget;
	uint64_t seed;
	uint32_t *frame;		/* the best so far: by transfer, its frame */
	uint32_t length;		/* its frames; 0: none yet */
	uint32_t lower_bound;		/* proven */
	struct witness witness;		/* where the bound is above the duration */
	bool too_large;			/* a table for it would have been */
};

int solving_start(struct solving *solving, const struct routes *routes, struct budget *budget,
		  const struct liquid_solve_options *options, struct liquid_error *err);
void solving_end(struct solving *solving);
/* Gather the pairs of each link into solving->inverse. */
int solving_invert(struct solving *solving, struct liquid_error *err);

/*
 * Keep a copy of @frame[] (by transfer, each < @frames) if it is shorter than the best.
 * Frames that nobody is in do not count.
 */
int solving_offer(struct solving *solving, const uint32_t *frame, uint32_t frames,
		  struct liquid_error *err);

static inline bool solving_done(const struct solving *solving)
{
	return solving->length && solving->length <= solving->lower_bound;
}

void witness_clear(struct witness *witness);

#endif
