// SPDX-License-Identifier: GPL-2.0-only
/* Which round a job is in, and the decisions that a round takes. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

static bool read_generation(const struct job_store *store, const char *job, unsigned int number,
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

	while (read_generation(store, job, number + 1, round))
		number++;
	return number;
}

bool job_ended(const struct job_store *store, const char *job)
{
	char path[JOB_PATH_MAX];

	snprintf(path, sizeof(path), "jobs/%s/end.json", job);
	return job_has(store, path);
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
