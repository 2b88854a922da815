// SPDX-License-Identifier: GPL-2.0-only
/* The round that a job is in, and whether the job has ended. */
#include "util/clock-ns.h"
#include "job/store/records.h"

unsigned int job_generation(const struct job_store *store, const char *job,
			    char round[JOB_ROUND_SIZE])
{
	unsigned int number = 0;

	while (record_get_generation(store, job, number + 1, round))
		number++;
	return number;
}

bool job_ended_by(const struct job_store *store, const char *job, int64_t until)
{
	return record_has(store, RECORD_END, job, NULL) ||
	       (until > 0 && clock_ns(CLOCK_REALTIME) / 1000000000 > until) ||
	       record_lacks(store, RECORD_JOB, job);
}

/* If no epilogue runs, no record of the end is written, and the job ends at its time limit. */
bool job_ended(const struct job_store *store, const char *job)
{
	return job_ended_by(store, job, record_get_until(store, job));
}

int job_list_running(const struct job_store *store, struct liquid_names *names,
		     struct liquid_error *err)
{
	return store->backend ? store->backend->list_running(store, names, err) :
	       job_list(store, RECORDS_RUNNING, names, err);
}

/* ---- the round that gates a job ---- */

/* A generous margin, ns: no node takes part any more in a round that is late by this much. */
#define LATE_NS INT64_C(100000000000)

/* The nodes abort a round at its deadline. One that no node is left to abort counts as aborted. */
static bool is_overdue(const struct job_store *store, const char *round)
{
	int64_t deadline_ns;

	return !record_get_deadline(store, round, &deadline_ns) ||
	       (deadline_ns < INT64_MAX - LATE_NS &&
		clock_ns(CLOCK_REALTIME) > deadline_ns + LATE_NS);
}

enum fate { FATE_GOES, FATE_ABORTED, FATE_CANCELLED };

/* The fate of a released round: every node that sees no "go" by the base time clears its gate. */
static enum fate fate_of_released(const struct job_store *store, const char *round,
				  const struct record_decision *release)
{
	struct record_decision go;

	if (record_get_decision(store, RECORD_GO, round, &go))
		return go.positive ? FATE_GOES : FATE_CANCELLED;
	if (release->base_given && release->base_ns < INT64_MAX - LATE_NS &&
	    clock_ns(CLOCK_TAI) > release->base_ns + LATE_NS)
		return FATE_CANCELLED;
	return FATE_GOES;
}

static enum fate fate_of(const struct job_store *store, const char *round)
{
	struct record_decision release;

	if (!record_get_decision(store, RECORD_RELEASE, round, &release))
		return is_overdue(store, round) ? FATE_ABORTED : FATE_GOES;
	return release.positive ? fate_of_released(store, round, &release) : FATE_ABORTED;
}

unsigned int job_in_force(const struct job_store *store, const char *job,
			  char round[JOB_ROUND_SIZE])
{
	unsigned int number = job_generation(store, job, round);

	for (; number && record_get_generation(store, job, number, round); number--) {
		enum fate fate = fate_of(store, round);

		if (fate != FATE_ABORTED)
			return fate == FATE_GOES ? number : 0;
	}
	return 0;
}
