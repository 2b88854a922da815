// SPDX-License-Identifier: GPL-2.0-only
/*
 * job sweep, on the controller, after the subnet manager has swept: rounds whose transfers take
 * other routes now are void
 *
 * A record says so of each job of such a round. All of its nodes open their gates when they see it,
 * and withdraw the plans of ranks. What changes elsewhere in the fabric voids nothing. A later
 * `job reroute` publishes another round, in which the nodes take part as ever.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "job/fabric.h"
#include "job/sharing.h"
#include "job/store/records.h"
#include "util/say.h"

/* A job that is gated, by its round */
struct swept {
	const char *job;
	unsigned int generation;
	struct job_spec spec;
};

struct sweep {
	const struct job_args *args;
	struct swept *jobs;
	size_t count;
};

/* ---- questions ---- */

/* The fabric after a reroute is the round's own. */
static int ask_fabric(const struct job_args *args, const struct job_spec *spec, struct ask *ask)
{
	char record[JOB_PATH_MAX], path[32];
	struct liquid_error err;
	int fd;

	if (!spec->own_fabric) {
		ask_set_file(ask, ask->question, "fabric", args->conf.fabric, NULL);
		return EXIT_OK;
	}
	fd = job_open(&args->store, record_path(record, RECORD_FABRIC, spec->round, NULL), &err);
	if (fd < 0)
		return complain(EXIT_BAD_INPUT, "%s", err.text);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ask_set_file(ask, ask->question, "fabric", path, NULL);
	close(fd);
	return EXIT_OK;
}

/* As it is now; without --fabric the dumps are imported likewise. */
static void ask_now(const struct job_args *args, struct ask *ask)
{
	if (args->fabric) {
		ask_set_file(ask, ask->question, "now", args->fabric, NULL);
		return;
	}
	ask_set_file(ask, ask->question, "topo", args->conf.live_topo, NULL);
	ask_set_file(ask, ask->question, "lft", args->conf.live_lft, NULL);
}

static void ask_round(const struct job_args *args, const struct job_spec *spec, struct ask *ask)
{
	json_t *round = fabric_ask_next(ask, "rounds", spec, &args->conf);

	ask_set(ask, round, "fabric_digest", json_string(spec->fabric_digest));
	ask_set(ask, round, "label", json_string(args->conf.fabric));
}

/* ---- answers ---- */

/* It may have been rerouted since it was listed: the record is of that generation alone. */
static int put_void(const struct job_args *args, const struct swept *swept, const char *reason)
{
	char round[JOB_ROUND_SIZE], number[16];
	struct liquid_error err;
	int status;

	if (job_in_force(&args->store, swept->job, round) != swept->generation ||
	    strcmp(swept->spec.round, round))
		return EXIT_OK;
	status = record_put(&args->store, RECORD_VOID, swept->job,
			    record_number(swept->generation, number),
			    json_pack("{s:s, s:s}", "reason", reason, "cause", CAUSE_ROUTES), &err);
	if (status < 0)
		return complain_of(status, &err);
	put_text("job %s: round %s is void: %s\n", swept->job, round, reason);
	return EXIT_OK;
}

static int take_verdict(const struct job_args *args, const struct swept *swept,
			const json_t *verdict)
{
	const char *reason = json_string_value(json_object_get(verdict, "reason"));
	const char *error = json_string_value(json_object_get(verdict, "error"));
	struct liquid_error err;

	if (error)
		return complain(EXIT_BAD_INPUT, "%s", error);
	if (!reason)
		return complain_of(ask_malformed(&err), &err);
	return *reason ? put_void(args, swept, reason) : EXIT_OK;
}

/* Judge @count rounds of one fabric. One that cannot be judged does not keep others from it. */
static int judge(const struct job_args *args, const struct swept *const *jobs, size_t count)
{
	json_t *answer = NULL;
	struct liquid_error err;
	struct ask ask;
	int status, code;

	ask_begin(&ask, "sweep");
	code = ask_fabric(args, &jobs[0]->spec, &ask);
	ask_now(args, &ask);
	fabric_ask_rail(&ask, &args->conf);
	for (size_t i = 0; i < count; i++)
		ask_round(args, &jobs[i]->spec, &ask);
	if (!code) {
		status = ask_answer(&ask, &answer, &err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	ask_end(&ask);
	for (size_t i = 0; answer && i < count; i++) {
		int own = take_verdict(args, jobs[i],
				       json_array_get(json_object_get(answer, "rounds"), i));

		code = code ? code : own;
	}
	json_decref(answer);
	return code;
}

/* ---- all jobs ---- */

/* Rounds on the fabric of liquid.conf together, others one by one */
static int judge_all(const struct sweep *sweep)
{
	const struct swept **common = calloc(sweep->count + 1, sizeof(struct swept *));
	size_t count = 0;
	int code = common ? EXIT_OK : complain(EXIT_IO, "out of memory");

	for (size_t i = 0; common && i < sweep->count; i++) {
		const struct swept *swept = &sweep->jobs[i];
		int own = EXIT_OK;

		if (swept->spec.own_fabric)
			own = judge(sweep->args, &swept, 1);
		else
			common[count++] = swept;
		code = code ? code : own;
	}
	if (count) {
		int all = judge(sweep->args, common, count);

		code = code ? code : all;
	}
	free(common);
	return code;
}

static void list_job(struct sweep *sweep, const char *job)
{
	const struct job_args *args = sweep->args;
	struct swept *swept = &sweep->jobs[sweep->count];
	char round[JOB_ROUND_SIZE], reason[512];

	swept->job = job;
	swept->generation = job_in_force(&args->store, job, round);
	if (!record_get_void(&args->store, job, swept->generation, reason, sizeof(reason)) &&
	    sharing_running(args, job, &swept->spec))
		sweep->count++;
}

static int sweep_jobs(const struct job_args *args)
{
	struct sweep sweep = { .args = args };
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	int code, status = job_list_running(&args->store, &jobs, &err);

	if (status)
		return complain_of(status, &err);
	sweep.jobs = calloc(jobs.count + 1, sizeof(*sweep.jobs));
	for (size_t i = 0; sweep.jobs && i < jobs.count; i++)
		if (!args->job || !strcmp(args->job, jobs.name[i]))
			list_job(&sweep, jobs.name[i]);
	code = sweep.jobs ? judge_all(&sweep) : complain(EXIT_IO, "out of memory");
	while (sweep.count)
		job_spec_clear(&sweep.jobs[--sweep.count].spec);
	free(sweep.jobs);
	liquid_names_clear(&jobs);
	return code;
}

/* Jobs begin meanwhile, so this takes no lock of the store. */
int job_sweep(struct job_args *args)
{
	int code = EXIT_OK;

	if (!args->fabric && !args->conf.live_topo)
		code = complain(EXIT_BAD_INPUT, "%s names no live-topo and live-lft, and --fabric "
				"is not given: nothing says which routes there are now",
				args->conf_path);
	else if (!args->fabric)
		code = job_run_live(&args->conf);
	return code ? code : sweep_jobs(args);
}
