/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The budget of a search: its own operations, and optionally wall time. */
#ifndef LIQUID_BUDGET_H
#define LIQUID_BUDGET_H

#include "liquidsched.h"

struct budget {
	uint64_t spent, limit;		/* operations of the solver, about 1 ns each */
	uint64_t patience;		/* without a shorter schedule, then enough; 0: all of it */
	uint64_t look;			/* value of @spent at the next check of clock and caller */
	double deadline;		/* CLOCK_MONOTONIC, s; 0: none */
	bool out;			/* out of time, or cancelled */
	bool cancelled;
	int (*progress)(void *context, const struct liquid_progress *progress);
	void *context;
	struct liquid_progress state;
	/* That this one is a part of, in the same thread, and what of @spent is charged to it */
	struct budget *outer;
	uint64_t charged;
	/* Called when @turn operations are spent, until there are more; NULL: there are no turns */
	void (*pause)(struct budget *budget);
	uint64_t turn;
	uint64_t promised;		/* the same, except for the limit of all turns */
};

void budget_start(struct budget *budget, const struct liquid_solve_options *options);
void budget_look(struct budget *budget);
/* Tell the caller at once how far the search is; it may be out and cancelled by that. */
void budget_tell(struct budget *budget);
/* All that is left of @outer, for a part with its own limits. End by budget_charge(). */
struct budget budget_inside(struct budget *outer);
/* Charge what was spent to the outer budget, too; it may be out or cancelled by that. */
void budget_charge(struct budget *budget);

/* Wait for a turn that has @operations left, which are to be spent at once. */
void budget_wait(struct budget *budget, uint64_t operations);

/* Charge @operations; false: the method must stop. */
static inline bool budget_spend(struct budget *budget, uint64_t operations)
{
	budget->spent += operations;
	if (budget->spent >= budget->look)
		budget_look(budget);
	return !budget->out && budget->spent < budget->limit;
}

/* Limit what follows to @operations; returns the argument of budget_widen() that ends this. */
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

/*
 * The budget of a part of the search that may go on besides others: @operations, at most what is
 * left. Then charge what it spent with budget_join(). It reports nothing to the caller of the
 * search.
 */
struct budget budget_part(const struct budget *budget, uint64_t operations);
void budget_join(struct budget *budget, const struct budget *part);

static inline uint64_t budget_left(const struct budget *budget)
{
	return budget->out || budget->spent >= budget->limit ? 0 : budget->limit - budget->spent;
}

#endif
