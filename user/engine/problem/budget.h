/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a search may spend: operations of its own, and wall time where that is limited. */
#ifndef LIQUID_BUDGET_H
#define LIQUID_BUDGET_H

#include "liquidsched.h"

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

void budget_start(struct budget *budget, const struct liquid_solve_options *options);
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

#endif
