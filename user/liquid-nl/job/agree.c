// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node's way through a round
 *
 * 1. Prepare, stage, say "ready".
 * 2. When all are ready with one schedule: release, that is commit at a base time far enough ahead.
 * 3. Commit, say "committed".
 * 4. When all have committed: go, that is keep.
 *
 * A failure before the release aborts the round, and the kernel drops staged schedules when the
 * socket is closed. A failure after it cancels the round, no later than a quarter of the lead
 * before the base time, and every node clears the schedule that waits for that time.
 *
 * A node whose decision is not taken does not gate. It need not inform the others: they gate only
 * if this node has said its next word, and it says none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "gate/device.h"
#include "gate/options.h"
#include "job/agree.h"
#include "util/say.h"

#define LAST_LOOK_NS 250000000L

/* ---- stage ---- */

const struct rail *agreement_sender(const struct agreement *agreement)
{
	for (size_t i = 0; i < agreement->rails; i++)
		if (!agreement->rail[i].idle)
			return &agreement->rail[i];
	return NULL;
}

/* A name that is too long is cut: the label is for people, and it decides nothing. */
static void make_label(struct agreement *agreement, size_t rail)
{
	char *label = agreement->rail[rail].label;
	const char *job = agreement->args->job, *round = agreement->spec.round;

	if (agreement->rails > 1)
		snprintf(label, LIQUID_LABEL_MAX + 1, "job=%.22s round=%.22s rail=%zu", job, round,
			 rail + 1);
	else
		snprintf(label, LIQUID_LABEL_MAX + 1, "job=%.26s round=%.26s", job, round);
}

static void fill_push(struct agreement *agreement, struct rail *rail, const char *device)
{
	const struct job_spec *spec = &agreement->spec;
	const struct conf *conf = &agreement->args->conf;

	rail->push.args = (struct push_args){
		.label = rail->label, .user = (uint32_t)agreement->args->user,
		.device = device, .node = agreement->args->node, .frame_ns = spec->frame_ns,
		.guard_ns = spec->guard_ns, .guard_given = spec->guard_given,
		.max_packet = (uint32_t)conf->max_packet,
		.terms = { conf->clock_error_ns, conf->release_lag_ns, (uint32_t)conf->hops },
		.force = conf->force_guard == CONF_YES,
		.replace = agreement->replace, .lease_ns = job_lease_ns(agreement->args),
	};
}

/*
 * Apply select and policy of liquid.conf. A gate that rests because an earlier job switched it off
 * is switched on again. Later rounds of a job change neither: this job may have switched it off.
 */
static int select_traffic(const struct agreement *agreement, struct push *push)
{
	const struct conf *conf = &agreement->args->conf;
	const char *select = conf->select, *policy = conf->policy;
	struct gate_options options = { 0 };
	struct gate gate;

	if (agreement->replace)
		return EXIT_OK;
	if (gate_get(&push->nl, push->ifindex, &gate))
		return refused(&push->nl, push->args.device);
	if (gate_rests(&gate.options)) {
		select = select ? select : "all";
		policy = policy ? policy : "share";
	}
	if (select)
		parse_select(select, &options);
	if (policy)
		parse_policy(policy, &options);
	if (!options.present || !gate_set(&push->nl, push->ifindex, &options))
		return EXIT_OK;
	return refused(&push->nl, push->args.device);
}

static int stage_rail(const struct agreement *agreement, struct rail *rail)
{
	struct push *push = &rail->push;
	int code = push_open(push);

	if (code)
		return code;
	code = select_traffic(agreement, push);
	if (!code)
		code = push_stage(push);
	if (code)
		netlink_close(&push->nl);
	rail->open = !code;
	for (unsigned int i = 0; !code && i < push->check.warning_count; i++)
		complain(0, "%s: warning: %s", push->args.device, push->check.warning[i]);
	return code;
}

/* If one rail cannot be staged, job_agree() undoes the others. */
static int stage(struct agreement *agreement)
{
	const struct job_args *args = agreement->args;
	const struct conf_device *device = conf_devices_of(&args->conf, args->node);
	int code = EXIT_OK;

	if (!device)
		return complain(EXIT_BAD_INPUT, "%s: no device for node '%s'", args->conf_path,
				args->node);
	if (device->count != agreement->rails)
		return complain(EXIT_BAD_INPUT, "%s names %zu devices for node '%s', and its "
				"schedule is for %zu ports of it", args->conf_path, device->count,
				args->node, agreement->rails);
	for (size_t i = 0; !code && i < agreement->rails; i++) {
		struct rail *rail = &agreement->rail[i];

		make_label(agreement, i);
		fill_push(agreement, rail, device->name[i]);
		if (!rail->idle && !args->dry_run)
			code = stage_rail(agreement, rail);
	}
	return code;
}

/* ---- release: commit or abort ---- */

/* All nodes are ready: decide to commit, with a base time. False: the decision failed. */
static bool release(struct agreement *agreement)
{
	const struct job_spec *spec = &agreement->spec;
	struct record_decision decision = {
		.positive = true, .base_given = true, .tai_offset = agreement->clock.tai_offset,
	};
	uint64_t cycle = agreement_sender(agreement)->push.plan.frames * spec->frame_ns;
	int64_t base;

	if (!base_time_after(clock_ns(CLOCK_TAI), spec->lead_ns, cycle, &base))
		return decide_against(agreement, RECORD_RELEASE, CAUSE_CLOCK,
				      "the time of the clock is out of range");
	strcpy(decision.digest, agreement->digest);
	decision.base_ns = base;
	return decide(agreement, RECORD_RELEASE, &decision);
}

static bool abort_late(struct agreement *agreement)
{
	char text[512];

	tell_count(agreement, RECORD_READY, "were ready", text, sizeof(text));
	return decide_against(agreement, RECORD_RELEASE, CAUSE_LATE, "%s", text);
}

/*
 * False: this node need not wait for the release any longer. An idle node never releases, because
 * it does not know the number of frames, on which the base time depends.
 */
static bool consider_release(struct agreement *agreement)
{
	const char *other;
	enum word word = all_said(agreement, RECORD_READY, &other);

	if (word == WORD_OTHER) {
		decide_against(agreement, RECORD_RELEASE, CAUSE_DIFFERS,
			       "node %s has another schedule", other);
		return false;
	}
	if (word == WORD_SAME && agreement_sender(agreement))
		return release(agreement);
	return true;
}

static bool take_release(struct agreement *agreement, const struct record_decision *release)
{
	if (!release->positive) {
		tell_against(agreement, RECORD_RELEASE, release->node, release->reason);
		return false;
	}
	if (!release->base_given || release->base_ns < 0 ||
	    strcmp(release->digest, agreement->digest))
		return false;
	agreement->base_ns = release->base_ns;
	agreement->tai_offset = release->tai_offset;
	snprintf(agreement->releaser, sizeof(agreement->releaser), "%s", release->node);
	return true;
}

enum look { LOOK_NOTHING, LOOK_YES, LOOK_NO };

static enum look look_for_release(struct agreement *agreement)
{
	struct record_decision release;

	if (!record_get_decision(&agreement->args->store, RECORD_RELEASE, agreement->spec.round,
				 &release))
		return LOOK_NOTHING;
	return take_release(agreement, &release) ? LOOK_YES : LOOK_NO;
}

/* LOOK_NOTHING: the node gives up without having seen a verdict. */
static enum look await_release(struct agreement *agreement)
{
	enum look look = LOOK_NOTHING;

	await_next(agreement);
	for (;;) {
		if (job_is_over(agreement)) {
			decide_against(agreement, RECORD_RELEASE, CAUSE_ENDED, "the job has ended");
			return LOOK_NO;
		}
		look = look_for_release(agreement);
		if (look != LOOK_NOTHING)
			return look;
		if (is_late(agreement))
			return abort_late(agreement) ? look_for_release(agreement) : LOOK_NOTHING;
		if (!consider_release(agreement))
			return LOOK_NOTHING;
		nap(agreement, agreement->deadline_ns - clock_ns(CLOCK_MONOTONIC) + 1000000);
	}
}

/* ---- go: keep or cancel ---- */

/* With another offset than the base time's, this node's frames would be whole seconds off. */
static bool same_offset(struct agreement *agreement)
{
	int32_t own = agreement->clock.tai_offset;

	if (own == agreement->tai_offset)
		return true;
	decide_against(agreement, RECORD_GO, CAUSE_CLOCK, "the kernel's TAI - UTC offset is %d s "
		       "here, and %" PRId64 " s on node %s: a job's nodes need the same "
		       "(`liquid-nl clock`)", own, agreement->tai_offset, agreement->releaser);
	if (agreement->replace)
		job_clear_gate(agreement->args);
	return false;
}

/* From now on the caller waits until the base time, and opens the gate if this worker hangs. */
static void tell_caller(const struct agreement *agreement)
{
	struct job_bound *bound = agreement->args->run.bound;
	int64_t left = agreement->base_ns - clock_ns(CLOCK_TAI) + LAST_LOOK_NS;
	int64_t until = clock_ns(CLOCK_MONOTONIC) + left;

	if (!bound)
		return;
	atomic_store(&bound->base_ns, agreement->base_ns);
	if (until > atomic_load(&bound->until_ns))
		atomic_store(&bound->until_ns, until);
}

/* The last quarter of the lead is kept free, so that all nodes can learn of a cancel in time. */
static bool in_last_quarter(const struct agreement *agreement)
{
	return clock_ns(CLOCK_TAI) > agreement->base_ns - (int64_t)(agreement->spec.lead_ns / 4);
}

static void close_rail(struct rail *rail)
{
	netlink_close(&rail->push.nl);
	rail->open = false;
}

/* Another rail cannot commit the schedule of this one. */
static void withdraw(struct rail *rail)
{
	if (gate_sched_clear(&rail->push.nl, rail->push.ifindex))
		refused(&rail->push.nl, rail->push.args.device);
}

/* All rails or none; rails that were not tried stay staged, for job_agree() to undo. */
static int commit_rails(struct agreement *agreement)
{
	size_t tried = 0;
	int code = EXIT_OK;

	for (; !code && tried < agreement->rails; tried++) {
		struct rail *rail = &agreement->rail[tried];

		rail->push.sched.base_time = agreement->base_ns;
		rail->push.args.tai_offset = (int32_t)agreement->tai_offset;
		if (rail->open)
			code = push_commit(&rail->push);
	}
	for (size_t i = 0; i < tried; i++) {
		if (!agreement->rail[i].open)
			continue;
		if (code && i < tried - 1)
			withdraw(&agreement->rail[i]);
		close_rail(&agreement->rail[i]);
	}
	return code;
}

static int commit(struct agreement *agreement)
{
	if (in_last_quarter(agreement))
		return complain(EXIT_BAD_INPUT, "this node learned the start time in the last "
				"quarter of `lead`: that is too short, or the network slow");
	tell_caller(agreement);
	return commit_rails(agreement);
}

static void consider_go(struct agreement *agreement)
{
	bool late = in_last_quarter(agreement);
	const char *other;
	char text[512];
	enum word word = WORD_MISSING;

	if (!agreement->cancelled)
		word = all_said(agreement, RECORD_COMMITTED, &other);
	if (late && !agreement->cancelled) {
		if (word == WORD_SAME)
			strcpy(text, "all nodes had committed, but it was too late to keep");
		else
			tell_count(agreement, RECORD_COMMITTED, "had committed", text,
				   sizeof(text));
		decide_against(agreement, RECORD_GO, CAUSE_LATE, "%s", text);
		agreement->cancelled = true;
	} else if (word == WORD_SAME) {
		decide(agreement, RECORD_GO, &(struct record_decision){ .positive = true });
	}
}

static enum look look_for_go(const struct agreement *agreement)
{
	struct record_decision go;

	if (!record_get_decision(&agreement->args->store, RECORD_GO, agreement->spec.round, &go))
		return LOOK_NOTHING;
	if (!go.positive)
		tell_against(agreement, RECORD_GO, go.node, go.reason);
	return go.positive ? LOOK_YES : LOOK_NO;
}

/*
 * Without a verdict the node gives up at the base time. It looks once more at that time, because it
 * may have slept while the others decided to keep.
 */
static bool await_go(struct agreement *agreement)
{
	enum look look = LOOK_NOTHING;
	bool over = false;

	await_next(agreement);
	while (look == LOOK_NOTHING && !over) {
		if (job_is_over(agreement)) {
			decide_against(agreement, RECORD_GO, CAUSE_ENDED, "the job has ended");
			return false;
		}
		over = clock_ns(CLOCK_TAI) >= agreement->base_ns;
		look = look_for_go(agreement);
		if (look == LOOK_NOTHING && !over) {
			consider_go(agreement);
			nap(agreement, agreement->base_ns - clock_ns(CLOCK_TAI));
		}
	}
	if (look == LOOK_NOTHING)
		agreement->alone = "it saw no verdict until the base time";
	return look == LOOK_YES;
}

/*
 * The prologue lasts until the base time, because a job that begins earlier would send ungated. The
 * wait is computed once, so that a clock that is set meanwhile cannot delay the job.
 */
static void await_base(struct agreement *agreement)
{
	int64_t left = agreement->base_ns - clock_ns(CLOCK_TAI);
	int64_t until = clock_ns(CLOCK_MONOTONIC) + left;

	while (clock_ns(CLOCK_MONOTONIC) < until && !job_is_over(agreement))
		nap(agreement, until - clock_ns(CLOCK_MONOTONIC));
}

/* ---- a round ---- */

/* The reason is the last line on stderr after @since, or else @otherwise. */
static void give_up(struct agreement *agreement, enum record record, const char *cause,
		    off_t since, const char *otherwise)
{
	char reason[900];

	decide_against(agreement, record, cause, "%s",
		       job_said_since(since, reason, sizeof(reason)) ? reason : otherwise);
}

/* Open the gate without a verdict. The others may have seen one, and gate. */
static void open_alone(const struct agreement *agreement)
{
	const struct job_args *args = agreement->args;

	job_clear_gate(args);
	complain(0, "node %s: opens its gate: %s", args->node, agreement->alone);
	job_tell_open(args, agreement->spec.round, agreement->alone);
}

static enum outcome commit_and_follow(struct agreement *agreement)
{
	struct liquid_error err;
	off_t said = job_said();
	bool keep;

	if (guardian_start(agreement) || commit(agreement)) {
		give_up(agreement, RECORD_GO, CAUSE_GATE, said, "the commit failed");
		guardian_dismiss(agreement);
		return OUTCOME_CANCELLED;
	}
	if (say(agreement, RECORD_COMMITTED, &err)) {
		decide_against(agreement, RECORD_GO, CAUSE_STORE, "%.900s", err.text);
		agreement->cancelled = true;
	}
	keep = await_go(agreement);
	if (agreement->alone)
		open_alone(agreement);
	else if (!keep)
		job_clear_gate(agreement->args);
	guardian_dismiss(agreement);
	return keep ? OUTCOME_GATED : OUTCOME_CANCELLED;
}

/* Before the release a service may take its time, and be started anew; after it there is little. */
static void set_patience(const struct agreement *agreement, int64_t ns)
{
	agreement->args->store.backend->patience(&agreement->args->store, ns);
}

/* *@cause: kind of a failure */
static int get_ready(struct agreement *agreement, const char **cause)
{
	int code = job_clock_check(agreement->args, &agreement->clock);

	*cause = CAUSE_CLOCK;
	if (!code) {
		*cause = CAUSE_SCHEDULE;
		code = slice_prepare(agreement);
	}
	if (!code) {
		*cause = CAUSE_GATE;
		code = stage(agreement);
	}
	return code;
}

/* A node that fails need not wait: without its record the others cannot go on. */
static enum outcome agree(struct agreement *agreement)
{
	struct liquid_error err;
	off_t said = job_said();
	const char *cause;
	enum look look;
	int code;

	/* A node that comes too late reports the verdict, and need not solve. */
	if (look_for_release(agreement) != LOOK_NOTHING)
		return OUTCOME_ABORTED;
	code = get_ready(agreement, &cause);
	if (code) {
		give_up(agreement, RECORD_RELEASE, cause, said,
			"the schedule cannot be staged here");
		return OUTCOME_ABORTED;
	}
	set_patience(agreement, agreement->deadline_ns - clock_ns(CLOCK_MONOTONIC));
	if (say(agreement, RECORD_READY, &err)) {
		decide_against(agreement, RECORD_RELEASE, CAUSE_STORE, "%.900s", err.text);
		return OUTCOME_ABORTED;
	}
	set_patience(agreement, (int64_t)agreement->spec.lead_ns / 4);
	look = await_release(agreement);
	if (look == LOOK_YES)
		return same_offset(agreement) ? commit_and_follow(agreement) : OUTCOME_CANCELLED;
	if (look == LOOK_NO || !agreement->replace)
		return OUTCOME_ABORTED;
	/* The others may cancel the round, which opens their gates: open this one too. */
	agreement->alone = "it saw no decision of the round";
	open_alone(agreement);
	return OUTCOME_CANCELLED;
}

static void tell_tcp(const struct agreement *agreement, const struct rail *rail)
{
	if (rail->idle || agreement->args->dry_run)
		return;
	if (agreement->rails > 1)
		put_text("%s:", rail->push.args.device);
	push_print_tcp(&rail->push.check.tcp);
}

/* The node is gated. @replace: it was gated before, so there is no base time to wait for. */
static void begin(struct agreement *agreement, bool replace)
{
	struct job_args *args = agreement->args;

	put_text("job %s: node %s gates by schedule %.12s from %" PRId64 " (round %s)\n", args->job,
		 args->node, agreement->digest, agreement->base_ns, agreement->spec.round);
	for (size_t i = 0; i < agreement->rails; i++) {
		tell_tcp(agreement, &agreement->rail[i]);
		job_sample_plan(args, i, &agreement->rail[i].push, agreement->rail[i].endpoint);
	}
	fflush(stdout);
	args->run.base_ns = agreement->base_ns;
	args->run.clock = agreement->clock;
	/* An idle node has no schedule in the kernel, hence no lease. */
	if (agreement_sender(agreement))
		job_lease_begin(args);
	else
		job_lease_forget(args);
	/* A dry run has no gate that would close at the base time. */
	if (!replace && !args->dry_run)
		await_base(agreement);
}

/*
 * The round's deadline was set by the controller's clock, which may differ from this node's. So it
 * counts only if it comes before the limit of this node's own configuration and of the caller.
 */
static int64_t own_deadline(const struct agreement *agreement)
{
	const struct job_args *args = agreement->args;
	int64_t now = clock_ns(CLOCK_MONOTONIC), most = now + (int64_t)args->conf.deadline_ns;
	int64_t left = agreement->spec.deadline_ns - clock_ns(CLOCK_REALTIME);

	if (args->run.bound && !agreement->replace)
		most = atomic_load(&args->run.bound->until_ns) - (int64_t)args->conf.lead_ns;
	return left < most - now ? now + left : most;
}

static void undo_staged(struct agreement *agreement)
{
	for (size_t i = 0; i < agreement->rails; i++) {
		if (!agreement->rail[i].open)
			continue;
		push_undo(&agreement->rail[i].push);
		close_rail(&agreement->rail[i]);
	}
}

enum outcome job_agree(struct job_args *args, const char *round, bool replace)
{
	struct agreement agreement = { .args = args, .guard_fd = -1, .replace = replace };
	struct liquid_error err;
	enum outcome outcome = OUTCOME_ABORTED;

	if (job_spec_read(&args->store, round, &agreement.spec, &err)) {
		complain(0, "%s", err.text);
		return outcome;
	}
	/* A reroute has left the node out: the schedule of the others does without it. */
	if (!job_spec_has_node(&agreement.spec, args->node)) {
		job_clear_gate(args);
		job_lease_forget(args);
		complain(0, "node %s is not in round %s", args->node, round);
		job_spec_clear(&agreement.spec);
		return OUTCOME_CANCELLED;
	}
	agreement.deadline_ns = own_deadline(&agreement);
	agreement.until = record_get_until(&args->store, args->job);
	agreement.random = (uint64_t)clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 32;
	outcome = agree(&agreement);
	undo_staged(&agreement);
	if (outcome == OUTCOME_CANCELLED)
		job_lease_forget(args);
	else if (outcome == OUTCOME_GATED)
		begin(&agreement, replace);
	for (size_t i = 0; i < agreement.rails; i++)
		push_clear(&agreement.rail[i].push);
	job_spec_clear(&agreement.spec);
	return outcome;
}
