/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The solver from within: budget, randomness, what a method gets and gives
 *
 * A method gets a struct solving and offers it solutions; the best is kept. It
 * spends work for what it does and stops when there is none left. Nothing that it
 * does may depend on addresses, hash order, floating point that rounds
 * differently elsewhere, or time: the same routes, seed and work give the same
 * solution on every machine.
 */
#ifndef LIQUID_SOLVER_H
#define LIQUID_SOLVER_H

#include "problem/routes.h"

/* Not for the library's users */
#pragma GCC visibility push(hidden)

/* ---- randomness ---- */

struct random {
	uint64_t state;
};

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 ... @bound - 1 */
static inline uint32_t random_below(struct random *random, uint32_t bound)
{
	return (uint32_t)(((random_next(random) >> 32) * bound) >> 32);
}

/* ---- budget ---- */

struct budget {
	uint64_t spent, limit;		/* in the solver's own operations, about 1 ns each */
	uint64_t look;			/* when to look at the clock and at the caller next */
	double deadline;		/* CLOCK_MONOTONIC, s; 0: none */
	bool out;			/* of time, or told to stop */
	bool cancelled;
	int (*progress)(void *context, const struct liquid_progress *progress);
	void *context;
	struct liquid_progress state;
};

void budget_look(struct budget *budget);

/* False when the method must stop. */
static inline bool budget_spend(struct budget *budget, uint64_t operations)
{
	budget->spent += operations;
	if (budget->spent >= budget->look)
		budget_look(budget);
	return !budget->out && budget->spent < budget->limit;
}

/* Confine what follows to @operations from now; returns what to give budget_widen() after it. */
static inline uint64_t budget_narrow(struct budget *budget, uint64_t operations)
{
	uint64_t outer = budget->limit;

	if (budget->spent < outer && operations < outer - budget->spent)
		budget->limit = budget->spent + operations;
	return outer;
}

static inline void budget_widen(struct budget *budget, uint64_t outer)
{
	budget->limit = outer;
}

static inline uint64_t budget_left(const struct budget *budget)
{
	return budget->out || budget->spent >= budget->limit ? 0 : budget->limit - budget->spent;
}

/* ---- solving ---- */

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

/*
 * LIQUID_OK also where nothing was found: what counts is the solution left in
 * @solving. Failures: LIQUID_NO_MEMORY, or LIQUID_BAD_INPUT where the method cannot
 * take such a problem.
 */
struct method {
	const char *name;
	int (*solve)(struct solving *solving, struct liquid_error *err);
	/* Before that, what does without the pairs of each link; NULL: nothing. */
	int (*look)(struct solving *solving, struct liquid_error *err);
};

/* By name, auto without one; NULL where there is none. */
const struct method *method_find(const char *name);
/* The pairs of each link are gathered only where a look at the routes has not settled it. */
int method_run(const struct method *method, struct solving *solving, struct liquid_error *err);

int method_auto(struct solving *solving, struct liquid_error *err);
int auto_look(struct solving *solving, struct liquid_error *err);
int method_frames(struct solving *solving, struct liquid_error *err);
int method_ejection(struct solving *solving, struct liquid_error *err);
int method_first_fit(struct solving *solving, struct liquid_error *err);
int method_teams(struct solving *solving, struct liquid_error *err);
int method_dsatur(struct solving *solving, struct liquid_error *err);
int method_round_robin(struct solving *solving, struct liquid_error *err);
int method_twins(struct solving *solving, struct liquid_error *err);
int method_quotient(struct solving *solving, struct liquid_error *err);
int method_orbit(struct solving *solving, struct liquid_error *err);
int method_product(struct solving *solving, struct liquid_error *err);
int method_closure(struct solving *solving, struct liquid_error *err);

/* What needs nothing but the routes, and ends soon where they have no symmetry. */
int method_symmetric(struct solving *solving, struct liquid_error *err);
/* First fit into the duration, for small traffics: a liquid schedule or nothing. */
int word_fit(struct solving *solving, struct liquid_error *err);
/* Exhaust the search for @length frames; sets *@proven where there is no such schedule. */
int frames_exhaust(struct solving *solving, uint32_t length, bool *proven,
		   struct liquid_error *err);
/* Raise the lower bound by cliques and odd sets of links. */
int certificate_raise(struct solving *solving, struct liquid_error *err);
void witness_clear(struct witness *witness);
/* As JSON, in memory of its own; NULL where memory is short. */
char *witness_json(const struct witness *witness, const struct solving *solving,
		   const struct liquid_fabric *fabric);

#pragma GCC visibility pop

#endif
