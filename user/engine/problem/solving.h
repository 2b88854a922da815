/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A problem that is being solved: its routes, its budget and the best solution so far
 *
 * A method gets a struct solving and offers solutions; the best is kept. It spends
 * work from the budget and stops when none is left. A method must not depend on
 * addresses, hash order, rounding of floating point or time: the same routes, seed
 * and work give the same solution on every machine.
 */
#ifndef LIQUID_SOLVING_H
#define LIQUID_SOLVING_H

#include "problem/budget.h"
#include "problem/routes.h"

enum witness_kind { WITNESS_NONE, WITNESS_MULTIPLIERS, WITNESS_CLIQUE, WITNESS_SEARCH };

struct witness {
	enum witness_kind kind;
	uint32_t denominator, count;	/* of the multipliers; entries of items[] */
	uint32_t *items;		/* pairs of the clique, or links */
	uint32_t *values;		/* numerators of the multipliers of items[] */
};

struct structure;

struct solving {
	const struct liquid_fabric *fabric;	/* NULL: only the routes are known */
	/* By end of a pair: a host of the fabric with the same routes; NULL: the end itself */
	const uint32_t *hosts;
	const struct routes *routes;
	struct routes_inverse inverse;
	struct budget *budget;
	uint64_t seed;
	uint32_t *frame;		/* best solution so far: by transfer, its frame */
	uint32_t length;		/* frames of the best solution; 0: none yet */
	uint32_t lower_bound;		/* proven least length, frames */
	struct witness witness;		/* proof of a bound above the duration */
	bool alike;			/* each pair has many transfers */
	bool closed;			/* what is offered comes too late */
	bool shifted;			/* a shift of the receivers has been offered */
	bool too_large;			/* a method gave up: its table would be too large */
	/* Called when there is a shorter solution, with @context; NULL: not wanted */
	int (*pass_on)(void *context, struct liquid_error *err);
	void *context;
	struct structure *structure;	/* what methods have found in the routes, or NULL */
	void (*drop_structure)(struct structure *structure);
};

int solving_start(struct solving *solving, const struct routes *routes, struct budget *budget,
		  const struct liquid_solve_options *options, struct liquid_error *err);
void solving_end(struct solving *solving);
/* The part of solving_end() for one whose members the caller has made */
void solving_drop(struct solving *solving);
/* Gather the pairs of each link into solving->inverse. */
int solving_invert(struct solving *solving, struct liquid_error *err);

/*
 * Keep a copy of @frame[] (by transfer, each < @frames) if it is shorter than the best.
 * Empty frames do not count.
 */
int solving_offer(struct solving *solving, const uint32_t *frame, uint32_t frames,
		  struct liquid_error *err);

static inline bool solving_done(const struct solving *solving)
{
	return solving->length && solving->length <= solving->lower_bound;
}

#define SOLVING_NEAR 16			/* longer than the bound by this part of it at most */

/* Also without any solution */
static inline bool solving_is_far(const struct solving *solving)
{
	return !solving->length ||
	       solving->length > solving->lower_bound + solving->lower_bound / SOLVING_NEAR;
}

void witness_clear(struct witness *witness);

#endif
