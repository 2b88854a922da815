// SPDX-License-Identifier: GPL-2.0-only
/* Which round a job is in, and the decisions that a round takes. */
#include <stdlib.h>
#include <string.h>

#include "clock/clock-ns.h"
#include "job/job.h"

bool job_generation_at(const struct job_store *store, const char *job, unsigned int number,
		       char round[JOB_NAME_MAX + 16])
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	const char *name;
	json_t *json;
	bool found;

	snprintf(path, sizeof(path), "jobs/%s/gen-%u.json", job, number);
	json = job_get(store, path, &err);
	found = json && !json_unpack(json, "{s:s}", "round", &name) && job_name_fits(name);
	if (found)
		snprintf(round, JOB_NAME_MAX + 16, "%s", name);
	json_decref(json);
	return found;
}

unsigned int job_generation(const struct job_store *store, const char *job,
			    char round[JOB_NAME_MAX + 16])
{
	unsigned int number = 0;

	while (job_generation_at(store, job, number + 1, round))
		number++;
	return number;
}

int64_t job_until(const struct job_store *store, const char *job)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	json_int_t until = 0;
	json_t *json;

	snprintf(path, sizeof(path), "jobs/%s/until.json", job);
	json = job_get(store, path, &err);
	if (json && json_unpack(json, "{s:I}", "until", &until))
		until = 0;
	json_decref(json);
	return until;
}

bool job_ended_by(const struct job_store *store, const char *job, int64_t until)
{
	char path[JOB_PATH_MAX];

	snprintf(path, sizeof(path), "jobs/%s/end.json", job);
	if (job_has(store, path) || (until > 0 && clock_ns(CLOCK_REALTIME) / 1000000000 > until))
		return true;
	snprintf(path, sizeof(path), "jobs/%s", job);
	return job_lacks(store, path);
}

/* Where no epilogue runs at all, nobody notes the end: then it has its time. */
bool job_ended(const struct job_store *store, const char *job)
{
	return job_ended_by(store, job, job_until(store, job));
}

int job_list_running(const struct job_store *store, struct liquid_names *names,
		     struct liquid_error *err)
{
	return job_list(store, "running", names, err);
}

void job_forget_running(const struct job_store *store, const char *job)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];

	snprintf(path, sizeof(path), "running/%s", job);
	job_remove(store, path, &err);
}

char *job_verdict(const struct job_store *store, const char *round, const char *decision,
		  json_t **record)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	const char *verdict;
	char *copy = NULL;
	json_t *json;

	snprintf(path, sizeof(path), "rounds/%s/%s.json", round, decision);
	json = job_get(store, path, &err);
	if (json && !json_unpack(json, "{s:s}", "verdict", &verdict))
		copy = strdup(verdict);
	if (record && copy)
		*record = json;
	else
		json_decref(json);
	return copy;
}

int job_decide(const struct job_store *store, const char *round, const char *decision,
	       json_t *record, struct liquid_error *err)
{
	char path[JOB_PATH_MAX];
	int status;

	snprintf(path, sizeof(path), "rounds/%s/%s.json", round, decision);
	status = job_put(store, path, record, err);
	return status == JOB_PUT_LOST ? LIQUID_OK : status;
}

/* ---- what gates a job ---- */

/* Nobody has to be exact here: a round that is late by this is one that nobody takes part in. */
#define LATE_NS INT64_C(100000000000)

/* The nodes abort a round at its deadline; where none is left to do so, it has come to that, too. */
static bool is_overdue(const struct job_store *store, const char *round)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	json_int_t deadline;
	json_t *json;
	bool late;

	snprintf(path, sizeof(path), "rounds/%s/spec.json", round);
	json = job_get(store, path, &err);
	late = !json || json_unpack(json, "{s:I}", "deadline_ns", &deadline) ||
	       (deadline < INT64_MAX - LATE_NS && clock_ns(CLOCK_REALTIME) > deadline + LATE_NS);
	json_decref(json);
	return late;
}

enum fate { FATE_GOES, FATE_ABORTED, FATE_CANCELLED };

/* Released: every node that sees no go by the base time clears its gate. */
static enum fate fate_of_released(const struct job_store *store, const char *round,
				  json_t *release)
{
	char *go = job_verdict(store, round, "go", NULL);
	enum fate fate = FATE_GOES;
	json_int_t base;

	if (go && strcmp(go, "keep"))
		fate = FATE_CANCELLED;
	else if (!go && !json_unpack(release, "{s:I}", "base_ns", &base) &&
		 base < INT64_MAX - LATE_NS && clock_ns(CLOCK_TAI) > base + LATE_NS)
		fate = FATE_CANCELLED;
	free(go);
	return fate;
}

static enum fate fate_of(const struct job_store *store, const char *round)
{
	json_t *record = NULL;
	char *release = job_verdict(store, round, "release", &record);
	enum fate fate;

	if (!release)
		return is_overdue(store, round) ? FATE_ABORTED : FATE_GOES;
	fate = strcmp(release, "commit") ? FATE_ABORTED : fate_of_released(store, round, record);
	json_decref(record);
	free(release);
	return fate;
}

unsigned int job_in_force(const struct job_store *store, const char *job,
			  char round[JOB_NAME_MAX + 16])
{
	unsigned int number = job_generation(store, job, round);

	for (; number && job_generation_at(store, job, number, round); number--) {
		enum fate fate = fate_of(store, round);

		if (fate != FATE_ABORTED)
			return fate == FATE_GOES ? number : 0;
	}
	return 0;
}
