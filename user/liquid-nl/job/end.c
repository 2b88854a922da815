// SPDX-License-Identifier: GPL-2.0-only
/* The end of a job: open the gate, and record the end. */
#include "util/command.h"
#include "gate/device.h"
#include "job/job.h"
#include "job/store/records.h"

/* ---- the gate ---- */

static bool is_own(const struct gate_sched *sched, const struct job_args *args)
{
	return sched->present && sched->base_time == args->run.base_ns;
}

static int clear_one(const struct job_args *args, const char *device, bool own_only)
{
	struct netlink nl;
	struct gate gate;
	uint32_t ifindex;
	int code = open_gate(device, &nl, &ifindex);

	if (code)
		return code;
	if (own_only && gate_get(&nl, ifindex, &gate))
		code = refused(&nl, device);
	else if (own_only && !is_own(&gate.oper, args) && !is_own(&gate.admin, args))
		code = EXIT_OK;
	else if (gate_sched_clear(&nl, ifindex))
		code = refused(&nl, device);
	netlink_close(&nl);
	return code;
}

/* A gate that cannot be opened does not keep another one from it. */
static int clear(const struct job_args *args, bool own_only)
{
	const struct conf_device *device = conf_devices_of(&args->conf, args->node);
	int code = EXIT_OK;

	if (args->dry_run)
		return EXIT_OK;
	if (!device)
		return complain(EXIT_BAD_INPUT, "%s: no device for node '%s'", args->conf_path,
				args->node);
	for (size_t i = 0; i < device->count; i++) {
		int own = clear_one(args, device->name[i], own_only);

		code = code ? code : own;
	}
	return code;
}

int job_clear_gate(const struct job_args *args)
{
	return clear(args, false);
}

int job_clear_own(const struct job_args *args)
{
	return clear(args, true);
}

/* ---- the record ---- */

/*
 * A job that was not meant to be gated leaves no records. Several nodes may come here at once: only
 * the one whose rename succeeds removes the directory.
 */
static bool forget_unasked(const struct job_args *args, struct liquid_error *err)
{
	char from[JOB_PATH_MAX], to[JOB_PATH_MAX];
	struct record_skip skip;

	if (!record_get_skip(&args->store, args->job, &skip) || skip.asked)
		return false;
	record_path(from, RECORD_JOB, args->job, NULL);
	record_path(to, RECORD_UNASKED, args->job, NULL);
	if (!job_rename(&args->store, from, to, err))
		job_remove_dir(&args->store, to, err);
	return true;
}

int job_note_end(const struct job_args *args, const char *by)
{
	struct liquid_error err;
	int status;

	if (record_lacks(&args->store, RECORD_JOB, args->job))
		return EXIT_OK;
	/* The service keeps the store, and does the rest itself. */
	if (!args->store.backend && forget_unasked(args, &err))
		return EXIT_OK;
	status = record_put(&args->store, RECORD_END, args->job, NULL,
			    json_pack("{s:s}", "by", by), &err);
	if (status >= 0 && !args->store.backend)
		record_forget_running(&args->store, args->job);
	else if (record_lacks(&args->store, RECORD_JOB, args->job))
		status = LIQUID_OK;
	return status < 0 ? complain_of(status, &err) : EXIT_OK;
}

/* The round that the node was in, if it was in any */
static void note_last(struct job_args *args, json_t *sample)
{
	char round[JOB_ROUND_SIZE];

	if (job_in_force(&args->store, args->job, round))
		job_sample_put(args, RECORD_LAST, round, sample);
	else
		json_decref(sample);
}

int job_end(struct job_args *args)
{
	const struct job_needs needs = { .writes = true, .calls = true };
	/* The gate comes first: it must open even if the store fails. */
	json_t *sample = args->node ? job_sample_gate(args) : NULL;
	int code = args->node ? job_clear_gate(args) : EXIT_OK;
	int noted = job_open_store(args, &needs);

	if (noted)
		json_decref(sample);
	else if (sample)
		note_last(args, sample);
	if (!noted)
		noted = job_note_end(args, args->node ? args->node : "controller");
	if (!noted && (!args->node || args->conf.first))
		job_purge_daily(args);
	return noted ? noted : code;
}
