// SPDX-License-Identifier: LGPL-2.1-or-later
/* Budgets: their start, and the checks of clock and caller. */
#include <time.h>

#include "problem/budget.h"

/* About two seconds on a machine of 2020. */
#define WORK_DEFAULT UINT64_C(2000000000)
/* Where no limit is given: a search that has gained nothing for so long gains little later. */
#define PATIENCE UINT64_C(250000000)
#define LOOK_EVERY (UINT64_C(1) << 22)

static double monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void budget_start(struct budget *budget, const struct liquid_solve_options *options)
{
	*budget = (struct budget){ .limit = options->work ? options->work : WORK_DEFAULT,
				   .progress = options->progress, .context = options->context };
	if (!options->work && !(options->time_limit > 0))
		budget->patience = PATIENCE;
	if (options->time_limit > 0)
		budget->deadline = monotonic() + options->time_limit;
	/* Methods share out work, not time: estimate the work that the time allows. */
	if (!options->work && options->time_limit > 1e-9 * (double)WORK_DEFAULT)
		budget->limit = options->time_limit < 1e9 ?
			(uint64_t)(options->time_limit * 1e9) : INT64_MAX;
	budget->look = budget->deadline || budget->progress ? LOOK_EVERY : UINT64_MAX;
}

struct budget budget_inside(struct budget *outer)
{
	return (struct budget){ .limit = budget_left(outer), .state = outer->state,
				.outer = outer };
}

void budget_charge(struct budget *budget)
{
	struct budget *outer = budget->outer;

	if (outer->state.best_length && outer->state.best_length < budget->state.best_length)
		budget->state.best_length = outer->state.best_length;
	outer->state = budget->state;
	budget->out |= !budget_spend(outer, budget->spent - budget->charged);
	budget->cancelled = outer->cancelled;
	budget->charged = budget->spent;
}

/* The next look: when the turn ends, or the outer budget looks at clock and caller */
static void look_outside(struct budget *budget)
{
	uint64_t next;

	budget_charge(budget);
	while (budget->pause && budget->spent >= budget->turn && !budget->out)
		budget->pause(budget);
	next = budget->outer->look - budget->outer->spent;
	budget->look = next < UINT64_MAX - budget->spent ? budget->spent + next : UINT64_MAX;
	if (budget->pause && budget->turn < budget->look)
		budget->look = budget->turn;
}

void budget_tell(struct budget *budget)
{
	int answer;

	budget->state.work = budget->spent;
	if (!budget->progress || budget->cancelled)
		return;
	answer = budget->progress(budget->context, &budget->state);
	budget->out |= answer;
	budget->cancelled = answer && answer != LIQUID_ENOUGH;
}

void budget_wait(struct budget *budget, uint64_t operations)
{
	while (budget->pause && !budget->out && budget->promised < budget->spent + operations) {
		budget_charge(budget);
		budget->pause(budget);
	}
}

void budget_look(struct budget *budget)
{
	if (budget->outer) {
		look_outside(budget);
		return;
	}
	budget->look = budget->spent + LOOK_EVERY;
	if (budget->deadline && monotonic() >= budget->deadline)
		budget->out = true;
	budget_tell(budget);
}

struct budget budget_part(const struct budget *budget, uint64_t operations)
{
	const struct budget *top = budget;
	uint64_t left = budget_left(budget);

	while (top->outer)
		top = top->outer;
	return (struct budget){
		.limit = operations < left ? operations : left, .deadline = top->deadline,
		.look = top->deadline ? LOOK_EVERY : UINT64_MAX, .out = budget->out,
	};
}

void budget_join(struct budget *budget, const struct budget *part)
{
	budget->spent += part->spent;
	budget->out |= part->out;
}
