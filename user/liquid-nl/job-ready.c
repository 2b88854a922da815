// SPDX-License-Identifier: GPL-2.0-only
/* A node's part of a job: its first round, then whatever rounds follow until the job's end. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock-ns.h"
#include "cmd.h"
#include "job-agree.h"
#include "say.h"

#define FIRST_POLL_NS 100000000L
#define WATCH_POLL_NS 500000000L
#define ANEW_NS INT64_C(3000000000)

static void nap(long ns)
{
	const struct timespec rest = { 0, ns };

	nanosleep(&rest, NULL);
}

static bool skipped(const struct job_args *args)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	const char *reason = "";
	json_t *json;

	snprintf(path, sizeof(path), "jobs/%s/skip.json", args->job);
	json = job_get(&args->store, path, &err);
	if (!json)
		return false;
	json_unpack(json, "{s?s}", "reason", &reason);
	put_text("job %s: not gated: %s\n", args->job, reason);
	json_decref(json);
	return true;
}

/*
 * The controller and the nodes begin at the same time: the record may still be on its way, and the
 * one that is there may be of a run before this one, which is put aside when the job begins anew.
 */
static unsigned int await_round(const struct job_args *args, char round[JOB_NAME_MAX + 16],
				bool *skip)
{
	int64_t begin = clock_ns(CLOCK_MONOTONIC), limit = begin + (int64_t)args->conf.deadline_ns;
	unsigned int generation = 0;

	*skip = false;
	while (clock_ns(CLOCK_MONOTONIC) < limit) {
		bool ended = job_ended(&args->store, args->job);

		generation = ended ? 0 : job_generation(&args->store, args->job, round);
		*skip = !ended && !generation && skipped(args);
		if (generation || *skip)
			return generation;
		/* Whose job has ended before it began waits no longer than for that. */
		if (ended && clock_ns(CLOCK_MONOTONIC) > begin + ANEW_NS)
			break;
		nap(FIRST_POLL_NS);
	}
	complain(0, "job %s: nothing was published in time", args->job);
	return 0;
}

/* ---- the rounds that follow ---- */

static void watch(struct job_args *args, unsigned int generation, bool gated)
{
	char round[JOB_NAME_MAX + 16];

	while (!job_ended(&args->store, args->job)) {
		unsigned int newest = job_generation(&args->store, args->job, round);

		if (newest > generation) {
			generation = newest;
			gated = job_agree(args, round, gated) == OUTCOME_GATED || gated;
		} else {
			nap(WATCH_POLL_NS);
			job_lease_keep(args);
		}
	}
	/* The epilogues do both, where they run. */
	job_clear_own(args);
	job_note_end(args, "its time");
}

/* In a session of its own, so that it outlives who called us; with nobody's output. */
static int watch_in_background(struct job_args *args, unsigned int generation)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return complain(EXIT_BAD_INPUT, "no process");
	if (!child) {
		int null = open("/dev/null", O_RDWR);

		setsid();
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		watch(args, generation, true);
		_exit(0);
	}
	return EXIT_OK;
}

static int ungated(const struct job_args *args)
{
	if (args->conf.on_failure == CONF_FAIL)
		return complain(EXIT_BAD_INPUT, "job %s: no agreement, and on-failure says fail",
				args->job);
	put_text("job %s: node %s does not gate\n", args->job, args->node);
	return EXIT_OK;
}

int job_ready(struct job_args *args)
{
	char round[JOB_NAME_MAX + 16];
	bool skip;
	unsigned int generation = await_round(args, round, &skip);

	if (skip)
		return EXIT_OK;
	if (!generation || job_agree(args, round, false) != OUTCOME_GATED)
		return ungated(args);
	return args->stay ? watch_in_background(args, generation) : EXIT_OK;
}
