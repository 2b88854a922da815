// SPDX-License-Identifier: GPL-2.0-only
/*
 * job metrics: how many jobs of the store were gated, and why others were not, for Prometheus
 *
 * The values are of the store now, from which old jobs are purged: so they are gauges.
 */
#include <string.h>

#include "util/command.h"
#include "report/report.h"
#include "show/prometheus.h"

/* A cause is a label, and a record may have been written by anything: there shall be few. */
static const char *known_cause(const char *cause)
{
	static const char *const causes[] = {
		"", CAUSE_TRAFFIC, CAUSE_SIZE, CAUSE_SHARED, CAUSE_STORE, CAUSE_CLOCK,
		CAUSE_SCHEDULE, CAUSE_GATE, CAUSE_DIFFERS, CAUSE_LATE, CAUSE_ENDED, CAUSE_KILLED,
		CAUSE_ADDRESS, CAUSE_NETWORK, CAUSE_ROUTES,
	};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (!strcmp(cause, causes[i]))
			return causes[i];
	return "other";
}

struct verdict {
	const char *outcome, *cause;
};

/* A job without a round */
static struct verdict judge_skipped(const struct job_store *store, const char *job, bool ended)
{
	struct liquid_error err;
	json_t *skip = record_get(store, RECORD_SKIP, job, NULL, &err);
	struct verdict verdict = { ended ? "ungated" : "preparing", "" };

	if (skip) {
		verdict.outcome = json_is_false(json_object_get(skip, "asked")) ? "unasked" :
				  "ungated";
		verdict.cause = known_cause(text_of(skip, "cause"));
	}
	json_decref(skip);
	return verdict;
}

/* A job without a decision that no node of it could make */
static struct verdict judge_undecided(const struct job_store *store, const char *round, bool ended)
{
	struct liquid_error err;
	struct job_spec spec;
	bool refused = false;

	if (job_spec_read(store, round, &spec, &err))
		return (struct verdict){ ended ? "ungated" : "preparing", "" };
	for (size_t i = 0; i < spec.part_count; i++)
		for (size_t n = 0; !refused && n < spec.part[i].nodes.count; n++)
			refused = record_has(store, RECORD_REFUSED, round,
					     spec.part[i].nodes.name[n]);
	job_spec_clear(&spec);
	return (struct verdict){ ended ? "ungated" : "preparing",
				 ended && refused ? CAUSE_ADDRESS : "" };
}

static struct verdict judge(const struct job_store *store, const char *job, bool ended)
{
	char round[JOB_ROUND_SIZE], newest[JOB_ROUND_SIZE], reason[8];
	struct record_decision release, go;
	unsigned int in_force;

	if (!job_generation(store, job, newest))
		return judge_skipped(store, job, ended);
	in_force = job_in_force(store, job, round);
	if (!in_force)
		strcpy(round, newest);
	else if (!ended && record_get_void(store, job, in_force, reason, sizeof(reason)))
		return (struct verdict){ "ungated", CAUSE_ROUTES };
	if (!record_get_decision(store, RECORD_RELEASE, round, &release))
		return judge_undecided(store, round, ended);
	if (!release.positive)
		return (struct verdict){ "ungated", known_cause(release.cause) };
	if (!record_get_decision(store, RECORD_GO, round, &go))
		return (struct verdict){ ended ? "ungated" : "preparing", "" };
	return go.positive ? (struct verdict){ "gated", "" } :
	       (struct verdict){ "ungated", known_cause(go.cause) };
}

static void count(json_t *counts, const char *state, const struct verdict *verdict)
{
	json_t *at;
	size_t index;

	json_array_foreach(counts, index, at)
		if (!strcmp(text_of(at, "state"), state) &&
		    !strcmp(text_of(at, "outcome"), verdict->outcome) &&
		    !strcmp(text_of(at, "cause"), verdict->cause)) {
			json_object_set_new(at, "jobs", json_integer((json_int_t)
								     value_of(at, "jobs") + 1));
			return;
		}
	json_array_append_new(counts, json_pack("{s:s, s:s, s:s, s:i}", "state", state, "outcome",
						verdict->outcome, "cause", verdict->cause,
						"jobs", 1));
}

json_t *report_count_jobs(const struct job_args *args)
{
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	json_t *counts = json_array();

	if (job_list(&args->store, RECORDS_JOBS, &jobs, &err)) {
		complain(0, "%s", err.text);
		json_decref(counts);
		return NULL;
	}
	for (size_t i = 0; i < jobs.count; i++) {
		bool ended = job_ended(&args->store, jobs.name[i]);
		struct verdict verdict = judge(&args->store, jobs.name[i], ended);

		/* The first node of such a job counts it. */
		if (record_has(&args->store, RECORD_AT, jobs.name[i], NULL))
			continue;
		count(counts, ended ? "ended" : "running", &verdict);
	}
	liquid_names_clear(&jobs);
	return counts;
}

void report_print_metrics(FILE *out, const json_t *counts)
{
	const json_t *at;
	size_t index;

	put_head(out, "liquid_jobs", "gauge",
		 "Jobs in the store, by outcome, and the cause of one that was not gated.");
	json_array_foreach((json_t *)counts, index, at) {
		fputs("liquid_jobs{state=\"", out);
		put_label(out, text_of(at, "state"));
		fputs("\",outcome=\"", out);
		put_label(out, text_of(at, "outcome"));
		fputs("\",cause=\"", out);
		put_label(out, text_of(at, "cause"));
		fprintf(out, "\"} %llu\n", (unsigned long long)value_of(at, "jobs"));
	}
}
