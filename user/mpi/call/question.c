// SPDX-License-Identifier: LGPL-2.1-or-later
/* This rank's part of the agreement on a call */
#include <stdlib.h>
#include <string.h>

#include "call/account.h"
#include "call/process.h"
#include "call/question.h"
#include "settings/clock.h"

static uint64_t question_mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* A hash of this rank's row of the matrix; the sum over all ranks identifies the matrix. */
static struct digest digest_row(const uint64_t *row, uint32_t rank, uint32_t ranks)
{
	struct digest digest = { { question_mix(rank + 1), question_mix(~(uint64_t)rank) } };

	for (uint32_t i = 0; i < ranks; i++) {
		digest.word[0] = question_mix(digest.word[0] + row[i]);
		digest.word[1] = question_mix(digest.word[1] ^ (row[i] + i));
	}
	return digest;
}

/* Bytes to each rank: for the leader's matrix, and for this node in any call */
static int fill_row(struct call *call)
{
	const struct group *group = call->group;
	uint64_t *row = malloc(group->ranks * sizeof(*row));

	if (!row)
		return CANNOT_MEMORY;
	for (uint32_t i = 0; i < group->ranks; i++)
		row[i] = call->messages.out[i].bytes;
	call->row = row;
	if (has_rows(call))
		call->mine.rows = digest_row(row, group->rank, group->ranks);
	return CANNOT_NOTHING;
}

static uint64_t digest_pair(uint32_t src, uint32_t dst, uint64_t bytes)
{
	return question_mix(((uint64_t)src << 32 | dst) * UINT64_C(0x9e3779b97f4a7c15) + bytes);
}

/* What each sender of the group adds its receiver takes off. */
static uint64_t balance(const struct messages *messages, uint32_t rank, uint32_t ranks)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < ranks; i++) {
		if (i == rank)
			continue;
		sum += digest_pair(rank, i, messages->out[i].bytes);
		sum -= digest_pair(i, rank, messages->in[i].bytes);
	}
	return sum;
}

/* Messages in bytes. A failure of this rank is reported to the others. */
static void question_fill(struct call *call)
{
	struct group *group = call->group;
	const struct seat seat = group_seat(group);
	int cannot = messages_fill(&call->messages, &call->args, &seat);

	call->filled = true;
	if (!cannot)
		cannot = fill_row(call);
	if (!cannot && group->node.failed)
		cannot = CANNOT_NODE;
	node_say(&group->node, cannot ? NULL : call->row);
	call->mine.balance = cannot ? 0 : balance(&call->messages, group->rank, group->ranks);
	call->mine.cannot = cannot_say((enum cannot)cannot, group->rank);
	call->mine.bytes = call->messages.longest;
}

void question_unprepare(struct call *call)
{
	struct wiring *wiring = &call->group->wiring;

	/* A call that went the MPI's own way may end while another one is prepared. */
	if (!call->prepared)
		return;
	wiring->ops->finish(wiring->wire);
	call->prepared = false;
	for (int i = 0; i < GROUP_PLANS; i++) {
		exchange_free(call->group->plan[i].exchange);
		call->group->plan[i].exchange = NULL;
	}
}

static enum liquid_sync sync_of(const struct environment *env)
{
	return env->mode == MODE_CLOCK ? LIQUID_SYNC_CLOCK :
	       env->mode == MODE_ORDER ? LIQUID_SYNC_ORDER : LIQUID_SYNC_TOKENS;
}

static int take_exchange(struct call *call, struct group_plan *plan)
{
	struct group *group = call->group;
	const struct driver_options options = {
		.ops = group->wiring.ops, .wire = group->wiring.wire, .plan = plan->plan,
		.node = &group->node, .epoch = group->epoch + 1, .slots = group->wiring.slots,
		.sync = sync_of(group->env), .timeout_ns = group->env->timeout_ns,
		.frame_ns = account_frame_ns(call, plan),
	};
	const struct shuffle_options shuffle = {
		.peer = plan->turn, .peers = plan->turns, .window = plan->head.window,
		.packet_bytes = group->env->packet_bytes,
	};
	const struct exchange_spans spans = {
		call->messages.out, call->messages.far_out, call->messages.in,
	};

	return exchange_new(&options, plan->turn ? &shuffle : NULL, &spans, &plan->exchange,
			    &group->detail);
}

/* The matrix decides the plan; this rank knows its own row of it. */
static bool may_go_by(const struct call *call, const struct group_plan *plan)
{
	if (call->plan)
		return plan == call->plan;
	return plan->made && plan->wired &&
	       !memcmp(&plan->own, &call->mine.rows, sizeof(plan->own));
}

static int take_exchanges(struct call *call)
{
	int status = LIQUID_OK;

	for (int i = 0; i < GROUP_PLANS && !status; i++) {
		struct group_plan *plan = &call->group->plan[i];

		if (!plan->exchange && may_go_by(call, plan))
			status = take_exchange(call, plan);
	}
	return status;
}

/*
 * Make memory ready, if there is a wire: all that can be missing on this rank alone is taken before
 * ranks agree. Without a plan small messages are not worth it.
 */
static void question_prepare(struct call *call)
{
	const struct messages *messages = &call->messages;
	struct group *group = call->group;
	struct wiring *wiring = &group->wiring;
	int status = LIQUID_OK;

	if (call->mine.cannot || !wiring->wire ||
	    (!call->plan && messages->longest < process.env.min_bytes))
		return;
	if (!call->prepared)
		status = wiring->ops->prepare(wiring->wire, messages->far_out, messages->far_in,
					      group->epoch + 1, &group->detail);
	call->prepared = true;
	if (!status)
		status = take_exchanges(call);
	if (!status)
		return;
	question_unprepare(call);
	call->mine.cannot = cannot_say(status == LIQUID_NO_MEMORY ? CANNOT_MEMORY :
				       CANNOT_REGISTER, group->rank);
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
	call->mine.ask_ns = (uint64_t)group->ask_ns;
	call->mine.ns = (uint64_t)group->untold.ns;
	call->state = STATE_ANSWER;
	group->said = call->mine;
	return agree_start(group->agree, &group->said, &group->heard, group->comm, &call->request);
}

/* An earlier communicator has shown that the wire that is about to be opened carries nothing. */
static bool is_broken(const struct group *group)
{
	const struct wire_ops *ops = group->wiring.ops;

	return group->env->wire == ENV_WIRE_AUTO && ops->is_broken && ops->is_broken();
}

int question_ask(struct call *call)
{
	call->asked = clock_ns(CLOCK_MONOTONIC);
	if (!call->filled)
		question_fill(call);
	call->mine.rewire = lacks_wire(call);
	if (!call->mine.rewire)
		question_prepare(call);
	else if (!call->mine.cannot && is_broken(call->group))
		call->mine.cannot = cannot_say(CANNOT_BROKEN, call->group->rank);
	call->mine.unprepared = !call->prepared;
	call->asked_plan = call->plan != NULL;
	call->spent += clock_ns(CLOCK_MONOTONIC) - call->asked;
	return send_question(call);
}

int question_ask_nothing(struct call *call)
{
	call->asked = clock_ns(CLOCK_MONOTONIC);
	return send_question(call);
}
