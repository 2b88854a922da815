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

static int loads_of(const struct job_args *args, const struct liquid_fabric *fabric,
		    const struct job_spec *spec, uint64_t *load)
{
	struct liquid_traffic *traffic;
	struct liquid_error err;
	int status = job_spec_traffic(spec, fabric, &args->conf, &traffic, &err);

	if (!status)
		status = liquid_traffic_loads(fabric, traffic, load, &err);
	liquid_traffic_free(traffic);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static bool share_node(const struct job_spec *a, const struct job_spec *b)
{
	for (size_t i = 0; i < a->part_count; i++)
		for (size_t n = 0; n < a->part[i].nodes.count; n++)
			if (job_spec_has_node(b, a->part[i].nodes.name[n]))
				return true;
	return false;
}

/* The first link that carries load of both, or LIQUID_NONE */
static uint32_t shared_link(const struct liquid_fabric *fabric, const uint64_t *a,
			    const uint64_t *b)
{
	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++)
		if (a[link] && b[link])
			return link;
	return LIQUID_NONE;
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
	const struct liquid_fabric *fabric;
	struct job_spec *spec;
	uint64_t *own, *other;		/* loads of the two rounds, by link */
	char reason[512];		/* why the job must not be gated, or "" */
};

/* Compare with another running job: nothing shared, a reason not to gate, or a merger. */
static int meet_job(struct sharing *sharing, const char *job)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	struct job_spec other;
	uint32_t link;
	int code;

	if (has_job(sharing->spec, job))
		return EXIT_OK;
	if (job_ended(&sharing->args->store, job)) {
		record_forget_running(&sharing->args->store, job);
		return EXIT_OK;
	}
	if (!sharing_running(sharing->args, job, &other))
		return EXIT_OK;
	code = loads_of(sharing->args, sharing->fabric, &other, sharing->other);
	link = code ? LIQUID_NONE : shared_link(sharing->fabric, sharing->own, sharing->other);
	if (!code && share_node(sharing->spec, &other))
		snprintf(sharing->reason, sizeof(sharing->reason),
			 "it shares a node with job %s", job);
	else if (link != LIQUID_NONE && !sharing->args->merge)
		snprintf(sharing->reason, sizeof(sharing->reason),
			 "it shares link %.300s with job %s (merge would gate both by one "
			 "schedule)", liquid_fabric_link_name(sharing->fabric, link, name,
							      sizeof(name)), job);
	else if (link != LIQUID_NONE)
		code = merge(sharing->args, sharing->spec, &other);
	job_spec_clear(&other);
	return code;
}

/* A merged job may share links with further jobs: repeat until nothing is added. */
static int meet_jobs(struct sharing *sharing, const struct liquid_names *jobs)
{
	size_t parts;
	int code;

	do {
		parts = sharing->spec->part_count;
		code = loads_of(sharing->args, sharing->fabric, sharing->spec, sharing->own);
		for (size_t i = 0; !code && !*sharing->reason && i < jobs->count; i++)
			code = meet_job(sharing, jobs->name[i]);
	} while (!code && !*sharing->reason && parts != sharing->spec->part_count);
	return code;
}

int sharing_check(const struct job_args *args, const struct liquid_fabric *fabric,
		  struct job_spec *spec, char reason[512])
{
	size_t links = (size_t)liquid_fabric_link_count(fabric) + 1;
	struct sharing sharing = {
		.args = args, .fabric = fabric, .spec = spec,
		.own = calloc(links, sizeof(uint64_t)), .other = calloc(links, sizeof(uint64_t)),
	};
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	int code = EXIT_OK, status = job_list_running(&args->store, &jobs, &err);

	if (status)
		code = complain_of(status, &err);
	else if (!sharing.own || !sharing.other)
		code = complain(EXIT_IO, "out of memory");
	else
		code = meet_jobs(&sharing, &jobs);
	strcpy(reason, sharing.reason);
	liquid_names_clear(&jobs);
	free(sharing.own);
	free(sharing.other);
	return code;
}
