// SPDX-License-Identifier: GPL-2.0-only
/* The end of a job: the gate opens, and the end is noted. */
#include "cmd/cmd.h"
#include "job/agree.h"

/* Nothing is kept of a job that was not to be gated. Of several that come here one moves it away. */
static bool forget_unasked(const struct job_args *args, const char *dir, struct liquid_error *err)
{
	char path[JOB_PATH_MAX + 16];
	int asked = 1;
	json_t *skip;

	snprintf(path, sizeof(path), "%s/skip.json", dir);
	skip = job_get(&args->store, path, err);
	if (skip)
		json_unpack(skip, "{s?b}", "asked", &asked);
	json_decref(skip);
	if (asked)
		return false;
	snprintf(path, sizeof(path), "jobs/.unasked-%s", args->job);
	if (!job_rename(&args->store, dir, path, err))
		job_remove_dir(&args->store, path, err);
	return true;
}

int job_note_end(const struct job_args *args, const char *by)
{
	struct liquid_error err;
	char dir[JOB_PATH_MAX], path[JOB_PATH_MAX + 16];
	int status;

	snprintf(dir, sizeof(dir), "jobs/%s", args->job);
	if (job_lacks(&args->store, dir) || forget_unasked(args, dir, &err))
		return EXIT_OK;
	snprintf(path, sizeof(path), "%s/end.json", dir);
	status = job_put(&args->store, path, json_pack("{s:s}", "by", by), &err);
	if (status >= 0)
		job_forget_running(&args->store, args->job);
	else if (job_lacks(&args->store, dir))
		status = LIQUID_OK;
	return status < 0 ? complain(exit_code_of(status), "%s", err.text) : EXIT_OK;
}

int job_end(struct job_args *args)
{
	const struct job_needs needs = { .writes = true };
	/* First the gate: whatever the store is like, this node shall be open. */
	int code = args->node ? job_clear_gate(args) : EXIT_OK;
	int noted = job_open_store(args, &needs);

	if (!noted)
		noted = job_note_end(args, args->node ? args->node : "controller");
	if (!noted && !args->node)
		job_purge_daily(args);
	return noted ? noted : code;
}
