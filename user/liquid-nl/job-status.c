// SPDX-License-Identifier: GPL-2.0-only
/* How jobs stand. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "job.h"
#include "print.h"
#include "say.h"

static json_t *names_json(const struct liquid_names *names)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < names->count; i++)
		json_array_append_new(array, json_string(names->name[i]));
	return array;
}

/* One word: how the round that is in force stands, or the newest where none is. */
static const char *state_of(const struct job_args *args, const char *job, const char *round)
{
	char *release, *go;
	const char *state;

	if (job_ended(&args->store, job))
		return "ended";
	if (!*round)
		return "ungated";
	release = job_verdict(&args->store, round, "release", NULL);
	go = job_verdict(&args->store, round, "go", NULL);
	if (!release)
		state = "preparing";
	else if (strcmp(release, "commit"))
		state = "aborted";
	else
		state = !go ? "released" : !strcmp(go, "keep") ? "gated" : "cancelled";
	free(release);
	free(go);
	return state;
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

/* What the round's records tell: the release, or why there is none; how good the schedule is. */
static void add_round(const struct job_args *args, json_t *json, const char *round)
{
	static const char *const of_release[] = { "base_ns", "digest", "reason", NULL };
	static const char *const of_go[] = { "reason", NULL };
	static const char *const of_figures[] = {
		"frames", "lower_bound", "certificate", "kept", "moved", NULL
	};
	static const struct {
		const char *record;
		const char *const *members;
	} records[] = { { "release", of_release }, { "go", of_go }, { "figures", of_figures } };

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		struct liquid_error err;
		char path[JOB_PATH_MAX];
		json_t *record;

		snprintf(path, sizeof(path), "rounds/%s/%s.json", round, records[i].record);
		record = job_get(&args->store, path, &err);
		copy_members(json, record, records[i].members);
		json_decref(record);
	}
}

/* Nodes whose gate opened, since its lease was not renewed, while the others' gates went on. */
static void add_open(const struct job_args *args, json_t *json, const char *round)
{
	json_t *open = json_array(), *node;
	size_t index;

	json_array_foreach(json_object_get(json, "nodes"), index, node) {
		char path[JOB_PATH_MAX];

		snprintf(path, sizeof(path), "rounds/%s/open.%s.json", round, json_string_value(node));
		if (job_has(&args->store, path))
			json_array_append(open, node);
	}
	if (json_array_size(open))
		json_object_set(json, "open", open);
	json_decref(open);
}

/* The newest round was given up, and the one before goes on. */
static void add_given_up(const struct job_args *args, json_t *json, const char *round)
{
	json_t *release = NULL;
	char *verdict = job_verdict(&args->store, round, "release", &release);
	json_t *reason = json_object_get(release, "reason");
	json_t *given_up = json_pack("{s:s, s:O*}", "round", round, "reason", reason);

	json_object_set_new(json, "given_up", given_up);
	json_decref(release);
	free(verdict);
}

static json_t *job_json(const struct job_args *args, const char *job)
{
	char newest[JOB_NAME_MAX + 16] = "", round[JOB_NAME_MAX + 16] = "";
	unsigned int last = job_generation(&args->store, job, newest);
	unsigned int generation = job_in_force(&args->store, job, round);
	json_t *json;

	if (!generation) {
		generation = last;
		strcpy(round, newest);
	}
	json = json_pack("{s:s, s:s, s:i, s:s}", "job", job, "state", state_of(args, job, round),
			 "generation", (int)generation, "round", round);
	if (!json || !generation)
		return json;
	add_round(args, json, round);
	if (last != generation)
		add_given_up(args, json, newest);
	add_nodes(args, json, job, round);
	add_open(args, json, round);
	return json;
}

static void print_open(const json_t *json)
{
	json_t *node;
	size_t index;

	json_array_foreach(json_object_get(json, "open"), index, node)
		put_text("; node %s has opened its gate", json_string_value(node));
}

static void print_given_up(const json_t *json)
{
	const char *round = "", *reason = "";

	if (!json_unpack((json_t *)json, "{s:{s:s, s?s}}", "given_up", "round", &round, "reason", &reason))
		put_text("; round %s was given up%s%s", round, *reason ? ": " : "", reason);
}

static void print_text(const json_t *json)
{
	const char *job = "", *state = "", *round = "", *digest = "", *reason = "", *certificate = "";
	json_int_t base = 0, frames = 0, kept = -1, moved = 0;
	char text[TAI_TEXT];

	json_unpack((json_t *)json, "{s:s, s:s, s:s, s?s, s?s, s?I, s?I, s?s, s?I, s?I}", "job", &job,
		    "state", &state, "round", &round, "digest", &digest, "reason", &reason, "base_ns",
		    &base, "frames", &frames, "certificate", &certificate, "kept", &kept, "moved",
		    &moved);
	put_text("job %s: %s%s%s", job, state, *round ? ", round " : "", round);
	if (*digest)
		put_text(", schedule %.12s from %s", digest, format_tai(base, text));
	if (frames)
		put_text(", %" JSON_INTEGER_FORMAT " frames (%s)", frames, certificate);
	if (kept >= 0)
		put_text(", %" JSON_INTEGER_FORMAT " transfers kept, %" JSON_INTEGER_FORMAT " moved", kept,
			 moved);
	if (*reason)
		put_text(": %s", reason);
	print_given_up(json);
	print_open(json);
	putchar('\n');
}

int job_status(struct job_args *args)
{
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	json_t *array = json_array();
	int status = job_list(&args->store, "jobs", &jobs, &err);

	if (status)
		return complain(exit_code_of(status), "%s", err.text);
	for (size_t i = 0; i < jobs.count; i++)
		if (!args->job || !strcmp(args->job, jobs.name[i]))
			json_array_append_new(array, job_json(args, jobs.name[i]));
	liquid_names_clear(&jobs);
	if (args->json)
		return print_json(array);
	for (size_t i = 0; i < json_array_size(array); i++)
		print_text(json_array_get(array, i));
	json_decref(array);
	return EXIT_OK;
}
