// SPDX-License-Identifier: LGPL-2.1-or-later
/* A call as a step machine */
#include <stdio.h>
#include <stdlib.h>

#include "call/account.h"
#include "call/process.h"
#include "call/question.h"
#include "settings/clock.h"

/* ---- which way ---- */

static void machine_choose(struct call *call, uint64_t bytes)
{
	struct way_book *book = &call->group->book[call->args.kind];

	call->chosen = true;
	call->class = bytes;
	call->way = way_next(book, bytes);
	call->timed = way_measures(book, bytes);
}

bool machine_passes(struct call *call)
{
	struct group *group = call->group;

	if (group->off)
		return true;
	if (!is_matrix(&call->args)) {
		machine_choose(call, args_bytes(&call->args));
		return call->way == WAY_OWN && !call->timed;
	}
	call->way = WAY_LIQUID;
	if (!group->skip)
		return false;
	group->skip--;
	return true;
}

/* ---- after an answer ---- */

static void finish_messages(struct call *call)
{
	exchange_free(call->exchange);
	call->exchange = NULL;
	question_unprepare(call);
	messages_clear(&call->messages);
	free(call->row);
	call->row = NULL;
}

static void set_off(struct group *group, uint64_t cannot)
{
	group->off = cannot;
	group_tell(group, cannot);
}

static int start_own(struct call *call)
{
	finish_messages(call);
	call->way = WAY_OWN;
	if (call->blocking) {
		call->state = STATE_OWN_BLOCKING;
		return MPI_SUCCESS;
	}
	call->state = STATE_OWN;
	return process.ops->own_start(&call->args, call->group->comm, &call->request);
}

/* Calls with smaller messages follow, as likely as not: others need not be asked each time. */
static void skip_some(struct group *group)
{
	group->skip = group->skip_next;
	if (group->skip_next < 64)
		group->skip_next *= 2;
}

static int begin_plan(struct call *call)
{
	call->state = STATE_PLAN;
	return group_plan_start(call->group, has_rows(call) ? call->row : NULL);
}

static int begin_wire(struct call *call)
{
	struct group *group = call->group;

	question_unprepare(call);
	call->state = STATE_WIRE;
	return wiring_start(&group->wiring, call->plan->use, call->plan->slots);
}

/*
 * When the clock's first frame begins, the same on all ranks: when the answer has come to all, as
 * likely as not. An agreement that a rank came late to has taken long, so frames limit it. A rank
 * whose clock is far ahead, as without TAI's offset, does not stop the others.
 */
static int64_t begin_of_frames(const struct call *call)
{
	int64_t lead = 2 * (int64_t)call->all.ask_ns, most = 2 * account_frame_ns(call, call->plan);
	int64_t now = clock_ns(CLOCK_TAI), ahead = (int64_t)call->all.base_ns - now;

	return (ahead > call->group->env->timeout_ns ? now : (int64_t)call->all.base_ns) +
	       (lead < most ? lead : most);
}

static int begin_exchange(struct call *call)
{
	call->state = STATE_EXCHANGE;
	call->exchanging = clock_ns(CLOCK_MONOTONIC);
	call->exchange = call->plan->exchange;
	call->plan->exchange = NULL;
	call->group->epoch++;
	return exchange_begin(call->exchange, account_tail_bytes(call), begin_of_frames(call),
			      &call->err) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* Has it been found that the job's plan does not serve calls like this one? */
static bool *barren(const struct call *call)
{
	return &call->group->barren[call->rows.word[0] || call->rows.word[1]];
}

static int machine_give_up(struct call *call)
{
	struct group *group = call->group;
	enum cannot reason = cannot_reason(call->all.cannot);
	bool unwired = reason == CANNOT_WIRE || reason == CANNOT_BROKEN;

	if (unwired)
		question_unprepare(call);
	if (unwired && group_other_wire(group)) {
		group_tell_wire(group, call->all.cannot);
		group->detail.text[0] = '\0';
		call->mine.cannot = 0;
		return question_ask(call);
	}
	if (reason == CANNOT_WIRE)
		wiring_close(&group->wiring);
	if (reason == CANNOT_WIRE || reason == CANNOT_NODE)
		set_off(group, call->all.cannot);
	if (reason == CANNOT_PREPARED)
		*barren(call) = true;
	/* A plan that a rank could not keep is one that no other may have. */
	if (call->planned)
		group_forget_plans(group);
	if (is_matrix(&call->args) && reason == CANNOT_SMALL)
		skip_some(group);
	group_tell(group, call->all.cannot);
	call->timed = false;
	return start_own(call);
}

/* The plans of a fabric that has changed are void, for all ranks at the same call. */
static void machine_check_fabric(struct call *call)
{
	if (call->all.fabric == call->group->fabric)
		return;
	group_forget_plans(call->group);
	call->plan = NULL;
	call->group->fabric = call->all.fabric;
	call->group->barren[0] = call->group->barren[1] = false;
	call->group->told = false;
}

/* Enter the time of a call before this one in the book. */
static void learn(struct call *call)
{
	struct group *group = call->group;
	struct untold *untold = &group->untold;

	if (untold->ns)
		way_learn(&group->book[untold->kind], untold->class, untold->way,
			  (int64_t)call->all.ns);
	untold->ns = 0;
	call->mine.ns = 0;
}

/* Of a matrix the longest message is known only now. */
static void choose_by_answer(struct call *call)
{
	call->rows = call->all.rows;
	if (call->all.bytes < process.env.min_bytes && !call->all.cannot)
		call->all.cannot = cannot_say(CANNOT_SMALL, LEADER);
	if (call->all.cannot)
		return;
	call->group->skip_next = 1;
	machine_choose(call, call->all.bytes);
}

/* The clock of a call starts when all ranks have come: who waits for another loses nothing. */
static void start_clock(struct call *call)
{
	struct group *group = call->group;
	int64_t now = clock_ns(CLOCK_MONOTONIC), took = now - call->asked;

	if (call->begun)
		return;
	call->begun = now;
	if (!group->ask_ns || took < group->ask_ns)
		group->ask_ns = took;
	call->spent += group->ask_ns;
}

/* All ranks have a plan. Do they have all that it needs? */
static int go_by_plan(struct call *call)
{
	if (call->asked_plan && call->all.rewire)
		return begin_wire(call);
	if (call->all.unprepared || (!call->plan->wired && !call->asked_plan))
		return question_ask(call);
	call->plan->wired = true;
	return begin_exchange(call);
}

/* The MPI accepts such calls, or reports their error. */
static void check_counts(struct call *call)
{
	if (call->all.balance && !call->all.cannot)
		call->all.cannot = cannot_say(CANNOT_COUNTS, LEADER);
}

static int machine_answer(struct call *call)
{
	call->all = call->group->heard;
	learn(call);
	machine_check_fabric(call);
	start_clock(call);
	if (!call->chosen)
		choose_by_answer(call);
	check_counts(call);
	if (call->all.cannot)
		return machine_give_up(call);
	if (call->way == WAY_OWN)
		return start_own(call);
	if (!call->plan)
		call->plan = group_find_plan(call->group, &call->rows);
	if (!call->plan && *barren(call)) {
		call->timed = false;
		return start_own(call);
	}
	return call->plan ? go_by_plan(call) : begin_plan(call);
}

/* The leader could not plan: all know. Or this rank could not keep the plan: it says so. */
static int planned(struct call *call, int cannot)
{
	if (cannot && call->group->planning_failed) {
		set_off(call->group, cannot_say((enum cannot)cannot, LEADER));
		call->timed = false;
		return start_own(call);
	}
	call->planned = true;
	call->mine.cannot = cannot_say((enum cannot)cannot, call->group->rank);
	call->plan = cannot ? NULL : group_find_plan(call->group, &call->rows);
	return question_ask(call);
}

static int wired(struct call *call)
{
	struct wiring *wiring = &call->group->wiring;

	if (wiring->status) {
		call->mine.cannot = cannot_say(CANNOT_WIRE, call->group->rank);
		call->group->detail = wiring->err;
	}
	return question_ask(call);
}

/* ---- the ends of a call ---- */

/* Its time is reported with the next agreement of the group. */
static void stop_clock(struct call *call)
{
	int64_t ns = clock_ns(CLOCK_MONOTONIC) - call->begun;

	if (!call->timed)
		return;
	call->group->untold = (struct untold){
		.kind = call->args.kind, .class = call->class, .way = call->way,
		.ns = ns + (call->way == WAY_LIQUID ? call->spent : 0) + 1,
	};
}

static void machine_end(struct call *call, int error)
{
	account_report(call);
	finish_messages(call);
	call->error = error;
	call->state = STATE_DONE;
}

static int exchanged(struct call *call)
{
	int error = messages_unpack(&call->messages);

	stop_clock(call);
	machine_end(call, error);
	return MPI_SUCCESS;
}

int machine_own_done(struct call *call, int error)
{
	stop_clock(call);
	machine_end(call, error);
	return MPI_SUCCESS;
}

/* An error after which ranks are no longer together: all later calls of the group get it, too. */
static void machine_fail(struct call *call, int error)
{
	struct group *group = call->group;

	if (!group->error && !call->alarmed)
		group_alarm(group);

	if (!group->error)
		fprintf(stderr, "liquid: rank %u of %u: an exchange has failed%s%s\n", group->rank,
			group->ranks, call->err.text[0] ? ": " : "", call->err.text);
	group->error = error;
	/* Nothing that comes is written any more. */
	wiring_close(&group->wiring);
	call->prepared = false;
	/* Copies of messages stay in memory, as the MPI may still be sending them. */
	call->messages = (struct messages){ 0 };
	machine_end(call, error);
}

/* ---- steps ---- */

/* The first call of the group, or the first after the one before has ended */
static int machine_begin(struct call *call)
{
	struct group *group = call->group;

	if (group->error)
		return group->error;
	if (!group_is_set_up(group)) {
		call->state = STATE_SETUP;
		return group_setup(group, call->args.comm);
	}
	if (!call->decided) {
		group->calls++;
		call->decided = true;
		if (machine_passes(call))
			return start_own(call);
	}
	if (call->way == WAY_OWN)
		return question_ask_nothing(call);
	return question_ask(call);
}

static bool arrived(struct call *call, int *error)
{
	int flag = 0;

	*error = PMPI_Test(&call->request, &flag, MPI_STATUS_IGNORE);
	return flag && !*error;
}

static int step_setup(struct call *call, bool *moved)
{
	bool done;
	int error = group_setup_step(call->group, &done, moved);

	return error || !done ? error : machine_begin(call);
}

static int step_plan(struct call *call, bool *moved)
{
	bool done;
	int cannot = 0, error;

	error = group_plan_step(call->group, &call->rows, &call->messages, &done, &cannot,
				moved);
	return error || !done ? error : planned(call, cannot);
}

static int step_wire(struct call *call, bool *moved)
{
	bool done;
	int error = wiring_step(&call->group->wiring, &done, moved);

	return error || !done ? error : wired(call);
}

static int step_exchange(struct call *call, bool *moved)
{
	bool done;

	if (exchange_step(call->exchange, &done, moved, &call->err))
		return MPI_ERR_OTHER;
	return done ? exchanged(call) : MPI_SUCCESS;
}

static int step_request(struct call *call, bool *moved)
{
	int error;
	bool done = arrived(call, &error);

	*moved |= done;
	if (call->state == STATE_OWN)
		return done || error ? machine_own_done(call, error) : MPI_SUCCESS;
	return done ? machine_answer(call) : error;
}

void machine_step(struct call *call, bool *moved)
{
	int error = MPI_SUCCESS;

	if (call->state != STATE_DONE && call->state < STATE_OWN && !call->group->error &&
	    group_alarmed(call->group, &call->err)) {
		call->alarmed = true;
		machine_fail(call, MPI_ERR_OTHER);
		return;
	}
	switch (call->state) {
	case STATE_QUEUED:
		*moved = true;
		error = machine_begin(call);
		break;
	case STATE_SETUP:
		error = step_setup(call, moved);
		break;
	case STATE_PLAN:
		error = step_plan(call, moved);
		break;
	case STATE_WIRE:
		error = step_wire(call, moved);
		break;
	case STATE_EXCHANGE:
		error = step_exchange(call, moved);
		break;
	case STATE_ANSWER:
	case STATE_OWN:
		error = step_request(call, moved);
		break;
	case STATE_OWN_BLOCKING:
	case STATE_DONE:
		return;
	}
	if (error)
		machine_fail(call, error);
}
