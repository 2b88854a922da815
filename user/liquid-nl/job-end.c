// SPDX-License-Identifier: GPL-2.0-only
/* The end of a job, and how jobs stand. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "job-agree.h"
#include "print.h"

int job_end(struct job_args *args)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	int status, code;

	/* First the gate: whatever the store is like, this node shall be open. */
	code = args->node ? job_clear_gate(args) : EXIT_OK;
	snprintf(path, sizeof(path), "jobs/%s", args->job);
	status = job_make_dir(&args->store, path, &err);
	snprintf(path, sizeof(path), "jobs/%s/end.json", args->job);
	if (!status)
		status = job_put(&args->store, path, json_pack("{s:s}", "by", args->node ? args->node :
								"controller"), &err);
	return status < 0 ? complain(exit_code_of(status), "%s", err.text) : code;
}

static json_t *names_json(const struct liquid_names *names)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < names->count; i++)
		json_array_append_new(array, json_string(names->name[i]));
	return array;
}

/* One word: how its newest round stands. */
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

static json_t *job_json(const struct job_args *args, const char *job)
{
	char round[JOB_NAME_MAX + 16] = "";
	unsigned int generation = job_generation(&args->store, job, round);
	json_t *json = json_pack("{s:s, s:s, s:i, s:s}", "job", job, "state",
				 state_of(args, job, round), "generation", (int)generation, "round", round);
	json_t *release = NULL;
	char *verdict = generation ? job_verdict(&args->store, round, "release", &release) : NULL;

	for (int part = 0; json && verdict && part < 3; part++) {
		static const char *const members[] = { "base_ns", "digest", "reason" };
		json_t *member = json_object_get(release, members[part]);

		if (member)
			json_object_set(json, members[part], member);
	}
	json_decref(release);
	free(verdict);
	if (json && generation) {
		struct liquid_names nodes = { 0 };
		struct liquid_error err;
		struct job_spec spec;

		if (!job_spec_read(&args->store, round, &spec, &err)) {
			for (size_t i = 0; i < spec.part_count; i++)
				if (!strcmp(spec.part[i].job, job))
					nodes = spec.part[i].nodes;
			json_object_set_new(json, "nodes", names_json(&nodes));
			job_spec_clear(&spec);
		}
	}
	return json;
}

static void print_text(const json_t *json)
{
	const char *job = "", *state = "", *round = "", *digest = "", *reason = "";
	json_int_t base = 0;
	char text[TAI_TEXT];

	json_unpack((json_t *)json, "{s:s, s:s, s:s, s?s, s?s, s?I}", "job", &job, "state", &state,
		    "round", &round, "digest", &digest, "reason", &reason, "base_ns", &base);
	printf("job %s: %s%s%s", job, state, *round ? ", round " : "", round);
	if (*digest)
		printf(", schedule %.12s from %s", digest, format_tai(base, text));
	printf("%s%s\n", *reason ? ": " : "", reason);
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
