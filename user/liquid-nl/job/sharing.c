// SPDX-License-Identifier: GPL-2.0-only
/* Jobs that run at the same time: shared nodes and links, and merging into one schedule. */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "job/sharing.h"
#include "job/store/records.h"

bool sharing_running(const struct job_args *args, const char *job, struct job_spec *spec)
{
	char round[JOB_ROUND_SIZE];
	struct liquid_error err;

	return !job_ended(&args->store, job) && job_in_force(&args->store, job, round) &&
	       !job_spec_read(&args->store, round, spec, &err);
}

static bool share_node(const struct job_spec *a, const struct job_spec *b)
{
	for (size_t i = 0; i < a->part_count; i++)
		for (size_t n = 0; n < a->part[i].nodes.count; n++)
			if (job_spec_has_node(b, a->part[i].nodes.name[n]))
				return true;
	return false;
}

static bool has_job(const struct job_spec *spec, const char *job)
{
	for (size_t i = 0; i < spec->part_count; i++)
		if (!strcmp(spec->part[i].job, job))
			return true;
	return false;
}

/* The round no longer gates a job that has ended, or that was requeued and has a later round. */
static bool gated_by(const struct job_args *args, const char *job, const struct job_spec *spec)
{
	char round[JOB_ROUND_SIZE];

	return !job_ended(&args->store, job) && job_in_force(&args->store, job, round) &&
	       !strcmp(round, spec->round);
}

int sharing_add_parts(const struct job_args *args, struct job_spec *spec,
		      const struct job_spec *other)
{
	for (size_t i = 0; i < other->part_count; i++) {
		const struct job_part *part = &other->part[i];
		struct job_part *larger;

		if (has_job(spec, part->job) || !gated_by(args, part->job, other))
			continue;
		larger = reallocarray(spec->part, spec->part_count + 1, sizeof(*larger));
		if (!larger)
			return complain(EXIT_IO, "out of memory");
		spec->part = larger;
		if (job_part_set(&larger[spec->part_count++], part->job, part->what,
				 part->tasks_per_node, (const char *const *)part->nodes.name,
				 part->nodes.count))
			return complain(EXIT_IO, "out of memory");
	}
	return EXIT_OK;
}

int sharing_keep_from(const struct job_args *args, struct job_spec *spec,
		      const struct job_spec *other)
{
	struct record_decision release;

	if (!record_get_decision(&args->store, RECORD_RELEASE, other->round, &release) ||
	    !*release.digest || !record_has(&args->store, RECORD_SCHEDULE, other->round, NULL))
		return EXIT_OK;
	spec->from_round = strdup(other->round);
	spec->from_digest = strdup(release.digest);
	return spec->from_round && spec->from_digest ? EXIT_OK :
	       complain(EXIT_IO, "out of memory");
}

/* If several rounds are merged, the first one keeps as many of its frames as possible. */
static int merge(const struct job_args *args, struct job_spec *spec, const struct job_spec *other)
{
	int code = sharing_add_parts(args, spec, other);

	return code || spec->from_round ? code : sharing_keep_from(args, spec, other);
}

struct sharing {
	const struct job_args *args;
	struct job_spec *spec;
	struct publish_facts *facts;
	struct job_spec *round;		/* of others, by number */
	const char **job;		/* likewise: their names */
	size_t count;
	char *reason;			/* why the job must not be gated, or "" */
};

/* The rounds of jobs that are not among ours */
static void find_others(struct sharing *sharing, const struct liquid_names *jobs)
{
	const struct job_store *store = &sharing->args->store;

	for (size_t i = 0; i < jobs->count; i++) {
		const char *job = jobs->name[i];

		if (has_job(sharing->spec, job))
			continue;
		if (job_ended(store, job))
			record_forget_running(store, job);
		else if (sharing_running(sharing->args, job, &sharing->round[sharing->count]))
			sharing->job[sharing->count++] = job;
	}
}

static void forget_others(struct sharing *sharing)
{
	while (sharing->count)
		job_spec_clear(&sharing->round[--sharing->count]);
}

/* Compare with another running job: nothing shared, a reason not to gate, or a merger. */
static int meet_other(struct sharing *sharing, size_t index)
{
	const json_t *shared = json_object_get(sharing->facts->fabric.answer, "shared");
	const char *link = json_string_value(json_array_get(shared, index));
	const struct job_spec *other = &sharing->round[index];
	const char *job = sharing->job[index];

	if (has_job(sharing->spec, job))
		return EXIT_OK;
	if (share_node(sharing->spec, other))
		snprintf(sharing->reason, 512, "it shares a node with job %s", job);
	else if (link && !sharing->args->merge)
		snprintf(sharing->reason, 512,
			 "it shares link %.300s with job %s (merge would gate both by one "
			 "schedule)", link, job);
	else if (link)
		return merge(sharing->args, sharing->spec, other);
	return EXIT_OK;
}

static int meet_once(struct sharing *sharing, const struct liquid_names *jobs)
{
	int code;

	fabric_clear(&sharing->facts->fabric);
	find_others(sharing, jobs);
	code = publish_ask(sharing->args, sharing->args->conf.fabric, sharing->spec,
			   sharing->round, sharing->count, sharing->facts);
	for (size_t i = 0; !code && !*sharing->reason && i < sharing->count; i++)
		code = meet_other(sharing, i);
	forget_others(sharing);
	return code;
}

/* A merged job may share links with further jobs: repeat until nothing is added. */
static int meet_jobs(struct sharing *sharing, const struct liquid_names *jobs)
{
	size_t parts;
	int code;

	do {
		parts = sharing->spec->part_count;
		code = meet_once(sharing, jobs);
	} while (!code && !*sharing->reason && parts != sharing->spec->part_count);
	return code;
}

int sharing_check(const struct job_args *args, struct job_spec *spec, struct publish_facts *facts,
		  char reason[512])
{
	struct sharing sharing = { .args = args, .spec = spec, .facts = facts, .reason = reason };
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	int code, status = job_list_running(&args->store, &jobs, &err);

	*reason = '\0';
	*facts = (struct publish_facts){ 0 };
	sharing.round = calloc(jobs.count + 1, sizeof(*sharing.round));
	sharing.job = calloc(jobs.count + 1, sizeof(*sharing.job));
	if (status)
		code = complain_of(status, &err);
	else if (!sharing.round || !sharing.job)
		code = complain(EXIT_IO, "out of memory");
	else
		code = meet_jobs(&sharing, &jobs);
	liquid_names_clear(&jobs);
	free(sharing.round);
	free(sharing.job);
	return code;
}
