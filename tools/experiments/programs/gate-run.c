// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate-run: a run of a plan on the clock of a gate, for transfers that the gate does not see
 *
 *	gate-run DEVICE FABRIC SCHEDULE HOST EPOCHS
 *
 * Goes EPOCHS times through HOST's part of the schedule that the gate of DEVICE is to have in
 * force, and prints "ready" once it listens. Base time and length of a frame are the gate's
 * (GATE_GET). An event says that they may have changed, or that the gate is open, and
 * CLOCK_MONOTONIC that the clock was set, of which the gate tells some ms later. Then the rest of
 * the epoch goes in order, and the next one begins with the next cycle of the gate. Verbs that
 * bypass the kernel keep to the frames of a gated node this way.
 *
 * A piece here is a look at the gate: is it in the piece's frame? in_order are those after a clock
 * was lost. Prints one line of results.
 * Returns 0 if it was, each time; gives up after 30 s without a schedule in force.
 */
#include <errno.h>
#include <inttypes.h>
#include <liquidsched.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/gate.h"

#define SECOND		1000000000LL
#define PATIENCE_NS	(30 * SECOND)
#define STEP_NS		1000000LL	/* a clock that differs by more was set */

struct follower {
	struct netlink requests, events;
	uint32_t ifindex;
	struct liquid_plan *plan;
	uint32_t rank;
	struct liquid_run *run;		/* NULL: what the gate has in force is not known */
	struct gate_sched clock;	/* what the run was made for */
	int64_t offset;			/* clock_offset() then, ns */
	bool stale;			/* it may have changed since */
	bool lost;			/* it has: the epoch goes on in order */
	uint64_t epochs, in_frame, in_order, outside, changes;
};

static void __attribute__((noreturn)) fail(const char *text)
{
	fprintf(stderr, "gate-run: %s\n", text);
	exit(2);
}

static void check(int status, const char *text)
{
	if (status)
		fail(text);
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

static int64_t now_tai(void)
{
	return read_clock(CLOCK_TAI);
}

/* CLOCK_TAI minus CLOCK_MONOTONIC */
static int64_t clock_offset(void)
{
	return now_tai() - read_clock(CLOCK_MONOTONIC);
}

/* ---- the gate ---- */

static void read_gate(struct follower *f, struct gate *gate)
{
	memset(gate, 0, sizeof(*gate));
	check(gate_get(&f->requests, f->ifindex, gate), f->requests.text);
}

static int take_event(const struct nlmsghdr *nlh, void *context)
{
	struct follower *f = context;
	struct gate_event event = { 0 };
	int status = gate_take_event(nlh, &event);

	if (!status && event.ifindex == f->ifindex)
		f->stale |= event.kind == LIQUID_EVENT_OPER || event.kind == LIQUID_EVENT_ENDED ||
			    event.kind == LIQUID_EVENT_LEASE_EXPIRED;
	return status;
}

/* Sleep until @until (ns of CLOCK_TAI), or until an event comes. A lost event counts as one. */
static void sleep_until(struct follower *f, int64_t until)
{
	struct pollfd news = { .fd = mnl_socket_get_fd(f->events.socket), .events = POLLIN };
	int64_t now = now_tai(), left = until > now ? until - now : 0;
	struct timespec time = { left / SECOND, left % SECOND };
	int status;

	if (ppoll(&news, 1, &time, NULL) <= 0) {
		f->stale |= llabs(clock_offset() - f->offset) > STEP_NS;
		return;
	}
	status = gate_events_wait(&f->events, take_event, f);
	if (status == -ENOBUFS)
		f->stale = true;
	else
		check(status, f->events.text);
}

/* ---- the run ---- */

static bool has_schedule(const struct follower *f, const struct gate *gate)
{
	if (!gate->oper.present || gate->state.mode != LIQUID_MODE_GATED)
		return false;
	if (gate->oper.frames != liquid_plan_info(f->plan)->length)
		fail("the gate has a schedule of another length");
	return true;
}

/* Does the gate still follow the clock that the run was made for? */
static bool same_clock(const struct follower *f, const struct gate *gate)
{
	return gate->oper.base_time == f->clock.base_time &&
	       gate->oper.frame_ns == f->clock.frame_ns &&
	       llabs(clock_offset() - f->offset) <= STEP_NS;
}

/* Read the gate until it has a schedule in force, and make a run for its clock. */
static void follow_gate(struct follower *f)
{
	struct liquid_run_options options = { .sync = LIQUID_SYNC_CLOCK };
	int64_t end = now_tai() + PATIENCE_NS;
	struct liquid_error err;
	struct gate gate;

	f->stale = false;
	read_gate(f, &gate);
	while (!has_schedule(f, &gate)) {
		if (now_tai() > end)
			fail("no schedule in force");
		sleep_until(f, now_tai() + SECOND);
		f->stale = false;
		read_gate(f, &gate);
	}
	f->changes += f->run && !same_clock(f, &gate);
	f->clock = gate.oper;
	f->offset = clock_offset();
	options.frame_ns = (int64_t)f->clock.frame_ns;
	liquid_run_free(f->run);
	check(liquid_run_new(f->plan, f->rank, &options, &f->run, &err), err.text);
}

static int64_t next_cycle(const struct gate_sched *clock)
{
	int64_t cycle = (int64_t)clock->frame_ns * clock->frames;
	int64_t since = now_tai() - clock->base_time;

	return clock->base_time + (since < 0 ? 0 : (since / cycle + 1) * cycle);
}

static void send_piece(struct follower *f, uint32_t number)
{
	const struct liquid_piece *piece;
	struct gate gate;
	uint32_t count;

	piece = &liquid_plan_pieces(f->plan, f->rank, &count)[number];
	read_gate(f, &gate);
	f->stale |= !f->lost && !same_clock(f, &gate);	/* its event is on the way */
	if (f->lost || f->stale)
		f->in_order++;
	else if (gate.state.frame == piece->frame)
		f->in_frame++;
	else
		f->outside++;
	liquid_run_left(f->run, number, &count);
}

/* Do the frames of the run mean nothing any more? */
static void look_at_gate(struct follower *f)
{
	struct gate gate;

	f->stale = false;
	read_gate(f, &gate);
	f->lost = !has_schedule(f, &gate) || !same_clock(f, &gate);
	if (f->lost)
		liquid_run_clock_lost(f->run);
}

/*
 * One epoch. Events are looked for before each piece: after a step of the clock all pieces that are
 * left would be due.
 */
static void go_through(struct follower *f)
{
	struct liquid_next next = { .until_ns = 0 };
	struct liquid_error err;

	f->lost = false;
	check(liquid_run_begin(f->run, next_cycle(&f->clock), &err), err.text);
	for (;;) {
		sleep_until(f, next.until_ns);
		if (f->stale && !f->lost)
			look_at_gate(f);
		liquid_run_next(f->run, now_tai(), &next);
		if (next.step == LIQUID_RUN_DONE)
			return;
		if (next.step == LIQUID_RUN_SEND)
			send_piece(f, next.piece);
	}
}

/* ---- set up ---- */

static FILE *open_file(const char *name)
{
	FILE *in = fopen(name, "r");

	if (!in)
		fail(name);
	return in;
}

/* Ranks are the hosts of the fabric. */
static void read_plan(struct follower *f, const char *fabric_name, const char *schedule_name,
		      const char *host)
{
	FILE *in = open_file(fabric_name);
	struct liquid_schedule *schedule;
	struct liquid_fabric *fabric;
	struct liquid_error err;

	check(liquid_fabric_read(in, fabric_name, &fabric, &err), err.text);
	fclose(in);
	in = open_file(schedule_name);
	check(liquid_schedule_read_json(in, schedule_name, fabric, &schedule, &err), err.text);
	fclose(in);
	f->rank = liquid_fabric_find_host(fabric, host);
	check(f->rank == LIQUID_NONE, host);
	check(liquid_plan_make(fabric, schedule, NULL, &f->plan, &err), err.text);
	liquid_schedule_free(schedule);
	liquid_fabric_free(fabric);
}

/* The group is joined before the gate is read, so no change goes unnoticed. */
static void open_gate(struct follower *f, const char *device)
{
	f->ifindex = if_nametoindex(device);
	check(!f->ifindex, device);
	check(gate_open(&f->requests), f->requests.text);
	check(gate_open(&f->events), f->events.text);
	check(gate_events_join(&f->events), f->events.text);
}

int main(int argc, char **argv)
{
	struct follower f = { .stale = true };
	uint64_t epochs;

	if (argc != 6)
		fail("usage: gate-run DEVICE FABRIC SCHEDULE HOST EPOCHS");
	epochs = strtoull(argv[5], NULL, 10);
	read_plan(&f, argv[2], argv[3], argv[4]);
	open_gate(&f, argv[1]);
	puts("ready");
	fflush(stdout);
	follow_gate(&f);
	for (; f.epochs < epochs; f.epochs++) {
		go_through(&f);
		if (f.lost || f.stale)
			follow_gate(&f);
	}
	printf("epochs=%" PRIu64 " in_frame=%" PRIu64 " in_order=%" PRIu64 " outside=%" PRIu64
	       " changes=%" PRIu64 "\n", f.epochs, f.in_frame, f.in_order, f.outside, f.changes);
	return f.outside || !f.in_frame;
}
