// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl push: give a node's gate its slice of a schedule, all of it or nothing. */
#include "cmd/cmd.h"
#include "push/push.h"

/* ---- without the kernel ---- */

static int dry_run(struct push *push)
{
	static const struct gate_dests none;
	/* The defaults of attach, for Ethernet */
	const struct gate_options options = {
		.overhead = 24, .mpu = 84, .policy = LIQUID_POLICY_SHARE, .reserve = 50,
		.control = 20,
	};
	uint64_t unit = push->args.unit_bps ? push->args.unit_bps : push->plan.link_rate_bps;
	uint64_t rate = push->args.rate_bps;
	struct liquid_error err;
	int status, code;

	if (!rate)
		rate = unit * (push->plan.capacity ? push->plan.capacity : 1);
	if (!rate)
		return complain(EXIT_BAD_INPUT,
				"the schedule does not state the link's rate: state it by "
				"--rate or --unit-rate");
	status = push_check(&push->args, &push->plan, &options, rate, &push->check, &err);
	if (!status)
		status = dest_ids_assign(push->plan.dests, push->plan.names, push->plan.count,
					 &none, &push->changes, &err);
	if (status)
		return complain_of(status, &err);
	code = push_number_runs(push);
	if (code)
		return code;
	push_describe(push);
	return push_base_time(&push->args, push->args.frame_ns * push->plan.frames,
			      &push->sched.base_time);
}

/* ---- with the kernel ---- */

static int upload(struct push *push)
{
	int code = push_stage(push);

	if (code)
		return code;
	/* Computed after the upload, so that its time is not lost from a small +NS. */
	code = push_base_time(&push->args, push->args.frame_ns * push->plan.frames,
			      &push->sched.base_time);
	if (code) {
		push_undo(push);
		return code;
	}
	return push_commit(push);
}

static int print_pushed(struct push *push)
{
	push->sched.present |= 1ULL << LIQUID_SCHED_A_BASE_TIME;
	return push_print(push);
}

static int push_to_kernel(struct push *push)
{
	sigset_t signals;
	int code = push_open(push);

	if (code)
		return code;
	if (push->args.stay)
		push_stay_begin(&signals);
	code = upload(push);
	if (!code)
		code = print_pushed(push);
	if (!code && push->args.stay)
		code = push_stay(push, &signals);
	netlink_close(&push->nl);
	return code;
}

static int push_nowhere(struct push *push)
{
	int code = dry_run(push);

	return code ? code : print_pushed(push);
}

static int run_push(int argc, char **argv)
{
	struct push push = { 0 };
	struct liquid_error err;
	int status, code = push_parse(argc, argv, &push.args);

	if (!code) {
		status = push_plan_read(&push.args, &push.plan, &err);
		if (status)
			code = complain_of(status, &err);
	}
	if (!code)
		code = push.args.dry_run ? push_nowhere(&push) : push_to_kernel(&push);
	push_clear(&push);
	return code;
}

const struct command cmd_push = {
	"push", "give a gate its node's slice of a schedule", push_opts, run_push, NULL, NULL
};
