// SPDX-License-Identifier: GPL-2.0-only
/*
 * push --stay: keep a pushed schedule's lease until a signal comes, then open the gate
 *
 * A gate outlives its keeper by the lease at most. The keeper cares for its own schedule alone:
 * when another one has taken the gate, its lease is not renewed and it is not cleared from here.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "util/command.h"
#include "gate/device.h"
#include "push/push.h"

#define RENEWALS 3		/* per lease: a renewal may be two thirds of the lease late */
#define SECOND_NS UINT64_C(1000000000)

/* Blocked from before the commit on, so that no signal finds a gate without its keeper */
void push_stay_begin(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
	sigprocmask(SIG_BLOCK, signals, NULL);
}

static bool same(const struct gate_sched *ours, const struct gate_sched *other)
{
	return other->present && other->base_time == ours->base_time &&
	       other->frame_ns == ours->frame_ns && other->frames == ours->frames;
}

/* EXIT_OK: the gate has our schedule, in force or waiting */
static int still_ours(struct push *push)
{
	const char *device = push->args.device;
	struct gate gate;

	if (gate_get(&push->nl, push->ifindex, &gate))
		return refused(&push->nl, device);
	if (same(&push->sched, &gate.oper) || same(&push->sched, &gate.admin))
		return EXIT_OK;
	return complain(EXIT_REFUSED, "%s: %s", device, gate.oper.present || gate.admin.present ?
			"another schedule has taken the gate" :
			"the gate has been opened: its schedule is gone");
}

static int open_it(struct push *push)
{
	int code = still_ours(push);

	if (!code && gate_sched_clear(&push->nl, push->ifindex))
		code = refused(&push->nl, push->args.device);
	return code;
}

int push_stay(struct push *push, const sigset_t *signals)
{
	uint64_t pause = push->args.lease_ns / RENEWALS;
	struct timespec wait = {
		.tv_sec = (time_t)(pause / SECOND_NS), .tv_nsec = (long)(pause % SECOND_NS),
	};
	int code = fflush(stdout) ? stdout_lost() : EXIT_OK;

	while (!code) {
		if (sigtimedwait(signals, NULL, &wait) > 0)
			return open_it(push);
		if (errno != EAGAIN)
			continue;
		code = still_ours(push);
		if (!code && gate_lease_renew(&push->nl, push->ifindex, 0))
			code = refused(&push->nl, push->args.device);
	}
	return code;
}
