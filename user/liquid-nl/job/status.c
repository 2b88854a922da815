// SPDX-License-Identifier: GPL-2.0-only
/* job status: the state of jobs, as text and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "job/job.h"
#include "job/store/records.h"
#include "show/print.h"
#include "util/say.h"

static json_t *names_json(const struct liquid_names *names)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < names->count; i++)
		json_array_append_new(array, json_string(names->name[i]));
	return array;
}

/* The state of a round in one word */
static const char *state_of(const struct job_args *args, const char *round)
{
	struct record_decision release, go;

	if (!*round)
		return "ungated";
	if (!record_get_decision(&args->store, RECORD_RELEASE, round, &release))
		return "preparing";
	if (!release.positive)
		return "aborted";
	if (!record_get_decision(&args->store, RECORD_GO, round, &go))
		return "released";
	return go.positive ? "gated" : "cancelled";
}

static void copy_members(json_t *json, const json_t *record, const char *const *members)
{
	for (; *members; members++) {
		json_t *member = json_object_get(record, *members);

		if (member)
			json_object_set(json, *members, member);
	}
}

static void add_nodes(const struct job_args *args, json_t *json, const char *job, const char *round)
{
	struct liquid_error err;
	struct job_spec spec;

	if (job_spec_read(&args->store, round, &spec, &err))
		return;
	for (size_t i = 0; i < spec.part_count; i++)
		if (!strcmp(spec.part[i].job, job))
			json_object_set_new(json, "nodes", names_json(&spec.part[i].nodes));
	job_spec_clear(&spec);
}

/* Members of the round's records: the release, or why there is none, and the schedule's figures. */
static void add_round(const struct job_args *args, json_t *json, const char *round)
{
	static const char *const of_abort[] = { "node", "reason", "cause", NULL };
	static const char *const of_release[] = { "base_ns", "digest", NULL };
	static const char *const of_figures[] = {
		"frames", "lower_bound", "certificate", "kept", "moved", NULL
	};
	static const struct {
		enum record record;
		const char *const *members;
	} records[] = {
		{ RECORD_RELEASE, of_release }, { RECORD_RELEASE, of_abort },
		{ RECORD_GO, of_abort }, { RECORD_FIGURES, of_figures },
	};

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		struct liquid_error err;
		json_t *record = record_get(&args->store, records[i].record, round, NULL, &err);

		/* A decision without a reason is one for the round: its node does not matter. */
		if (records[i].members != of_abort || json_object_get(record, "reason"))
			copy_members(json, record, records[i].members);
		json_decref(record);
	}
}

/* Why the job never had a round */
static void add_skipped(const struct job_args *args, json_t *json, const char *job)
{
	static const char *const of_skip[] = { "reason", "cause", NULL };
	struct liquid_error err;
	json_t *record = record_get(&args->store, RECORD_SKIP, job, NULL, &err);

	copy_members(json, record, of_skip);
	json_decref(record);
}

/* The nodes for which there is @record, with its reason, as member @name */
static void add_of_nodes(const struct job_args *args, json_t *json, const char *round,
			 enum record of, const char *name)
{
	json_t *found = json_array(), *node;
	size_t index;

	json_array_foreach(json_object_get(json, "nodes"), index, node) {
		struct liquid_error err;
		json_t *record = record_get(&args->store, of, round,
					    json_string_value(node), &err);

		if (record)
			json_array_append_new(found, json_pack("{s:O, s:O*}", "node", node,
							       "reason",
							       json_object_get(record, "reason")));
		json_decref(record);
	}
	if (json_array_size(found))
		json_object_set(json, name, found);
	json_decref(found);
}

/* Without a decision of the round they are why the job is not gated. */
static void add_refused(const struct job_args *args, json_t *json, const char *round)
{
	const char *node, *reason, *state = "", *was = "";
	char text[1200];

	json_unpack(json, "{s:s, s?s}", "state", &state, "was", &was);
	if (!strcmp(state, "gated") || !strcmp(was, "gated"))
		return;
	add_of_nodes(args, json, round, RECORD_REFUSED, "refused");
	if (json_object_get(json, "reason") ||
	    json_unpack(json_array_get(json_object_get(json, "refused"), 0), "{s:s, s:s}",
			"node", &node, "reason", &reason))
		return;
	snprintf(text, sizeof(text), "refused %s: %s", node, reason);
	json_object_set_new(json, "reason", json_string(text));
	json_object_set_new(json, "cause", json_string(CAUSE_ADDRESS));
}

/* The newest round was aborted, and an earlier one is still in force. */
static void add_given_up(const struct job_args *args, json_t *json, const char *round)
{
	struct liquid_error err;
	json_t *release = record_get(&args->store, RECORD_RELEASE, round, NULL, &err);
	json_t *given_up = json_pack("{s:s, s:O*, s:O*}", "round", round,
				     "node", json_object_get(release, "node"),
				     "reason", json_object_get(release, "reason"));

	json_object_set_new(json, "given_up", given_up);
	json_decref(release);
}

/* For a job that has ended, "was" shows whether it was gated. */
static void add_state(const struct job_args *args, json_t *json, const char *job, const char *round)
{
	const char *state = state_of(args, round);
	bool ended = job_ended(&args->store, job);

	json_object_set_new(json, "state", json_string(ended ? "ended" : state));
	if (ended)
		json_object_set_new(json, "was",
				    json_string(!strcmp(state, "gated") ? state : "ungated"));
}

/* Routes have changed: the nodes have opened their gates. */
static void add_void(const struct job_args *args, json_t *json, const char *job,
		     unsigned int generation)
{
	char reason[512];

	if (!record_get_void(&args->store, job, generation, reason, sizeof(reason)))
		return;
	if (!json_object_get(json, "was"))
		json_object_set_new(json, "state", json_string("void"));
	json_object_set_new(json, "reason", json_string(reason));
	json_object_set_new(json, "cause", json_string(CAUSE_ROUTES));
}

json_t *job_status_json(const struct job_args *args, const char *job)
{
	char newest[JOB_ROUND_SIZE] = "", round[JOB_ROUND_SIZE] = "";
	unsigned int last = job_generation(&args->store, job, newest);
	unsigned int generation = job_in_force(&args->store, job, round);
	json_t *json;

	if (!generation) {
		generation = last;
		strcpy(round, newest);
	}
	json = json_pack("{s:s, s:n, s:i, s:s}", "job", job, "state", "generation", (int)generation,
			 "round", round);
	if (!json)
		return json;
	add_state(args, json, job, round);
	if (!generation) {
		add_skipped(args, json, job);
		return json;
	}
	add_round(args, json, round);
	add_void(args, json, job, generation);
	if (last != generation)
		add_given_up(args, json, newest);
	add_nodes(args, json, job, round);
	add_of_nodes(args, json, round, RECORD_OPEN, "open");
	add_refused(args, json, round);
	return json;
}

static void print_open(const json_t *json)
{
	json_t *open;
	size_t index;

	json_array_foreach(json_object_get(json, "open"), index, open) {
		const char *node = "", *reason = "";

		json_unpack(open, "{s:s, s?s}", "node", &node, "reason", &reason);
		put_text("; node %s has opened its gate%s%s", node, *reason ? ": " : "", reason);
	}
}

/* Nodes that the reason is not about */
static void print_refused(const json_t *json)
{
	const char *cause = json_string_value(json_object_get(json, "cause"));
	json_t *refused;
	size_t index;

	json_array_foreach(json_object_get(json, "refused"), index, refused) {
		const char *node = "", *reason = "";

		json_unpack(refused, "{s:s, s?s}", "node", &node, "reason", &reason);
		if (index || !cause || strcmp(cause, CAUSE_ADDRESS))
			put_text("; refused %s: %s", node, reason);
	}
}

/* "node3: no address ..." */
static const char *reason_text(const json_t *json, char *text, size_t size)
{
	const char *node = "", *reason = "";

	json_unpack((json_t *)json, "{s?s, s?s}", "node", &node, "reason", &reason);
	snprintf(text, size, "%s%s%s", *reason ? node : "", *reason && *node ? ": " : "", reason);
	return text;
}

static void print_given_up(const json_t *json)
{
	const json_t *given_up = json_object_get(json, "given_up");
	char text[1200];

	if (given_up)
		put_text("; round %s was given up%s%s",
			 json_string_value(json_object_get(given_up, "round")),
			 *reason_text(given_up, text, sizeof(text)) ? ": " : "", text);
}

static void print_text(const json_t *json)
{
	const char *job = "", *state = "", *round = "", *digest = "", *certificate = "", *was = "";
	json_int_t base = 0, frames = 0, kept = -1, moved = 0;
	char text[TAI_TEXT], reason[1200];

	json_unpack((json_t *)json, "{s:s, s:s, s:s, s?s, s?s, s?I, s?I, s?s, s?I, s?I}",
		    "job", &job, "state", &state, "round", &round, "digest", &digest, "was", &was,
		    "base_ns", &base, "frames", &frames, "certificate", &certificate,
		    "kept", &kept, "moved", &moved);
	reason_text(json, reason, sizeof(reason));
	put_text("job %s: %s", job, state);
	if (!strcmp(was, "ungated"))
		put_text(" (ungated%s%s)", *reason ? ": " : "", reason);
	if (*round)
		put_text(", round %s", round);
	if (*digest)
		put_text(", schedule %.12s from %s", digest, format_tai(base, text));
	if (frames)
		put_text(", %" JSON_INTEGER_FORMAT " frames (%s)", frames, certificate);
	if (kept >= 0)
		put_text(", %" JSON_INTEGER_FORMAT " transfers kept, %" JSON_INTEGER_FORMAT
			 " moved", kept, moved);
	if (*reason && !*was)
		put_text(": %s", reason);
	print_given_up(json);
	print_open(json);
	print_refused(json);
	putchar('\n');
}

int job_status(struct job_args *args)
{
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	json_t *array = json_array();
	int status = args->running ? job_list_running(&args->store, &jobs, &err) :
		     job_list(&args->store, RECORDS_JOBS, &jobs, &err);

	if (status)
		return complain_of(status, &err);
	for (size_t i = 0; i < jobs.count; i++)
		if ((!args->job || !strcmp(args->job, jobs.name[i])) &&
		    !(args->running && job_ended(&args->store, jobs.name[i])))
			json_array_append_new(array, job_status_json(args, jobs.name[i]));
	liquid_names_clear(&jobs);
	return job_print_states(array, args->json);
}

int job_print_states(json_t *array, bool json)
{
	if (json)
		return print_json("liquid-jobs", 1, json_pack("{s:o}", "jobs", array));
	for (size_t i = 0; i < json_array_size(array); i++)
		print_text(json_array_get(array, i));
	json_decref(array);
	return EXIT_OK;
}
