// SPDX-License-Identifier: GPL-2.0-only
/* The end of a job: the gate opens, and the end is noted. */
#include "cmd.h"
#include "job-agree.h"

int job_note_end(const struct job_args *args, const char *by)
{
	struct liquid_error err;
	char path[JOB_PATH_MAX];
	int status;

	snprintf(path, sizeof(path), "jobs/%s", args->job);
	status = job_make_dir(&args->store, path, &err);
	snprintf(path, sizeof(path), "jobs/%s/end.json", args->job);
	if (!status)
		status = job_put(&args->store, path, json_pack("{s:s}", "by", by), &err);
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
	return noted ? noted : code;
}
