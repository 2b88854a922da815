// SPDX-License-Identifier: GPL-2.0-only
/* The upload of a slice to the kernel: destinations, transaction, commit, and undo. */
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "gate/device.h"
#include "gate/label.h"
#include "push/push.h"

int push_base_time(const struct push_args *args, uint64_t cycle, int64_t *base)
{
	*base = args->base_ns;
	if (!args->base_relative)
		return EXIT_OK;
	if (!base_time_after(clock_ns(CLOCK_TAI), args->base_ns, cycle, base))
		return complain(EXIT_BAD_INPUT, "the base time is out of range");
	return EXIT_OK;
}

static void describe_label(struct push *push)
{
	const char *label = push->args.label ? push->args.label : "";

	if (push->args.stay)
		label_with_digest(push->sched.label, label, push->plan.digest);
	else
		snprintf(push->sched.label, sizeof(push->sched.label), "%s", label);
	if (*push->sched.label)
		push->sched.present |= 1ULL << LIQUID_SCHED_A_LABEL;
}

void push_describe(struct push *push)
{
	const struct push_args *args = &push->args;

	push->sched = (struct gate_sched){
		.present = 1ULL << LIQUID_SCHED_A_FRAME_NS | 1ULL << LIQUID_SCHED_A_GUARD_NS |
			   1ULL << LIQUID_SCHED_A_FRAMES | 1ULL << LIQUID_SCHED_A_CYCLES |
			   1ULL << LIQUID_SCHED_A_THEN,
		.frame_ns = args->frame_ns / push->plan.parts, .guard_ns = push->check.guard_ns,
		.frames = push->plan.frames * push->plan.parts,
		.cycles = args->cycles, .then = args->then, .user = args->user,
	};
	if (args->user != PUSH_NO_USER)
		push->sched.present |= 1ULL << LIQUID_SCHED_A_USER;
	describe_label(push);
}

int push_number_runs(struct push *push)
{
	const struct push_plan *plan = &push->plan;

	for (size_t i = 0; i < plan->runs.count; i++) {
		const struct gate_run *run = &plan->runs.run[i];
		uint32_t id = run->dest == LIQUID_NONE ? LIQUID_NONE : plan->dests[run->dest].id;

		if (!gate_runs_append(&push->runs, id, run->run))
			return complain(EXIT_IO, "out of memory");
	}
	return EXIT_OK;
}

/* Compute the guard and the ids, which depend on the state of the gate. */
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
		status = push_check_lag(&push->args, &gate, &push->check, &err);
	if (!code && !status)
		status = dest_ids_assign(push->plan.dests, push->plan.names, push->plan.count,
					 &present, &push->changes, &err);
	gate_dests_clear(&present);
	if (status)
		return complain_of(status, &err);
	return code ? code : push_number_runs(push);
}

/* Undo the changes after a refusal; its reason stays in nl->text. */
void push_undo(struct push *push)
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

static int stage(struct push *push)
{
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
		status = gate_sched_entries(nl, push->ifindex, &push->runs);
	return status;
}

int push_open(struct push *push)
{
	return open_gate(push->args.device, &push->nl, &push->ifindex);
}

int push_stage(struct push *push)
{
	int code = prepare(push);

	if (code)
		return code;
	push_describe(push);
	if (!stage(push))
		return EXIT_OK;
	push_undo(push);
	return refused(&push->nl, push->args.device);
}

/* The kernel's refusal cannot name its own offset, so print it here. */
static void tell_tai_offset(const struct push *push)
{
	struct timex timex = { 0 };

	if (adjtimex(&timex) < 0 || timex.tai == push->args.tai_offset)
		return;
	complain(0, "the kernel's TAI - UTC offset is %d s, and %d s is wanted (--tai-offset): "
		 "see `liquid-nl clock` for how to set it", timex.tai, push->args.tai_offset);
}

int push_commit(struct push *push)
{
	if (gate_sched_commit(&push->nl, push->ifindex, push->sched.base_time,
			      push->args.tai_offset, push->args.replace,
			      push->args.lease_ns)) {
		push_undo(push);
		tell_tai_offset(push);
		return refused(&push->nl, push->args.device);
	}
	pass_warning(&push->nl, push->args.device);
	return EXIT_OK;
}

void push_clear(struct push *push)
{
	dest_changes_clear(&push->changes);
	gate_runs_clear(&push->runs);
	push_plan_clear(&push->plan);
	addr_map_clear(&push->args.map);
}
