// SPDX-License-Identifier: GPL-2.0-only
/* job ready, on a node: take part in the job's first round, then in later ones until its end. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/agree.h"
#include "job/order.h"
#include "job/service/first.h"
#include "util/say.h"

#define FIRST_POLL_NS 100000000L	/* between two looks for the first round */
#define WATCH_POLL_NS 500000000L	/* between two looks for later rounds */
#define WORD_NS INT64_C(3000000000)	/* wait for the job's directory */

/* The job is gated: inform the caller by which schedule. */
static void tell_gated(const struct job_args *args, const char *round)
{
	struct job_outcome outcome = { .known = true, .gated = true, .base_ns = args->run.base_ns };
	struct record_decision release;

	if (record_get_decision(&args->store, RECORD_RELEASE, round, &release))
		strcpy(outcome.digest, release.digest);
	snprintf(outcome.round, sizeof(outcome.round), "%s", round);
	args->run.bound->outcome = outcome;
}

void job_tell_ungated(const struct job_args *args)
{
	struct job_outcome *outcome = &args->run.bound->outcome;
	size_t length = strlen(args->job);
	char line[sizeof(outcome->reason)];
	const char *reason = line;

	job_said_since(0, line, sizeof(line));
	/* "job 17: ..." */
	if (!strncmp(line, "job ", 4) && !strncmp(line + 4, args->job, length) &&
	    !strncmp(line + 4 + length, ": ", 2))
		reason += 6 + length;
	*outcome = (struct job_outcome){ .known = true };
	snprintf(outcome->reason, sizeof(outcome->reason), "%s", reason);
}

static bool skipped(const struct job_args *args)
{
	struct job_outcome *outcome = &args->run.bound->outcome;
	struct record_skip skip;
	bool found = record_get_skip(&args->store, args->job, &skip);

	if (found) {
		put_text("job %s: not gated: %s\n", args->job, skip.reason);
		*outcome = (struct job_outcome){ .known = true, .unasked = !skip.asked };
		snprintf(outcome->reason, sizeof(outcome->reason), "%.500s", skip.reason);
	}
	return found;
}

/*
 * The controller and the nodes begin at the same time, so the round may not be published yet.
 * Existing records may be from a requeued job's earlier run. Such a job has ended, and the
 * controller moves its records away. The controller creates the job's directory first of all:
 * without it a node waits only WORD_NS, and with it until the deadline.
 */
static unsigned int await_round(struct job_args *args, char round[JOB_ROUND_SIZE],
				bool *skip)
{
	int64_t word = clock_ns(CLOCK_MONOTONIC) + WORD_NS;
	int64_t limit = atomic_load(&args->run.bound->until_ns) - (int64_t)args->conf.lead_ns;
	unsigned int generation = 0;
	bool begun = false;

	*skip = false;
	do {
		bool ended = job_ended(&args->store, args->job);

		begun = !ended && record_has(&args->store, RECORD_JOB, args->job, NULL);
		generation = begun ? job_generation(&args->store, args->job, round) : 0;
		*skip = begun && !generation && skipped(args);
		if (generation || *skip)
			return generation;
		job_rest(args, FIRST_POLL_NS);
		if (args->store.backend && args->store.backend->refused(&args->store))
			return 0;
	} while (clock_ns(CLOCK_MONOTONIC) < (begun ? limit : word < limit ? word : limit));
	if (begun)
		complain(0, "job %s: nothing was published in time: %s has begun with it, but not "
			 "finished", args->job, args->first ? args->first : "the controller");
	else if (args->first)
		complain(0, "job %s: nothing was published: look at node %s (its liquid-prolog in "
			 "the log)", args->job, args->first);
	else
		complain(0, "job %s: nothing was published: look at the controller (its "
			 "liquid-prolog-slurmctld in the log, liquid.conf, and that it has the "
			 "same store)", args->job);
	return 0;
}

/* ---- later rounds ---- */

/* Empty the file behind stderr: only the last message is ever read from it. */
static void forget_said(void)
{
	if (!ftruncate(STDERR_FILENO, 0))
		lseek(STDERR_FILENO, 0, SEEK_SET);
}

/* The schedule of a later round comes into force at its base time, for which this waits. */
static void note_first(struct job_args *args, const char *round)
{
	int64_t left;

	while ((left = args->run.base_ns - clock_ns(CLOCK_TAI)) > 0 &&
	       !job_ended(&args->store, args->job))
		job_rest(args, left < WATCH_POLL_NS ? left : WATCH_POLL_NS);
	job_order_put(args);
	job_sample_put(args, RECORD_FIRST, round, job_sample_gate(args));
}

/* The last round by which the node gated; round "": none, and its gate is open */
struct force {
	char round[JOB_ROUND_SIZE];
	unsigned int generation;
	bool gated;			/* it may have a schedule, so that it replaces that */
};

/* The gate is open, and has no schedule any more by which to know it. */
static void end_force(struct job_args *args, struct force *force, json_t *sample)
{
	job_order_void(args);
	args->run.base_ns = 0;
	job_sample_put(args, RECORD_LAST, force->round, sample);
	force->round[0] = '\0';
}

/* Take part in the newest round of the job. */
static void follow(struct job_args *args, const char *round, unsigned int generation,
		   struct force *force)
{
	enum outcome outcome;

	forget_said();
	outcome = job_agree(args, round, force->gated);
	if (outcome == OUTCOME_GATED) {
		*force = (struct force){ .generation = generation, .gated = true };
		snprintf(force->round, sizeof(force->round), "%s", round);
		note_first(args, round);
	} else if (outcome == OUTCOME_CANCELLED && *force->round) {
		end_force(args, force, job_sample_gate(args));
	}
}

/* Its schedule, and the plan of its ranks, are for routes that are no more. */
static void look_for_void(struct job_args *args, struct force *force)
{
	char reason[512];
	json_t *sample;

	if (!*force->round || !record_get_void(&args->store, args->job, force->generation, reason,
					       sizeof(reason)))
		return;
	sample = job_sample_gate(args);
	job_clear_own(args);
	job_lease_forget(args);
	end_force(args, force, sample);
	force->gated = false;
}

static void watch(struct job_args *args, unsigned int generation, const char *first)
{
	struct force force = { .generation = generation, .gated = true };
	int64_t until = record_get_until(&args->store, args->job);
	char round[JOB_ROUND_SIZE];
	json_t *sample;

	snprintf(force.round, sizeof(force.round), "%s", first);
	note_first(args, first);

	while (!job_ended_by(&args->store, args->job, until)) {
		look_for_void(args, &force);
		if (record_get_generation(&args->store, args->job, generation + 1, round)) {
			generation = job_generation(&args->store, args->job, round);
			follow(args, round, generation, &force);
		} else {
			job_rest(args, WATCH_POLL_NS);
		}
	}
	/* If no epilogue has run, this process opens the gate and records the end. */
	sample = *force.round ? job_sample_gate(args) : NULL;
	job_clear_own(args);
	job_sample_put(args, RECORD_LAST, force.round, sample);
	job_note_end(args, "its time");
}

/* The child outlives the caller, so it has its own session and none of the caller's output. */
static int watch_in_background(struct job_args *args, unsigned int generation,
			       const char *round)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return complain(EXIT_IO, "cannot create a process");
	if (!child) {
		int null = open("/dev/null", O_RDWR), said = memfd_create("said", MFD_CLOEXEC);

		setsid();
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(said < 0 ? null : said, STDERR_FILENO);
		args->run.bound = NULL;
		watch(args, generation, round);
		_exit(0);
	}
	return EXIT_OK;
}

int job_ungated(const struct job_args *args)
{
	const struct job_outcome *shared = &args->run.bound->outcome;
	const char *reason = args->run.outcome.known ? args->run.outcome.reason : shared->reason;

	if (args->conf.on_failure == CONF_FAIL)
		return complain(EXIT_BAD_INPUT, "job %s: no agreement: Slurm drains node %s, as "
				"`on-failure fail` of %s asks", args->job, args->node,
				args->conf_path);
	put_text("job %s: ungated on node %s%s%s\n", args->job, args->node, *reason ? ": " : "",
		 reason);
	return EXIT_OK;
}

/* The controller publishes no record for such a job, so there is nothing to wait for. */
bool job_is_never_gated(const struct job_args *args)
{
	const char *traffic = args->partition && !args->traffic ?
			      conf_partition_traffic(&args->conf, args->partition) : NULL;

	return traffic && !strcmp(traffic, "none");
}

static int not_gated(struct job_args *args)
{
	job_tell_ungated(args);
	return job_ungated(args);
}

/* `agree first`: begin with the job here, then meet its nodes. *@over: there is no more to do. */
static int begin(struct job_args *args, bool *over)
{
	int code = args->nodes ? job_start(args) :
		   complain(EXIT_USAGE, "job %s: `agree first` needs --nodes, all nodes of the job",
			    args->job);

	*over = code || skipped(args) || first_open(args);
	if (code)
		job_tell_ungated(args);
	return code || !*over || args->run.bound->outcome.known ? code : not_gated(args);
}

/* The round that the node gates by, and its generation; 0: none, which was said */
static unsigned int meet(struct job_args *args, char round[JOB_ROUND_SIZE], bool *skip)
{
	unsigned int generation = await_round(args, round, skip);
	bool published = *skip || generation;

	if (generation && job_agree(args, round, false) != OUTCOME_GATED)
		generation = 0;
	if (args->conf.first && published)
		first_keep(args, generation);
	else if (args->conf.first)
		first_failed(args);
	return generation;
}

int job_ready(struct job_args *args)
{
	char round[JOB_ROUND_SIZE];
	unsigned int generation;
	bool skip, over = false;
	int code = EXIT_OK;

	job_die_with_caller(args);
	if (args->conf.first)
		code = begin(args, &over);
	if (over)
		return code;
	generation = meet(args, round, &skip);
	if (skip)
		return EXIT_OK;
	if (!generation)
		return not_gated(args);
	tell_gated(args, round);
	job_order_put(args);
	return args->stay ? watch_in_background(args, generation, round) : EXIT_OK;
}
