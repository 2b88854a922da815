// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node's way through a round
 *
 * prepare, stage, say ready; all ready with one schedule: release (commit at a base time that
 * lies far enough ahead); commit, say committed; all committed: go (keep). Whatever goes wrong
 * before the release aborts it, and what was staged goes with its socket. Whatever goes wrong
 * after it cancels the go, at the latest a quarter of the lead before the base time, and
 * everybody clears what waits for it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock-ns.h"
#include "clock.h"
#include "cmd.h"
#include "device.h"
#include "gate-options.h"
#include "job-agree.h"
#include "say.h"

#define POLL_NS 50000000L

/* The schedule in force, if there is one, must not end for the time that the next one takes. */
static void nap(struct job_args *args)
{
	const struct timespec rest = { 0, POLL_NS };

	nanosleep(&rest, NULL);
	job_lease_keep(args);
}

/* ---- records of the round ---- */

/* Decide against it, with a reason, unless it is decided. */
__attribute__((format(printf, 4, 5)))
static void decide_against(struct agreement *agreement, const char *decision, const char *verdict,
			   const char *format, ...)
{
	struct job_args *args = agreement->args;
	struct liquid_error err;
	char reason[512];
	va_list list;

	va_start(list, format);
	vsnprintf(reason, sizeof(reason), format, list);
	va_end(list);
	complain(0, "node %s: %s: %s", args->node, verdict, reason);
	if (job_decide(&args->store, agreement->spec.round, decision,
		       json_pack("{s:s, s:s, s:s}", "verdict", verdict, "node", args->node, "reason",
				 reason), &err))
		complain(0, "%s", err.text);
}

static int say(struct agreement *agreement, const char *what)
{
	struct job_args *args = agreement->args;
	char path[JOB_PATH_MAX];
	struct liquid_error err;
	int status;

	snprintf(path, sizeof(path), "rounds/%s/%s.%s.json", agreement->spec.round, what, args->node);
	status = job_put(&args->store, path, json_pack("{s:s, s:s}", "node", args->node, "digest",
						       agreement->digest), &err);
	if (status == JOB_PUT_LOST)
		return complain(EXIT_BAD_INPUT, "node %s was %s before", args->node, what);
	return status ? complain(EXIT_BAD_INPUT, "%s", err.text) : EXIT_OK;
}

/* How many have said so; -1 when one says it of another schedule, whose node is in @other. */
static int count_said(const struct agreement *agreement, const char *what,
		      const char **other)
{
	const struct job_spec *spec = &agreement->spec;
	int count = 0;

	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; n < spec->part[i].nodes.count; n++) {
			const char *digest, *node = spec->part[i].nodes.name[n];
			char path[JOB_PATH_MAX];
			struct liquid_error err;
			json_t *json;

			snprintf(path, sizeof(path), "rounds/%s/%s.%s.json", spec->round, what, node);
			json = job_get(&agreement->args->store, path, &err);
			if (!json)
				continue;
			count++;
			if (json_unpack(json, "{s:s}", "digest", &digest) ||
			    strcmp(digest, agreement->digest)) {
				*other = node;
				json_decref(json);
				return -1;
			}
			json_decref(json);
		}
	return count;
}

static bool all_ended(const struct agreement *agreement)
{
	return job_ended(&agreement->args->store, agreement->args->job);
}

/* ---- stage ---- */

static void fill_push(struct agreement *agreement, const char *device)
{
	const struct job_spec *spec = &agreement->spec;
	const struct conf *conf = &agreement->args->conf;

	agreement->push.args = (struct push_args){
		.device = device, .node = agreement->args->node, .frame_ns = spec->frame_ns,
		.guard_ns = spec->guard_ns, .guard_given = spec->guard_given,
		.tai_offset = (int32_t)conf->tai_offset, .max_packet = (uint32_t)conf->max_packet,
		.terms = { conf->clock_error_ns, conf->release_lag_ns, (uint32_t)conf->hops },
		.replace = agreement->replace, .lease_ns = job_lease_ns(agreement->args),
	};
}

/*
 * What the gate schedules, as the configuration has it; a gate that rests since the job before has
 * switched it off is taken up again. Not in later rounds, whose job may have switched it off itself.
 */
static int select_traffic(struct agreement *agreement)
{
	const struct conf *conf = &agreement->args->conf;
	const char *select = conf->select, *policy = conf->policy;
	struct push *push = &agreement->push;
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

static int stage(struct agreement *agreement)
{
	const struct job_args *args = agreement->args;
	const char *device = conf_device_of(&args->conf, args->node);
	int code;

	if (!device)
		return complain(EXIT_BAD_INPUT, "%s: no device for node '%s'", args->conf_path,
				args->node);
	fill_push(agreement, device);
	if (agreement->idle || args->dry_run)
		return EXIT_OK;
	code = push_open(&agreement->push);
	if (code)
		return code;
	code = select_traffic(agreement);
	if (!code)
		code = push_stage(&agreement->push);
	if (code)
		netlink_close(&agreement->push.nl);
	agreement->open = !code;
	for (unsigned int i = 0; !code && i < agreement->push.check.warning_count; i++)
		complain(0, "%s: warning: %s", device, agreement->push.check.warning[i]);
	return code;
}

/* ---- release: commit or abort ---- */

/* All are ready: whoever sees it first says so, with a base time. */
static void release(struct agreement *agreement, uint64_t frames)
{
	const struct job_spec *spec = &agreement->spec;
	struct liquid_error err;
	int64_t base;

	if (!base_time_after(clock_ns(CLOCK_TAI), spec->lead_ns, frames * spec->frame_ns, &base)) {
		decide_against(agreement, "release", "abort", "the clock shows no time");
		return;
	}
	job_decide(&agreement->args->store, spec->round, "release",
		   json_pack("{s:s, s:s, s:s, s:I}", "verdict", "commit", "node",
			     agreement->args->node, "digest", agreement->digest, "base_ns",
			     (json_int_t)base), &err);
}

/* A node without frames does not know how many there are: it leaves the release to others. */
static void consider_release(struct agreement *agreement)
{
	const char *other;
	int ready = count_said(agreement, "ready", &other);

	if (ready < 0)
		decide_against(agreement, "release", "abort", "node %s has another schedule", other);
	else if ((size_t)ready == job_spec_node_count(&agreement->spec) && !agreement->idle)
		release(agreement, agreement->push.plan.frames);
	else if (all_ended(agreement))
		decide_against(agreement, "release", "abort", "the job has ended");
	else if (clock_ns(CLOCK_REALTIME) > agreement->spec.deadline_ns)
		decide_against(agreement, "release", "abort", "%d of %zu nodes were ready in time",
			       ready, job_spec_node_count(&agreement->spec));
}

static bool take_release(struct agreement *agreement, const char *verdict, json_t *record)
{
	json_int_t base;
	const char *digest, *node = "?", *reason = "";

	if (strcmp(verdict, "commit")) {
		json_unpack(record, "{s?s, s?s}", "node", &node, "reason", &reason);
		complain(0, "job %s: aborted by node %s: %s", agreement->args->job, node, reason);
		return false;
	}
	if (json_unpack(record, "{s:s, s:I}", "digest", &digest, "base_ns", &base) ||
	    strcmp(digest, agreement->digest) || base < 0)
		return false;
	agreement->base_ns = base;
	return true;
}

static bool await_release(struct agreement *agreement)
{
	for (;;) {
		json_t *record = NULL;
		char *verdict = job_verdict(&agreement->args->store, agreement->spec.round, "release",
					    &record);
		bool commit;

		if (verdict) {
			commit = take_release(agreement, verdict, record);
			json_decref(record);
			free(verdict);
			return commit;
		}
		consider_release(agreement);
		nap(agreement->args);
	}
}

/* ---- go: keep or cancel ---- */

static int commit(struct agreement *agreement)
{
	int code;

	if (clock_ns(CLOCK_TAI) > agreement->base_ns - (int64_t)(agreement->spec.lead_ns / 4))
		return complain(EXIT_BAD_INPUT, "node %s: the release came too late",
				agreement->args->node);
	agreement->push.sched.base_time = agreement->base_ns;
	if (!agreement->open)
		return EXIT_OK;
	code = push_commit(&agreement->push);
	netlink_close(&agreement->push.nl);
	agreement->open = false;
	return code;
}

static void consider_go(struct agreement *agreement)
{
	const char *other = "";
	int committed = count_said(agreement, "committed", &other);
	int64_t last = agreement->base_ns - (int64_t)(agreement->spec.lead_ns / 4);
	struct liquid_error err;

	if (clock_ns(CLOCK_TAI) > last)
		decide_against(agreement, "go", "cancel", "%d of %zu nodes had committed in time",
			       committed, job_spec_node_count(&agreement->spec));
	else if (all_ended(agreement))
		decide_against(agreement, "go", "cancel", "the job has ended");
	else if (committed >= 0 && (size_t)committed == job_spec_node_count(&agreement->spec))
		job_decide(&agreement->args->store, agreement->spec.round, "go",
			   json_pack("{s:s, s:s}", "verdict", "keep", "node", agreement->args->node),
			   &err);
}

/* Where the store cannot be reached any more, the node gives up for itself at the base time. */
static bool await_go(struct agreement *agreement)
{
	while (clock_ns(CLOCK_TAI) < agreement->base_ns) {
		json_t *record = NULL;
		char *verdict = job_verdict(&agreement->args->store, agreement->spec.round, "go",
					    &record);
		const char *node = "?", *reason = "";

		if (verdict) {
			bool keep = !strcmp(verdict, "keep");

			json_unpack(record, "{s?s, s?s}", "node", &node, "reason", &reason);
			if (!keep)
				complain(0, "job %s: cancelled by node %s: %s", agreement->args->job,
					 node, reason);
			json_decref(record);
			free(verdict);
			return keep;
		}
		consider_go(agreement);
		nap(agreement->args);
	}
	return false;
}

/*
 * A job that began before its base time would send ungated: its prologue lasts until then. The time left
 * is reckoned once, since a clock that is set meanwhile shall not hold up the job.
 */
static void await_base(const struct agreement *agreement)
{
	int64_t left = agreement->base_ns - clock_ns(CLOCK_TAI);
	int64_t until = clock_ns(CLOCK_MONOTONIC) + left;

	while (clock_ns(CLOCK_MONOTONIC) < until && !all_ended(agreement))
		nap(agreement->args);
}

/* ---- a round ---- */

static enum outcome commit_and_follow(struct agreement *agreement)
{
	bool keep;

	if (guardian_start(agreement) || commit(agreement)) {
		decide_against(agreement, "go", "cancel", "the commit failed");
		guardian_dismiss(agreement);
		return OUTCOME_CANCELLED;
	}
	if (say(agreement, "committed"))
		decide_against(agreement, "go", "cancel", "the store takes no record");
	keep = await_go(agreement);
	if (!keep)
		job_clear_gate(agreement->args);
	guardian_dismiss(agreement);
	return keep ? OUTCOME_GATED : OUTCOME_CANCELLED;
}

/* By this process, which may have been root when it found those who keep the clock. */
static int check_clock(struct job_args *args)
{
	struct clock_findings findings;
	struct clock_report report;

	if (args->conf.clock == CONF_OFF)
		return EXIT_OK;
	if (clock_read(&args->clock, &report))
		return complain(EXIT_REFUSED, "the clock cannot be read");
	clock_judge(&report, args->conf.clock_error_ns, &findings);
	for (unsigned int i = 0; i < findings.count; i++)
		complain(0, "%s", findings.text[i]);
	return findings.count && args->conf.clock == CONF_REFUSE ? EXIT_BAD_INPUT : EXIT_OK;
}

static enum outcome agree(struct agreement *agreement)
{
	int code = check_clock(agreement->args);

	if (!code)
		code = slice_prepare(agreement);
	if (!code)
		code = stage(agreement);
	if (code)
		decide_against(agreement, "release", "abort", "the schedule cannot be staged here");
	else if (say(agreement, "ready"))
		decide_against(agreement, "release", "abort", "the store takes no record");
	if (!await_release(agreement))
		return OUTCOME_ABORTED;
	if (code)
		return OUTCOME_ABORTED;
	return commit_and_follow(agreement);
}

/* Gated: what the process that goes on must know. @replace: it has been gated all the while. */
static void begin(struct agreement *agreement, bool replace)
{
	struct job_args *args = agreement->args;

	put_text("job %s: node %s gates by schedule %.12s from %" PRId64 " (round %s)\n", args->job,
		 args->node, agreement->digest, agreement->base_ns, agreement->spec.round);
	fflush(stdout);
	args->base_ns = agreement->base_ns;
	/* A node that sends in no frame has no schedule, so nothing to keep. */
	if (agreement->idle)
		job_lease_forget(args);
	else
		job_lease_begin(args);
	/* without a gate there is nothing to wait for */
	if (!replace && !args->dry_run)
		await_base(agreement);
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
	/* Not among what is left after a reroute: the others' schedule does without it. */
	if (!job_spec_has_node(&agreement.spec, args->node)) {
		job_clear_gate(args);
		job_lease_forget(args);
		complain(0, "node %s is not in round %s", args->node, round);
		job_spec_clear(&agreement.spec);
		return OUTCOME_CANCELLED;
	}
	outcome = agree(&agreement);
	if (agreement.open) {
		push_undo(&agreement.push);
		netlink_close(&agreement.push.nl);
	}
	if (outcome == OUTCOME_CANCELLED)
		job_lease_forget(args);
	else if (outcome == OUTCOME_GATED)
		begin(&agreement, replace);
	push_clear(&agreement.push);
	job_spec_clear(&agreement.spec);
	return outcome;
}
