// SPDX-License-Identifier: GPL-2.0-only
/*
 * job prepare, in a process without privileges: run the live-command, and let `liquid` check that
 * the round is for the fabric that is there, solve, and print the slice of this node, or for the
 * service the slices of all nodes
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/fabric.h"
#include "job/job.h"
#include "util/command.h"
#include "util/digest.h"

/* The path of an open file, which may have no other name */
#define FD_PATH "/proc/self/fd/%d"
#define FD_PATH_MAX 32

/* ---- the routes now ---- */

#define LIVE_LINES 32

/* Report the output of the live-command, one message per line. */
static void tell_output(int fd)
{
	FILE *out = fd < 0 || lseek(fd, 0, SEEK_SET) ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;

	for (int i = 0; out && i < LIVE_LINES && getline(&line, &room, out) >= 0; i++)
		complain(0, "live-command: %s", line);
	free(line);
	if (out)
		fclose(out);
}

/*
 * The output of the command goes to a file. On stdout it would mix with the plan, and a process
 * that the command leaves running would keep the pipe to the reader open.
 */
static int run_live(const char *command)
{
	int fd = memfd_create("live-command", MFD_CLOEXEC), status;
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (fd < 0 || out < 0 || err < 0 ||
	    dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		return -1;
	status = system(command);
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		status = -1;
	close(out);
	close(err);
	tell_output(fd);
	return status;
}

int job_run_live(const struct conf *conf)
{
	return conf->live_command && run_live(conf->live_command) ?
	       complain(EXIT_BAD_INPUT, "live-command failed: %s", conf->live_command) : EXIT_OK;
}

/* ---- records ---- */

/* SHA-256 of an open file */
static int digest_file(int fd, char hex[LIQUID_DIGEST_HEX])
{
	uint8_t buffer[16384];
	struct sha256_ctx sha;
	ssize_t got;
	off_t at = 0;

	sha256_init(&sha);
	for (; (got = pread(fd, buffer, sizeof(buffer), at)) > 0; at += got)
		sha256_update(&sha, (size_t)got, buffer);
	digest_hex(&sha, hex);
	return got ? complain(EXIT_IO, "a record cannot be read: %s", strerror(errno)) : EXIT_OK;
}

/* Open a record's file; @path is the name by which it can be read. */
static int open_record(const struct job_args *args, const char *record, int *fd,
		       char path[FD_PATH_MAX])
{
	struct liquid_error err;

	*fd = job_open(&args->store, record, &err);
	snprintf(path, FD_PATH_MAX, FD_PATH, *fd);
	return *fd < 0 ? complain(EXIT_BAD_INPUT, "%s", err.text) : EXIT_OK;
}

/* The schedule that was in force before, if this round is to keep its valid part */
static int ask_former(const struct job_args *args, const struct job_spec *spec, struct ask *ask)
{
	char record[JOB_PATH_MAX], path[FD_PATH_MAX], digest[LIQUID_DIGEST_HEX];
	int fd, code;

	if (!spec->from_round)
		return EXIT_OK;
	record_path(record, RECORD_SCHEDULE, spec->from_round, NULL);
	code = open_record(args, record, &fd, path);
	if (code)
		return code;
	code = digest_file(fd, digest);
	if (!code && strcmp(digest, spec->from_digest))
		code = complain(EXIT_BAD_INPUT, "%s/%s: not the schedule in force: digest %.12s "
				"instead of %.12s", args->store.dir, record, digest,
				spec->from_digest);
	if (!code)
		ask_set_file(ask, ask->question, "former", path, record);
	close(fd);
	return code;
}

/* All nodes have the same schedule, so it is enough that the first one records it. */
static bool keeps_for_all(const struct job_args *args, const struct job_spec *spec)
{
	return !args->node || !strcmp(args->node, job_spec_first_node(spec));
}

/* What `job status` shows: how good the schedule is, and how much of the former it keeps */
static int keep_figures(const struct job_args *args, const char *round, int fd)
{
	struct liquid_error err;
	json_t *figures = NULL;
	int status;

	if (!lseek(fd, 0, SEEK_SET))
		figures = json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(figures)) {
		json_decref(figures);
		return complain_of(ask_malformed(&err), &err);
	}
	status = record_put(&args->store, RECORD_FIGURES, round, NULL, figures, &err);
	return status < 0 ? complain_of(status, &err) : EXIT_OK;
}

/* Record the schedule for a later reroute, which keeps its valid part. */
static int keep_schedule(const struct job_args *args, const char *round, int fd)
{
	struct liquid_error err;
	int status = record_put_file(&args->store, RECORD_SCHEDULE, round, fd, &err);

	return status < 0 ? complain_of(status, &err) : EXIT_OK;
}

/* ---- the question ---- */

/* Files that `liquid` writes, or -1 */
struct outputs {
	int schedule, figures;
};

static int make_file(const char *name, int *fd)
{
	*fd = memfd_create(name, MFD_CLOEXEC);
	return *fd >= 0 ? EXIT_OK :
	       complain(EXIT_IO, "cannot store the %s: %s", name, strerror(errno));
}

/* A ready-made schedule, or a file for the one to come */
static int ask_schedule(const struct job_args *args, const struct job_spec *spec, struct ask *ask,
			struct outputs *outputs)
{
	const char *ready = job_spec_schedule(spec);
	char path[FD_PATH_MAX];
	int code;

	if (ready) {
		ask_set_file(ask, ask->question, "schedule", ready, NULL);
		outputs->schedule = keeps_for_all(args, spec) ? open(ready, O_RDONLY | O_CLOEXEC) :
								-1;
		return EXIT_OK;
	}
	code = make_file("schedule", &outputs->schedule);
	if (!code && keeps_for_all(args, spec))
		code = make_file("figures", &outputs->figures);
	if (code)
		return code;
	snprintf(path, sizeof(path), FD_PATH, outputs->schedule);
	ask_set_file(ask, ask->question, "schedule", path, NULL);
	ask_set_out(ask, "out", outputs->schedule);
	if (outputs->figures >= 0)
		ask_set_out(ask, "figures", outputs->figures);
	return ask_former(args, spec, ask);
}

static int ask_live(const struct job_args *args, struct ask *ask)
{
	const struct conf *conf = &args->conf;
	int code = job_run_live(conf);

	if (code || !conf->live_topo)
		return code;
	ask_set_file(ask, ask->question, "topo", conf->live_topo, NULL);
	ask_set_file(ask, ask->question, "lft", conf->live_lft, NULL);
	return EXIT_OK;
}

static int ask_addresses(const struct job_args *args, struct ask *ask)
{
	struct push_args push = { .map_file = args->conf.addresses };
	struct liquid_error err;
	int status = push_read_map(&push, &err);

	if (!status)
		push_ask_addresses(ask, &push);
	addr_map_clear(&push.map);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static void ask_figures(const struct job_args *args, const struct job_spec *spec, struct ask *ask)
{
	ask_set_text(ask, "name", spec->round);
	ask_set_text(ask, "node", args->node);
	ask_set_text(ask, "fabric_digest", spec->fabric_digest);
	ask_set_text(ask, "traffic_digest", spec->traffic_digest);
	ask_set_number(ask, "seed", spec->seed);
	ask_set_number(ask, "work", spec->work);
	ask_set_number(ask, "unit_bytes", spec->unit_bytes);
	ask_set_number(ask, "rate_bps", spec->link_rate_bps);
	ask_set_number(ask, "stated_bps", args->conf.link_rate_bps);
	ask_set_number(ask, "frame_ns", spec->frame_ns);
	fabric_ask_rail(ask, &args->conf);
	fabric_ask_round(ask, "round", spec, &args->conf);
}

/* The slices go to stdout: each node checks its own. */
static int ask_slices(const struct job_args *args, const struct job_spec *spec, struct ask *ask,
		      struct outputs *outputs)
{
	struct liquid_error err;
	json_t *none;
	int status, code = ask_live(args, ask);

	if (!code)
		code = ask_addresses(args, ask);
	if (!code)
		code = ask_schedule(args, spec, ask, outputs);
	if (code)
		return code;
	ask_figures(args, spec, ask);
	ask->prints = true;
	status = ask_answer(ask, &none, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int prepare_with(const struct job_args *args, const struct job_spec *spec, const char *path,
			const char *label)
{
	struct outputs outputs = { -1, -1 };
	struct ask ask;
	int code;

	ask_begin(&ask, "prepare");
	ask_set_file(&ask, ask.question, "fabric", path, label);
	code = ask_slices(args, spec, &ask, &outputs);
	if (!code && outputs.figures >= 0)
		code = keep_figures(args, spec->round, outputs.figures);
	if (!code && outputs.schedule >= 0 && keeps_for_all(args, spec))
		code = keep_schedule(args, spec->round, outputs.schedule);
	if (outputs.figures >= 0)
		close(outputs.figures);
	if (outputs.schedule >= 0)
		close(outputs.schedule);
	ask_end(&ask);
	return code;
}

/* A round after a reroute brings its own fabric; others use that of liquid.conf. */
static int prepare_spec(const struct job_args *args, const struct job_spec *spec)
{
	char record[JOB_PATH_MAX], path[FD_PATH_MAX];
	int fd, code;

	if (!spec->own_fabric)
		return prepare_with(args, spec, args->conf.fabric, args->conf.fabric);
	record_path(record, RECORD_FABRIC, spec->round, NULL);
	code = open_record(args, record, &fd, path);
	if (code)
		return code;
	code = prepare_with(args, spec, path, record);
	close(fd);
	return code;
}

int job_prepare(struct job_args *args, const char *round)
{
	struct liquid_error err;
	struct job_spec spec;
	int code, status = job_spec_read(&args->store, round, &spec, &err);

	if (status)
		return complain_of(status, &err);
	code = !args->node || job_spec_has_node(&spec, args->node) ? prepare_spec(args, &spec) :
	       complain(EXIT_BAD_INPUT, "round %s has no node '%s'", round, args->node);
	job_spec_clear(&spec);
	return code;
}
