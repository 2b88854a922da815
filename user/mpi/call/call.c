// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A collective call: small ones go the MPI's own way at once, others to the queue of their
 * communicator, in which each is taken further until it is done
 */
#include <sched.h>
#include <stdlib.h>

#include "call/account.h"
#include "call/call.h"
#include "call/machine.h"
#include "call/process.h"
#include "settings/clock.h"

#define POLLS		50		/* before the first nap */
#define POLLS_MOST	200000		/* then it is a long wait anyway */
#define GIVEN_WAY_NS	20000
#define SHORT_NAP_NS	50000
#define LONG_NAP_NS	500000

/* ---- non-blocking calls ---- */

/* The program may free its types before the call is complete. */
static int hold(MPI_Datatype *type)
{
	return type_is_named(*type) ? MPI_SUCCESS : PMPI_Type_dup(*type, type);
}

static void release(MPI_Datatype *type)
{
	if (!type_is_named(*type))
		PMPI_Type_free(type);
}

static int hold_types(struct args *args)
{
	int error = hold(&args->recv.type);

	if (error)
		return error;
	if (args->send.buffer == MPI_IN_PLACE)
		args->send.type = args->recv.type;
	else
		error = hold(&args->send.type);
	if (error)
		release(&args->recv.type);
	return error;
}

static void free_call(struct call *call)
{
	if (call->args.send.buffer != MPI_IN_PLACE)
		release(&call->args.send.type);
	release(&call->args.recv.type);
	free(call);
}

/* The program may wait for it now. A blocking call belongs to the thread that made it. */
static void complete(struct call *call)
{
	if (call->blocking)
		return;
	process.ops->request_end(call->user, call->error);
	call->next = process.ended;
	process.ended = call;
}

/* Types are held and released without the lock: functions of their attributes may make calls. */
static void unlock(void)
{
	struct call *call = process.ended, *next;

	process.ended = NULL;
	pthread_mutex_unlock(&process.lock);
	for (; call; call = next) {
		next = call->next;
		free_call(call);
	}
}

/* ---- progress ---- */

static void take_off(struct group *group)
{
	struct call *call = group->head;

	group->head = call->next;
	if (!group->head)
		group->last = NULL;
	call->next = NULL;
}

/* Non-blocking calls that go the MPI's own way and are not timed do not hold up the next ones. */
static void set_apart(struct group *group)
{
	struct call *call = group->head;

	take_off(group);
	call->next = group->apart;
	group->apart = call;
}

static void progress_apart(struct group *group, bool *moved)
{
	for (struct call **place = &group->apart; *place;) {
		struct call *call = *place;

		machine_step(call, moved);
		if (call->state != STATE_DONE) {
			place = &call->next;
			continue;
		}
		*place = call->next;
		complete(call);
	}
}

static void progress_group(struct group *group, bool *moved)
{
	struct call *call;

	if (group->apart)
		progress_apart(group, moved);
	while ((call = group->head)) {
		machine_step(call, moved);
		if (call->state == STATE_OWN && !call->timed) {
			set_apart(group);
			continue;
		}
		if (call->state != STATE_DONE)
			return;
		take_off(group);
		complete(call);
	}
}

static bool progress_all(void)
{
	bool moved = false;

	for (struct group *group = process.groups; group; group = group->next)
		if (group->head || group->apart)
			progress_group(group, &moved);
	return moved;
}

/* MPI calls this from within the calls of MPI that progress makes, too: the lock is taken then. */
int call_progress(void)
{
	bool moved;

	if (pthread_mutex_trylock(&process.lock))
		return 0;
	moved = progress_all();
	unlock();
	return moved;
}

/* ---- the calls ---- */

/*
 * Wait a little, for the @idle-th time without news. Who waits for another node only polls. Where
 * others want the processor, such as the network's tasks or more ranks than processors, it sleeps:
 * they do if giving way takes time.
 */
static void nap(uint32_t idle)
{
	struct timespec time = { 0, idle < 500 ? SHORT_NAP_NS : LONG_NAP_NS };
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (idle < POLLS)
		return;
	sched_yield();
	if (clock_ns(CLOCK_MONOTONIC) - now > GIVEN_WAY_NS || idle > POLLS_MOST)
		nanosleep(&time, NULL);
}

static void enqueue(struct group *group, struct call *call)
{
	call->group = group;
	call->request = MPI_REQUEST_NULL;
	if (group->last)
		group->last->next = call;
	else
		group->head = call;
	group->last = call;
}

/* Decided without a group: the same on all ranks */
static bool is_small(const struct args *args)
{
	return process.env.mode == MODE_OFF ||
	       (args->kind == CALL_ALLTOALL && args_bytes(args) < process.env.min_bytes);
}

/* The thread that has made a call takes it further until it is done. */
static void wait_for(struct call *call)
{
	uint32_t idle = 0;
	bool moved, done = false;

	while (!done) {
		pthread_mutex_lock(&process.lock);
		moved = progress_all();
		done = call->state == STATE_DONE || call->state == STATE_OWN_BLOCKING;
		unlock();
		idle = moved ? 0 : idle + 1;
		if (!done)
			nap(idle);
	}
}

/* All have agreed on the MPI's own way: without the lock, as it blocks. */
static int run_own(struct call *call)
{
	int error = process.ops->own(&call->args);

	pthread_mutex_lock(&process.lock);
	machine_own_done(call, error);
	progress_all();
	unlock();
	return error;
}

/* Nothing is under way on this communicator: is it decided that the call goes the MPI's own way? */
static bool passes_now(struct group *group, struct call *call)
{
	call->group = group;
	if (group->foreign)
		return true;
	if (group->head || !group_is_set_up(group) || group->error)
		return false;
	group->calls++;
	call->decided = true;
	return machine_passes(call);
}

static int pass(struct call *call)
{
	int error = process.ops->own(&call->args);

	call->way = WAY_OWN;
	if (!process.report)
		return error;
	pthread_mutex_lock(&process.lock);
	account_report(call);
	pthread_mutex_unlock(&process.lock);
	return error;
}

static int call_refuse(struct group **place, const struct args *args)
{
	int error = process_refuse(place, args->comm);

	return error ? error : process.ops->own(args);
}

/* Decided only in the group: the way of this call, perhaps by asking others */
static int run_queued(struct group **place, const struct args *args)
{
	struct call call = { .args = *args, .blocking = true };
	struct group *group;
	bool passes;

	call.started = process.report ? clock_ns(CLOCK_MONOTONIC) : 0;
	process_free_released();
	pthread_mutex_lock(&process.lock);
	group = process_group(place, args->comm);
	passes = group && passes_now(group, &call);
	if (group && !passes)
		enqueue(group, &call);
	pthread_mutex_unlock(&process.lock);
	if (!group)
		return call_refuse(place, args);
	if (passes)
		return pass(&call);
	wait_for(&call);
	return call.state == STATE_OWN_BLOCKING ? run_own(&call) : call.error;
}

int call_run(struct group **place, const struct args *args)
{
	return is_small(args) ? process.ops->own(args) : run_queued(place, args);
}

/* A call that is not in the queue yet, and the program's request for it */
static int new_call(const struct args *args, struct call **result, MPI_Request *request)
{
	struct call *call = calloc(1, sizeof(*call));
	int error;

	if (!call)
		return MPI_ERR_NO_MEM;
	call->args = *args;
	call->started = process.report ? clock_ns(CLOCK_MONOTONIC) : 0;
	error = hold_types(&call->args);
	if (error) {
		free(call);
		return error;
	}
	error = process.ops->request_new(args->comm, &call->user, request);
	if (error)
		free_call(call);
	else
		*result = call;
	return error;
}

/*
 * A set-up makes collective calls on the program's communicator. Only in a blocking call do none of
 * the program's own come between them, on one rank before and on another after.
 */
static bool is_set_up(struct group *const *place)
{
	const struct group *group;
	bool result;

	pthread_mutex_lock(&process.lock);
	group = *place;
	result = group && !group->foreign && !group->unused &&
		 (group->error || group->comm != MPI_COMM_NULL);
	pthread_mutex_unlock(&process.lock);
	return result;
}

int call_start(struct group **place, const struct args *args, MPI_Request *request)
{
	struct call *call;
	int error;

	if (is_small(args) || !is_set_up(place))
		return process.ops->own_start(args, args->comm, request);
	error = new_call(args, &call, request);
	if (error)
		return error;
	pthread_mutex_lock(&process.lock);
	process.ops->progress_on();
	enqueue(*place, call);
	progress_all();
	unlock();
	return MPI_SUCCESS;
}
