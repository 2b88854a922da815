// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Turns
 *
 * No method is best on every fabric, and none knows beforehand how long it will take. So all that
 * apply take turns, each in a coroutine: what it may spend in all grows by a quarter in each round.
 * In each round one gets twice as much as all others together: the one that has found the best
 * schedule so far, or, when that is long ago, each in turn. So with m members each has had at least
 * 1 / (4 m) of all that was spent, see Luby, Sinclair, Zuckerman, "Optimal speedup of Las Vegas
 * algorithms", 1993.
 *
 * Turns depend on nothing but what members have found: with more work they are the same, and then
 * there are more of them.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "solve/portfolio.h"

#define EACH_LINK 512			/* operations of each in the first round, for each ... */
#define EACH_MOST (UINT64_C(1) << 17)	/* ... link of a path, at most */
#define GROWTH 4			/* rounds grow by 1 / GROWTH */
#define FAVOURITE 2			/* work of the favourite, in that of all others */
#define FRESH 16			/* a schedule is old after a multiple of its work */
#define PREPARED 2			/* a turn is at least this many times what it prepares */
#define PATIENCE_EACH 4000		/* without a shorter schedule, for each transfer */
#define STACK (UINT64_C(1) << 20)
#define GUARD (UINT64_C(1) << 16)	/* at its lower end; at least a page */
#define UNLIMITED (UINT64_C(1) << 62)
#define SEEDS UINT64_C(0x9e3779b97f4a7c15)

struct runner {
	struct budget budget;		/* first: see pause_runner() */
	struct portfolio *portfolio;
	const struct member *member;
	ucontext_t here;
	void *stack;			/* NULL: it has not begun */
	bool ended;
	uint64_t seed;
	int status;
	struct liquid_error err;
};

struct portfolio {
	struct solving *solving;
	struct budget *budget;		/* of all, ... */
	uint64_t limit;			/* ... and its limit, where the last turn ends */
	uint64_t gained;		/* spent when the best schedule was found */
	ucontext_t here;
	struct runner runner[MEMBERS_MAX];
	uint32_t count;
	uint32_t holder, next;		/* who has found the best, and who had more */
	struct runner *failed;		/* the first that has; NULL: none */
};

static uint64_t first_work(const struct routes *routes)
{
	uint64_t work = EACH_LINK * (uint64_t)routes->first[routes->pair_count];

	return work < EACH_MOST ? work + 1 : EACH_MOST;
}

/* The least that a turn of @member must be */
static uint64_t least_work(const struct member *member, const struct routes *routes)
{
	return PREPARED * (uint64_t)member->prepares * routes->first[routes->pair_count];
}

int member_run(const struct member *member, struct solving *solving, struct liquid_error *err)
{
	struct budget *budget = solving->budget;
	uint64_t plan = least_work(member, solving->routes) + first_work(solving->routes);
	int status = LIQUID_OK;
	bool again = true;

	for (; !status && again && budget_left(budget) && !solving_done(solving); plan *= 2) {
		uint64_t outer = budget_narrow(budget, member->once ? UNLIMITED : plan);
		uint64_t before = budget->spent;

		status = member->solve(solving, err);
		budget_widen(budget, outer);
		again = !member->once && budget->spent - before > plan / 4;
		solving->seed += SEEDS;
	}
	return status;
}

static void run_member(unsigned int high, unsigned int low)
{
	struct runner *runner = (struct runner *)(uintptr_t)((uint64_t)high << 32 | low);

	runner->status = member_run(runner->member, runner->portfolio->solving, &runner->err);
	runner->ended = true;
	budget_charge(&runner->budget);
}

static void pause_runner(struct budget *budget)
{
	struct runner *runner = (struct runner *)budget;

	swapcontext(&runner->here, &runner->portfolio->here);
}

/* Without memory for a stack it ends before it has begun. */
static bool prepare(struct runner *runner)
{
	struct portfolio *portfolio = runner->portfolio;
	uint64_t address = (uintptr_t)runner;

	runner->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (runner->stack == MAP_FAILED || getcontext(&runner->here)) {
		runner->stack = NULL;
		runner->ended = true;
		runner->status = liquid_no_memory(&runner->err);
		return false;
	}
	mprotect(runner->stack, GUARD, PROT_NONE);
	runner->here.uc_stack.ss_sp = runner->stack;
	runner->here.uc_stack.ss_size = STACK;
	runner->here.uc_link = &portfolio->here;
	makecontext(&runner->here, (void (*)(void))run_member, 2, (unsigned int)(address >> 32),
		    (unsigned int)address);
	return true;
}

static void note_failure(struct runner *runner)
{
	struct portfolio *portfolio = runner->portfolio;

	if (runner->ended && runner->status && runner->status != LIQUID_BAD_INPUT &&
	    !portfolio->failed)
		portfolio->failed = runner;
}

/* Let @runner, which has a stack, go on until it has spent @work in all. */
static void go_on(struct runner *runner, uint64_t work)
{
	struct portfolio *portfolio = runner->portfolio;
	struct solving *solving = portfolio->solving;
	uint64_t seed = solving->seed;
	uint64_t left = portfolio->limit > portfolio->budget->spent ?
			portfolio->limit - portfolio->budget->spent : 0;
	uint32_t length = solving->length;

	runner->budget.state = portfolio->budget->state;
	if (!portfolio->budget->outer)	/* what is inside a member is a part of it */
		runner->budget.state.phase = runner->member->name;
	runner->budget.promised = work;
	runner->budget.turn = work < runner->budget.spent + left ? work :
								runner->budget.spent + left;
	runner->budget.look = 0;
	solving->budget = &runner->budget;
	solving->seed = runner->seed;
	swapcontext(&portfolio->here, &runner->here);
	runner->seed = solving->seed;
	solving->seed = seed;
	solving->budget = portfolio->budget;
	budget_tell(portfolio->budget);
	if (!length || solving->length < length) {
		portfolio->holder = (uint32_t)(runner - portfolio->runner);
		portfolio->gained = portfolio->budget->spent;
	}
}

static void take_turn(struct runner *runner, uint64_t work)
{
	if (runner->stack || prepare(runner))
		go_on(runner, work);
	note_failure(runner);
}

/* Has it enough to prepare in a round of @each? */
static bool may_begin(const struct runner *runner, uint64_t each)
{
	return !runner->ended &&
	       least_work(runner->member, runner->portfolio->solving->routes) <= each;
}

static uint32_t alive(const struct portfolio *portfolio)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < portfolio->count; i++)
		count += !portfolio->runner[i].ended;
	return count;
}

/* Has the search gained nothing for so long that it may end before its work is spent? */
static bool is_stale(const struct portfolio *portfolio)
{
	const struct budget *budget = portfolio->budget;

	return budget->patience && budget->spent - portfolio->gained > budget->patience +
	       PATIENCE_EACH * (uint64_t)portfolio->solving->routes->transfer_count;
}

static bool goes_on(const struct portfolio *portfolio)
{
	const struct budget *budget = portfolio->budget;

	return alive(portfolio) && !solving_done(portfolio->solving) && !budget->out &&
	       budget->spent < portfolio->limit && !is_stale(portfolio);
}

/*
 * Who gets more in a round of @each: the one that has found the best schedule; when that is old, or
 * it has ended, the next of all.
 */
static uint32_t favourite(const struct portfolio *portfolio, uint64_t each)
{
	uint32_t holder = portfolio->holder;

	if (!portfolio->runner[holder].ended &&
	    portfolio->budget->spent < FRESH * portfolio->gained)
		return holder;
	for (uint32_t k = 1; k <= portfolio->count; k++) {
		uint32_t i = (portfolio->next + k) % portfolio->count;

		if (may_begin(&portfolio->runner[i], each))
			return i;
	}
	return holder;
}

/* A round in which each may have spent @each in all, @more than in the one before; 0: the first */
static void take_turns(struct portfolio *portfolio, uint64_t each, uint64_t more)
{
	uint32_t favoured = favourite(portfolio, each), holder = portfolio->holder;

	for (uint32_t i = 0; i < portfolio->count && goes_on(portfolio); i++) {
		struct runner *runner = &portfolio->runner[i];

		if (may_begin(runner, each) && runner->budget.spent < each)
			take_turn(runner, each);
		if (portfolio->holder != holder && portfolio->holder == i)
			favoured = i;
		if (!more || favoured != i || !goes_on(portfolio))
			continue;
		if (runner->ended || !runner->stack) {
			favoured++;
			continue;
		}
		take_turn(runner, runner->budget.spent +
			  FAVOURITE * more * (alive(portfolio) - 1));
		favoured = LIQUID_NONE;
		portfolio->next = i;
	}
}

static void run_rounds(struct portfolio *portfolio)
{
	uint64_t each = first_work(portfolio->solving->routes), more = 0;

	for (; goes_on(portfolio); each += more) {
		take_turns(portfolio, each, more);
		more = each / GROWTH + 1;
	}
}

/*
 * Those that are in their turns return when their budget is out. What they may then have is offered
 * only if there was no time for more, or the best is far from the bound: with more work, they would
 * go on to something else.
 */
static void end_runners(struct portfolio *portfolio)
{
	portfolio->solving->closed = !portfolio->budget->out &&
				     !solving_is_far(portfolio->solving);
	for (uint32_t i = 0; i < portfolio->count; i++) {
		struct runner *runner = &portfolio->runner[i];

		if (!runner->stack)
			continue;
		runner->budget.out = true;
		if (!runner->ended) {
			go_on(runner, UNLIMITED);
			note_failure(runner);
		}
		munmap(runner->stack, STACK);
	}
	portfolio->solving->closed = false;
}

/* The others may do without the memory that one had not. */
static int judge_failure(const struct portfolio *portfolio, struct liquid_error *err)
{
	const struct runner *failed = portfolio->failed;

	return failed && !portfolio->solving->length ?
	       liquid_fail(err, failed->status, "%s", failed->err.text) : LIQUID_OK;
}

int portfolio_run(struct solving *solving, const struct member *members, uint32_t count,
		  struct liquid_error *err)
{
	struct portfolio *portfolio = calloc(1, sizeof(*portfolio));
	int status;

	if (!portfolio)
		return liquid_no_memory(err);
	portfolio->solving = solving;
	portfolio->budget = solving->budget;
	portfolio->limit = solving->budget->limit;
	portfolio->count = count;
	portfolio->next = count - 1;
	for (uint32_t i = 0; i < count; i++)
		portfolio->runner[i] = (struct runner){
			.portfolio = portfolio, .member = &members[i],
			.ended = members[i].applies && !members[i].applies(solving),
			.seed = solving->seed,
			.budget = { .limit = UNLIMITED, .outer = solving->budget,
				    .pause = pause_runner },
		};
	solving->budget->limit = UNLIMITED;
	run_rounds(portfolio);
	/* As much work, said by the user, ends with the same schedule. */
	solving->budget->limit = is_stale(portfolio) ? solving->budget->spent : portfolio->limit;
	end_runners(portfolio);
	status = judge_failure(portfolio, err);
	free(portfolio);
	return status;
}
