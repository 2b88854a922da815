// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A collective call: eligible? which way? then it is run
 *
 * Each call that is not decided at once is a step machine in the queue of its communicator, which
 * whoever calls MPI takes further. Nothing in it blocks, so a non-blocking call goes the same way.
 *
 *	QUEUED > SETUP > ANSWER > (PLAN | WIRE > ANSWER)* > EXCHANGE | OWN > DONE
 *
 * Decisions are made from values that are the same on all ranks, in the order in which the calls
 * were started: never from what happens to be complete already.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "clock.h"
#include "exchange.h"
#include "group.h"
#include "report.h"

#define POLLS		50		/* before the first nap */
#define POLLS_MOST	200000		/* then it is a long wait anyway */
#define GIVEN_WAY_NS	20000
#define SHORT_NAP_NS	50000
#define LONG_NAP_NS	500000

enum state {
	STATE_QUEUED,
	STATE_SETUP,			/* the group does not have its duplicate yet */
	STATE_ANSWER,			/* of the agreement */
	STATE_PLAN,
	STATE_WIRE,
	STATE_EXCHANGE,
	STATE_OWN,			/* the MPI's own way, by a request on the duplicate */
	STATE_OWN_BLOCKING,		/* ... or by the thread that has made the call */
	STATE_DONE,
};

struct call {
	struct call *next;
	struct group *group;
	struct args args;
	bool blocking;
	enum state state;
	MPI_Request request;		/* what the state waits for */
	void *user;			/* the program's request, if not blocking */
	struct messages messages;
	struct agreement mine, all;
	struct digest rows;
	uint64_t *row;			/* bytes to each rank */
	struct group_plan *plan;
	struct exchange *exchange;
	bool decided;			/* passes() has been asked */
	bool filled, prepared;
	bool chosen;			/* @way, from @class and the book */
	bool planned;			/* a plan was made for this call */
	bool asked_plan;		/* ranks have said if their wires suffice for it */
	bool timed;			/* the book wants to know how long the call takes */
	uint64_t class;			/* bytes by which the way is decided */
	enum way way;
	int64_t started, asked, begun;	/* ns */
	int64_t spent;			/* before @begun, if it goes liquid, ns */
	int error;
	struct liquid_error err;
};

/* The only global state: what the process has once. */
static struct {
	pthread_mutex_t lock;		/* of all below, and of all groups */
	bool open;
	struct environment env;
	const struct call_ops *ops;
	struct agree agree;
	struct report *report;		/* NULL: none is wanted */
	struct group *groups;
	int key, self_key;		/* attributes: groups of communicators; the end of MPI */
} process = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the process ---- */

static void unlink_group(struct group *group)
{
	struct group **place = &process.groups;

	while (*place && *place != group)
		place = &(*place)->next;
	if (*place)
		*place = group->next;
}

/* The program has freed the communicator. The duplicate goes later: MPI holds locks of its own. */
static int communicator_freed(MPI_Comm comm, int key, void *value, void *extra)
{
	struct group *group = value;

	(void)comm, (void)key, (void)extra;
	pthread_mutex_lock(&process.lock);
	/* MPI_COMM_WORLD is freed after the end. */
	if (process.open)
		group->released = true;
	pthread_mutex_unlock(&process.lock);
	return MPI_SUCCESS;
}

/* MPI_Finalize() deletes the attributes of MPI_COMM_SELF first, when MPI still works. */
static int mpi_ends(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	pthread_mutex_lock(&process.lock);
	while (process.groups) {
		struct group *group = process.groups;

		unlink_group(group);
		group_free(group, true);
	}
	agree_close(&process.agree);
	report_close(process.report);
	process.report = NULL;
	process.open = false;
	pthread_mutex_unlock(&process.lock);
	return MPI_SUCCESS;
}

void call_open(const struct environment *env, const struct call_ops *ops, int rank)
{
	process.env = *env;
	process.ops = ops;
	if (!env->stats || env->mode == MODE_OFF)
		return;
	process.report = report_open(env->stats, rank);
	if (!process.report && !rank)
		fprintf(stderr, "liquid: cannot write %s\n", env->stats);
}

/* At the first call that may go liquid, as MPI does not allow it earlier */
static int open_process(void)
{
	int error = process.open ? MPI_SUCCESS : agree_open(&process.agree);

	if (process.open || error)
		return error;
	error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_freed, &process.key,
					NULL);
	if (!error)
		error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpi_ends,
						&process.self_key, NULL);
	if (!error)
		error = PMPI_Comm_set_attr(MPI_COMM_SELF, process.self_key, NULL);
	process.open = !error;
	return error;
}

static int new_group(struct group **place, MPI_Comm comm)
{
	int error = open_process();

	if (error)
		return error;
	*place = group_new(&process.env, &process.agree, comm);
	if (!*place)
		return MPI_ERR_NO_MEM;
	(*place)->next = process.groups;
	process.groups = *place;
	return PMPI_Comm_set_attr(comm, process.key, *place);
}

/* Free the groups of communicators that are gone, when their last call is complete. */
static void free_released(void)
{
	for (struct group **place = &process.groups; *place;) {
		struct group *group = *place;

		if (!group->released || group->head || group->apart) {
			place = &group->next;
			continue;
		}
		*place = group->next;
		group_free(group, false);
	}
}

/* ---- which way ---- */

static bool is_matrix(const struct args *args)
{
	return args->kind != CALL_ALLTOALL;
}

static void choose(struct call *call, uint64_t bytes)
{
	struct way_book *book = call->group->book[call->args.kind];

	call->chosen = true;
	call->class = bytes;
	call->way = way_next(book, bytes);
	call->timed = way_measures(book, bytes);
}

/*
 * Decide what can be decided without asking others. Returns true if it is the MPI's own way and
 * nothing more is to be known of the call. The set-up is complete and no call is before this one.
 */
static bool passes(struct call *call)
{
	struct group *group = call->group;

	if (group->off)
		return true;
	if (!is_matrix(&call->args)) {
		choose(call, args_bytes(&call->args));
		return call->way == WAY_OWN && !call->timed;
	}
	call->way = WAY_LIQUID;
	if (!group->skip)
		return false;
	group->skip--;
	return true;
}

/* ---- steps ---- */

static void unprepare(struct call *call)
{
	struct wiring *wiring = &call->group->wiring;

	if (call->prepared)
		wiring->ops->finish(wiring->wire);
	call->prepared = false;
}

static void finish_messages(struct call *call)
{
	exchange_free(call->exchange);
	call->exchange = NULL;
	unprepare(call);
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

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* Of this rank's row of the matrix; the sum over all ranks stands for the matrix. */
static struct digest digest_row(const uint64_t *row, uint32_t rank, uint32_t ranks)
{
	struct digest digest = { { mix(rank + 1), mix(~(uint64_t)rank) } };

	for (uint32_t i = 0; i < ranks; i++) {
		digest.word[0] = mix(digest.word[0] + row[i]);
		digest.word[1] = mix(digest.word[1] ^ (row[i] + i));
	}
	return digest;
}

/* Bytes to each rank: what the leader needs of a matrix, and this node of any call */
static int fill_row(struct call *call)
{
	const struct group *group = call->group;
	uint64_t *row = malloc(group->ranks * sizeof(*row));

	if (!row)
		return CANNOT_MEMORY;
	for (uint32_t i = 0; i < group->ranks; i++)
		row[i] = call->messages.out[i].bytes;
	call->row = row;
	if (is_matrix(&call->args))
		call->mine.rows = digest_row(row, group->rank, group->ranks);
	return CANNOT_NOTHING;
}

static struct seat seat_of(const struct group *group)
{
	return (struct seat){ group->comm, group->rank, group->ranks, &group->map };
}

/* Messages in bytes. What fails on this rank is told to the others. */
static void fill(struct call *call)
{
	struct group *group = call->group;
	const struct seat seat = seat_of(group);
	int cannot = messages_fill(&call->messages, &call->args, &seat);

	call->filled = true;
	if (!cannot)
		cannot = fill_row(call);
	if (!cannot && group->node.failed)
		cannot = CANNOT_NODE;
	node_say(&group->node, cannot ? NULL : call->row);
	call->mine.cannot = cannot_say((enum cannot)cannot, group->rank);
	call->mine.bytes = call->messages.longest;
}

/* Make memory ready, if there is a wire. Without a plan small messages are not worth it. */
static void prepare(struct call *call)
{
	struct group *group = call->group;
	struct wiring *wiring = &group->wiring;

	if (call->prepared || call->mine.cannot || !wiring->wire ||
	    (!call->plan && call->messages.longest < process.env.min_bytes))
		return;
	if (wiring->ops->prepare(wiring->wire, call->messages.far_out, call->messages.far_in,
				 group->epoch + 1, &group->detail)) {
		call->mine.cannot = cannot_say(CANNOT_REGISTER, group->rank);
		wiring->ops->finish(wiring->wire);
		return;
	}
	call->prepared = true;
}

static bool lacks_wire(const struct call *call)
{
	const struct group *group = call->group;

	return call->plan &&
	       !wiring_suffices(&group->wiring, call->plan->use, call->plan->slots);
}

static int send_question(struct call *call)
{
	struct group *group = call->group;

	call->mine.fabric = group->planner ? planner_stamp(group->planner) : 0;
	call->mine.base_ns = (uint64_t)clock_ns(CLOCK_TAI);
	call->mine.ns = (uint64_t)group->untold.ns;
	call->state = STATE_ANSWER;
	return agree_start(group->agree, &call->mine, &call->all, group->comm, &call->request);
}

static int ask(struct call *call)
{
	call->asked = clock_ns(CLOCK_MONOTONIC);
	if (!call->filled)
		fill(call);
	call->mine.rewire = lacks_wire(call);
	if (!call->mine.rewire)
		prepare(call);
	call->mine.unprepared = !call->prepared;
	call->asked_plan = call->plan != NULL;
	call->spent += clock_ns(CLOCK_MONOTONIC) - call->asked;
	return send_question(call);
}

/* The MPI's own way is timed from when all ranks have come to the call. */
static int ask_nothing(struct call *call)
{
	call->asked = clock_ns(CLOCK_MONOTONIC);
	return send_question(call);
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
	return group_plan_start(call->group, is_matrix(&call->args) ? call->row : NULL);
}

static int begin_wire(struct call *call)
{
	struct group *group = call->group;

	unprepare(call);
	call->state = STATE_WIRE;
	return wiring_start(&group->wiring, call->plan->use, call->plan->slots);
}

static enum liquid_sync sync_of(const struct environment *env)
{
	return env->mode == MODE_CLOCK ? LIQUID_SYNC_CLOCK :
	       env->mode == MODE_ORDER ? LIQUID_SYNC_ORDER : LIQUID_SYNC_TOKENS;
}

/* Bytes of a transfer */
static uint64_t unit_bytes(const struct call *call)
{
	return call->plan->head.unit * (is_matrix(&call->args) ? 1 : call->class);
}

/* Time of a frame: what its bytes take, and a twentieth more. 1: the rate is not known. */
static int64_t frame_ns(const struct call *call)
{
	if (!call->plan->head.rate)
		return 1;
	return (int64_t)((double)unit_bytes(call) * 8.4e9 / (double)call->plan->head.rate) + 1;
}

/* Where neither rate nor time are known: what 100 Gb/s carry in 2 us */
#define TAIL_BYTES	25000

/*
 * What a link carries while a token is on its way. An agreement takes at least as many messages one
 * after the other as the number of ranks has bits: that is the time of one.
 */
static uint64_t tail_bytes(const struct call *call)
{
	const struct group *group = call->group;
	unsigned int messages = 32 - (unsigned int)__builtin_clz(group->ranks - 1);

	if (group->env->tail_bytes != UINT64_MAX)
		return group->env->tail_bytes;
	if (!call->plan->head.rate || !group->ask_ns)
		return TAIL_BYTES;
	return (uint64_t)((double)group->ask_ns / messages * (double)call->plan->head.rate / 8e9);
}

static int begin_exchange(struct call *call)
{
	struct group *group = call->group;
	const struct driver_options options = {
		.ops = group->wiring.ops, .wire = group->wiring.wire, .plan = call->plan->plan,
		.node = &group->node, .tail = tail_bytes(call), .epoch = ++group->epoch,
		.slots = group->wiring.slots, .sync = sync_of(group->env),
		.timeout_ns = group->env->timeout_ns, .frame_ns = frame_ns(call),
		.base_ns = (int64_t)call->all.base_ns + 2 * frame_ns(call),
	};

	call->state = STATE_EXCHANGE;
	return exchange_new(&options, call->messages.out, call->messages.in, &call->exchange,
			    &call->err) ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int give_up(struct call *call)
{
	struct group *group = call->group;
	enum cannot reason = cannot_reason(call->all.cannot);

	if (reason == CANNOT_WIRE)
		unprepare(call);
	if (reason == CANNOT_WIRE && group_other_wire(group)) {
		group_tell_wire(group, call->all.cannot);
		group->detail.text[0] = '\0';
		call->mine.cannot = 0;
		return ask(call);
	}
	if (reason == CANNOT_WIRE || reason == CANNOT_NODE)
		set_off(group, call->all.cannot);
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
static void check_fabric(struct call *call)
{
	if (call->all.fabric == call->group->fabric)
		return;
	group_forget_plans(call->group);
	call->plan = NULL;
	call->group->fabric = call->all.fabric;
}

/* Tell the book what a call before this one has taken. */
static void learn(struct call *call)
{
	struct group *group = call->group;
	struct untold *untold = &group->untold;

	if (untold->ns)
		way_learn(group->book[untold->kind], untold->class, untold->way,
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
	choose(call, call->all.bytes);
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

/* All ranks have a plan. Do they have what it takes? */
static int go_by_plan(struct call *call)
{
	if (call->asked_plan && call->all.rewire)
		return begin_wire(call);
	if (call->all.unprepared || (!call->plan->wired && !call->asked_plan))
		return ask(call);
	call->plan->wired = true;
	return begin_exchange(call);
}

static int answer(struct call *call)
{
	learn(call);
	check_fabric(call);
	start_clock(call);
	if (!call->chosen)
		choose_by_answer(call);
	if (call->all.cannot)
		return give_up(call);
	if (call->way == WAY_OWN)
		return start_own(call);
	if (!call->plan)
		call->plan = group_find_plan(call->group, &call->rows);
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
	return ask(call);
}

static int wired(struct call *call)
{
	struct wiring *wiring = &call->group->wiring;

	if (wiring->status) {
		call->mine.cannot = cannot_say(CANNOT_WIRE, call->group->rank);
		call->group->detail = wiring->err;
	}
	return ask(call);
}

/* ---- the ends of a call ---- */

/* What it took is told with the next agreement of the group. */
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

static const char *kind_name(enum call_kind kind)
{
	static const char *const name[CALL_KINDS] = {
		[CALL_ALLTOALL] = "Alltoall", [CALL_ALLTOALLV] = "Alltoallv",
		[CALL_NEIGHBOR_ALLTOALL] = "Neighbor_alltoall",
		[CALL_NEIGHBOR_ALLTOALLV] = "Neighbor_alltoallv",
	};

	return name[kind];
}

static const char *way_name(enum way way, enum env_mode mode)
{
	if (way == WAY_OWN)
		return "own";
	return mode == MODE_CLOCK ? "clock" : mode == MODE_ORDER ? "order" : "tokens";
}

/* Of what the links could carry: the time of the plan's frames in that of the call */
static double share_of(const struct call *call, int64_t ns)
{
	if (call->way == WAY_OWN || !call->plan || !call->plan->head.rate || ns <= 0)
		return 0;
	return (double)call->plan->head.frames * (double)unit_bytes(call) * 8e9 /
	       (double)call->plan->head.rate / (double)ns;
}

static void report(const struct call *call)
{
	const struct group *group = call->group;
	int64_t ns = clock_ns(CLOCK_MONOTONIC) - call->started;
	struct report_line line = {
		.call = kind_name(call->args.kind), .bytes = call->class, .ns = ns,
		.way = way_name(call->way, group->env->mode), .share = share_of(call, ns),
		.ranks = group->ranks,
	};

	if (!process.report || group->rank != LEADER)
		return;
	if (call->exchange) {
		const struct liquid_run_stats *stats = exchange_stats(call->exchange);

		line.waits = stats->waits;
		line.timeouts = stats->timeouts;
		line.unsynchronised = stats->unsynchronised;
	}
	report_call(process.report, &line);
}

static void end(struct call *call, int error)
{
	report(call);
	finish_messages(call);
	call->error = error;
	call->state = STATE_DONE;
}

static int exchanged(struct call *call)
{
	const struct seat seat = seat_of(call->group);
	int error = messages_unpack(&call->messages, &call->args, &seat);

	stop_clock(call);
	end(call, error);
	return MPI_SUCCESS;
}

static int own_done(struct call *call, int error)
{
	stop_clock(call);
	end(call, error);
	return MPI_SUCCESS;
}

/* An error after which ranks are no longer together: all later calls of the group get it, too. */
static void fail(struct call *call, int error)
{
	struct group *group = call->group;

	if (!group->error)
		fprintf(stderr, "liquid: rank %u of %u: an exchange has failed%s%s\n", group->rank,
			group->ranks, call->err.text[0] ? ": " : "", call->err.text);
	group->error = error;
	end(call, error);
	/* Others learn from the broken connection. */
	wiring_close(&group->wiring);
}

/* ---- progress ---- */

/* The first call of the group, or the first after the one before has ended */
static int begin(struct call *call)
{
	struct group *group = call->group;

	if (group->error)
		return group->error;
	if (group->comm == MPI_COMM_NULL) {
		call->state = STATE_SETUP;
		process.ops->hold(call->args.comm, true);
		return group_setup(group, call->args.comm);
	}
	if (!call->decided) {
		group->calls++;
		call->decided = true;
		if (passes(call))
			return start_own(call);
	}
	if (call->way == WAY_OWN)
		return ask_nothing(call);
	return ask(call);
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

	if (error || done)
		process.ops->hold(call->args.comm, false);
	return error || !done ? error : begin(call);
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
		return done || error ? own_done(call, error) : MPI_SUCCESS;
	return done ? answer(call) : error;
}

static void step(struct call *call, bool *moved)
{
	int error = MPI_SUCCESS;

	switch (call->state) {
	case STATE_QUEUED:
		*moved = true;
		error = begin(call);
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
		fail(call, error);
}

/* The program may free its types before the call is complete. */
static int hold(MPI_Datatype *type)
{
	return type_is_named(*type) ? MPI_SUCCESS : PMPI_Type_dup(*type, type);
}

static int hold_types(struct args *args)
{
	int error = hold(&args->recv.type);

	if (args->send.buffer == MPI_IN_PLACE)
		args->send.type = args->recv.type;
	else if (!error)
		error = hold(&args->send.type);
	return error;
}

static void release_types(struct args *args)
{
	if (args->send.buffer != MPI_IN_PLACE && !type_is_named(args->send.type))
		PMPI_Type_free(&args->send.type);
	if (!type_is_named(args->recv.type))
		PMPI_Type_free(&args->recv.type);
}

/* The program may wait for it now. A blocking call belongs to the thread that made it. */
static void complete(struct call *call)
{
	if (call->blocking)
		return;
	release_types(&call->args);
	process.ops->request_end(call->user, call->error);
	free(call);
}

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

		step(call, moved);
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
		step(call, moved);
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
	pthread_mutex_unlock(&process.lock);
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

/* By what is known without a group: the same on all ranks */
static bool is_small(const struct args *args)
{
	return process.env.mode == MODE_OFF ||
	       (args->kind == CALL_ALLTOALL && args_bytes(args) < process.env.min_bytes);
}

/* Find the group, or make it. Called with the lock held. */
static int find_group(struct group **place, MPI_Comm comm)
{
	free_released();
	return *place ? MPI_SUCCESS : new_group(place, comm);
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
		pthread_mutex_unlock(&process.lock);
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
	own_done(call, error);
	progress_all();
	pthread_mutex_unlock(&process.lock);
	return error;
}

/* Nothing is under way on this communicator: is it decided that the call goes the MPI's own way? */
static bool passes_now(struct group *group, struct call *call)
{
	if (group->head || group->comm == MPI_COMM_NULL || group->error)
		return false;
	group->calls++;
	call->group = group;
	call->decided = true;
	return passes(call);
}

static int pass(struct call *call)
{
	int error = process.ops->own(&call->args);

	call->way = WAY_OWN;
	report(call);
	return error;
}

static int run_queued(struct group **place, struct call *call)
{
	int error;

	pthread_mutex_lock(&process.lock);
	error = find_group(place, call->args.comm);
	if (!error && passes_now(*place, call)) {
		pthread_mutex_unlock(&process.lock);
		return pass(call);
	}
	if (!error)
		enqueue(*place, call);
	pthread_mutex_unlock(&process.lock);
	if (error)
		return error;
	wait_for(call);
	return call->state == STATE_OWN_BLOCKING ? run_own(call) : call->error;
}

int call_run(struct group **place, const struct args *args)
{
	struct call call = { .args = *args, .blocking = true };

	call.started = process.report ? clock_ns(CLOCK_MONOTONIC) : 0;

	if (is_small(args))
		return process.ops->own(args);
	return run_queued(place, &call);
}

/* A call in the queue, and the program's request for it */
static int new_call(const struct args *args, struct call **result, MPI_Request *request)
{
	struct call *call = calloc(1, sizeof(*call));
	int error;

	if (!call)
		return MPI_ERR_NO_MEM;
	call->args = *args;
	call->started = process.report ? clock_ns(CLOCK_MONOTONIC) : 0;
	error = hold_types(&call->args);
	if (!error)
		error = process.ops->request_new(&call->user, request);
	if (error)
		free(call);
	else
		*result = call;
	return error;
}

int call_start(struct group **place, const struct args *args, MPI_Request *request)
{
	struct call *call;
	int error;

	if (is_small(args))
		return process.ops->own_start(args, args->comm, request);
	pthread_mutex_lock(&process.lock);
	error = find_group(place, args->comm);
	if (!error)
		error = new_call(args, &call, request);
	if (!error) {
		process.ops->progress_on();
		enqueue(*place, call);
		progress_all();
	}
	pthread_mutex_unlock(&process.lock);
	return error;
}
