// SPDX-License-Identifier: LGPL-2.1-or-later
/* Bytes and times of a call */
#include "call/account.h"
#include "call/process.h"
#include "settings/clock.h"

/* Bytes of a transfer */
static uint64_t unit_bytes(const struct call *call, const struct group_plan *plan)
{
	return plan->head.unit * (is_matrix(&call->args) ? 1 : call->class);
}

int64_t account_frame_ns(const struct call *call, const struct group_plan *plan)
{
	if (!plan->head.rate)
		return 1;
	return (int64_t)((double)unit_bytes(call, plan) * 8.8e9 / (double)plan->head.rate) + 1;
}

/* Where neither rate nor time are known: what 100 Gb/s carry in 2 us */
#define TAIL_BYTES	25000

/*
 * An agreement takes at least one message, after the one before, for each bit of the number of
 * ranks: that is its time. The first ones take longer, and a piece is more than its
 * tail.
 */
uint64_t account_tail_bytes(const struct call *call)
{
	const struct group *group = call->group;
	unsigned int messages = 32 - (unsigned int)__builtin_clz(group->ranks - 1);
	uint64_t half = unit_bytes(call, call->plan) / 2, bytes = TAIL_BYTES;

	if (group->env->tail_bytes != UINT64_MAX)
		return group->env->tail_bytes;
	if (call->plan->head.rate)
		bytes = (uint64_t)((double)group->ask_ns / messages *
				   (double)call->plan->head.rate / 8e9);
	return bytes < half ? bytes : half;
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
	static const char *const name[] = {
		[MODE_AUTO] = "tokens", [MODE_OFF] = "own", [MODE_TOKENS] = "tokens",
		[MODE_CLOCK] = "clock", [MODE_ORDER] = "order", [MODE_SHUFFLE] = "shuffle",
	};

	return way == WAY_OWN ? "own" : name[mode];
}

/* Share of the links' throughput: the time of the plan's frames in the time of the call */
static double share_of(const struct call *call, int64_t ns)
{
	if (call->way == WAY_OWN || !call->plan || !call->plan->head.rate || ns <= 0)
		return 0;
	return (double)call->plan->head.frames * (double)unit_bytes(call, call->plan) * 8e9 /
	       (double)call->plan->head.rate / (double)ns;
}

void account_report(const struct call *call)
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

		line.before_ns = call->exchanging - call->started;
		line.waits = stats->waits;
		line.wait_ns = stats->wait_ns;
		line.timeouts = stats->timeouts;
		line.unsynchronised = stats->unsynchronised;
	}
	report_call(process.report, &line);
}
