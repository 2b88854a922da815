// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl push: give a node's gate its slice of a schedule, all of it or nothing. */
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "device.h"
#include "push.h"

struct push {
	struct push_args args;
	struct push_plan plan;
	struct push_check check;
	struct gate_sched sched;
	struct dest_changes changes;
	struct netlink nl;
	uint32_t ifindex;
	size_t added, changed;		/* of changes, already in the kernel */
};

static int bad_input(int status, const struct liquid_error *err)
{
	return complain(exit_code_of(status), "%s", err->text);
}

static int find_base_time(const struct push_args *args, uint64_t cycle, int64_t *base)
{
	struct timespec now;

	*base = args->base_ns;
	if (!args->base_relative)
		return EXIT_OK;
	if (clock_gettime(CLOCK_TAI, &now))
		return complain(EXIT_REFUSED, "CLOCK_TAI cannot be read");
	if (!base_time_after(now.tv_sec * 1000000000LL + now.tv_nsec, args->base_ns, cycle, base))
		return complain(EXIT_BAD_INPUT, "the base time lies beyond what a clock can show");
	return EXIT_OK;
}

static void describe_sched(struct push *push)
{
	const struct push_args *args = &push->args;

	push->sched = (struct gate_sched){
		.present = 1ULL << LIQUID_SCHED_A_FRAME_NS | 1ULL << LIQUID_SCHED_A_GUARD_NS |
			   1ULL << LIQUID_SCHED_A_FRAMES | 1ULL << LIQUID_SCHED_A_CYCLES |
			   1ULL << LIQUID_SCHED_A_THEN,
		.frame_ns = args->frame_ns, .guard_ns = push->check.guard_ns,
		.frames = push->plan.frames, .cycles = args->cycles, .then = args->then,
	};
}

/* Plan's runs name destinations by their place among plan->dests; the wire wants ids. */
static void number_runs(struct gate_runs *runs, const struct gate_dest *dests)
{
	for (size_t i = 0; i < runs->count; i++)
		if (runs->run[i].dest != LIQUID_NONE)
			runs->run[i].dest = dests[runs->run[i].dest].id;
}

/* ---- without the kernel ---- */

static int dry_run(struct push *push)
{
	static const struct gate_dests none;
	/* What attach does where nothing else is said, for Ethernet. */
	const struct gate_options options = {
		.overhead = 24, .mpu = 84, .policy = LIQUID_POLICY_SHARE, .reserve = 50, .control = 20,
	};
	uint64_t rate = push->args.rate_bps ? push->args.rate_bps : push->plan.link_rate_bps;
	struct liquid_error err;
	int status;

	if (!rate)
		return complain(EXIT_BAD_INPUT,
				"the link's rate is not known: the schedule does not "
				"state it; --rate does");
	status = push_check(&push->args, &push->plan, &options, rate, &push->check, &err);
	if (!status)
		status = dest_ids_assign(push->plan.dests, push->plan.names, push->plan.count,
					 &none, &push->changes, &err);
	if (status)
		return bad_input(status, &err);
	number_runs(&push->plan.runs, push->plan.dests);
	describe_sched(push);
	return find_base_time(&push->args, push->args.frame_ns * push->plan.frames,
			      &push->sched.base_time);
}

/* ---- with it ---- */

/* What the gate is like decides the guard and the ids. */
static int prepare(struct push *push)
{
	struct gate_dests present = { 0 };
	struct liquid_error err;
	struct gate gate;
	int status, code = EXIT_OK;

	if (gate_get(&push->nl, push->ifindex, &gate) ||
	    gate_dest_dump(&push->nl, push->ifindex, &present)) {
		gate_dests_clear(&present);
		return refused(&push->nl, push->args.device);
	}
	if (!gate.state.link_rate_bps)
		code = complain(EXIT_REFUSED, "%s: the rate of its link is not known; "
				"`liquid-nl set %s --rate` states it", push->args.device,
				push->args.device);
	status = code ? 0 : push_check(&push->args, &push->plan, &gate.options,
				       gate.state.link_rate_bps, &push->check, &err);
	if (!code && !status)
		status = dest_ids_assign(push->plan.dests, push->plan.names, push->plan.count,
					 &present, &push->changes, &err);
	gate_dests_clear(&present);
	if (status)
		return bad_input(status, &err);
	if (!code)
		number_runs(&push->plan.runs, push->plan.dests);
	return code;
}

/* Take back what was set before a refusal; the reason of the refusal stays in nl->text. */
static void undo(struct push *push)
{
	char reason[sizeof(push->nl.text)];
	size_t done;

	memcpy(reason, push->nl.text, sizeof(reason));

	(void)gate_sched_abort(&push->nl, push->ifindex);
	if (gate_dest_del(&push->nl, push->ifindex, push->changes.fresh, push->added) ||
	    gate_dest_set(&push->nl, push->ifindex, push->changes.former, push->changed, &done))
		complain(0,
			 "%s: destinations that were added before the refusal below could not be "
			 "removed: %s", push->args.device, push->nl.text);
	memcpy(push->nl.text, reason, sizeof(reason));
}

static int transact(struct push *push, int *code)
{
	const struct push_args *args = &push->args;
	const struct dest_changes *changes = &push->changes;
	struct netlink *nl = &push->nl;
	int status;

	status = gate_dest_set(nl, push->ifindex, changes->fresh, changes->fresh_count,
			       &push->added);
	if (!status)
		status = gate_dest_set(nl, push->ifindex, changes->changed, changes->changed_count,
				       &push->changed);
	if (!status)
		status = gate_sched_begin(nl, push->ifindex, &push->sched);
	if (!status)
		status = gate_sched_entries(nl, push->ifindex, &push->plan.runs);
	if (status)
		return status;
	/* As late as possible, so that the upload's time is not lost from a small +NS. */
	*code = find_base_time(args, args->frame_ns * push->plan.frames, &push->sched.base_time);
	if (*code)
		return -1;
	return gate_sched_commit(nl, push->ifindex, push->sched.base_time, args->tai_offset,
				 args->replace);
}

static int upload(struct push *push)
{
	int status, code = prepare(push);

	if (code)
		return code;
	describe_sched(push);
	status = transact(push, &code);
	if (status) {
		undo(push);
		return code ? code : refused(&push->nl, push->args.device);
	}
	pass_warning(&push->nl, push->args.device);
	return EXIT_OK;
}

static int push_to_kernel(struct push *push)
{
	int code = find_device(push->args.device, &push->ifindex);

	if (code)
		return code;
	if (gate_open(&push->nl))
		return refused(&push->nl, push->args.device);
	code = upload(push);
	netlink_close(&push->nl);
	return code;
}

int cmd_push(int argc, char **argv)
{
	struct push push = { 0 };
	struct liquid_error err;
	int status, code = push_parse(argc, argv, &push.args);

	if (!code) {
		status = push_plan_read(&push.args, &push.plan, &err);
		if (status)
			code = bad_input(status, &err);
	}
	if (!code)
		code = push.args.dry_run ? dry_run(&push) : push_to_kernel(&push);
	if (!code) {
		push.sched.present |= 1ULL << LIQUID_SCHED_A_BASE_TIME;
		code = push_print(&push.args, &push.plan, &push.check, &push.sched);
	}
	dest_changes_clear(&push.changes);
	push_plan_clear(&push.plan);
	addr_map_clear(&push.args.map);
	return code;
}
