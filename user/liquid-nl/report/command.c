// SPDX-License-Identifier: GPL-2.0-only
/*
 * job report, job metrics
 *
 * A child becomes the keeper of the store, reads it, and hands over its findings as JSON
 * through a pipe. The process that was called stays who it was: it writes where its caller may
 * write.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/command.h"
#include "report/report.h"
#include "show/print.h"
#include "util/output.h"

typedef json_t *read_store(const struct job_args *args);

static int hand_over(struct job_args *args, read_store *read, int fd)
{
	const struct job_needs needs = { 0 };
	int code = job_become_keeper(args, &needs);
	json_t *found;
	FILE *out;

	if (!code)
		code = job_open_store(args, &needs);
	if (code)
		return code;
	found = read(args);
	if (!found)
		return EXIT_BAD_INPUT;
	out = fdopen(fd, "w");
	code = !out || json_dumpf(found, out, JSON_COMPACT);
	if (out)
		code |= fclose(out);
	json_decref(found);
	return code ? complain(EXIT_IO, "the records of the store were lost") : EXIT_OK;
}

static json_t *fetch(struct job_args *args, read_store *read, int *code)
{
	int ends[2], status = 0;
	json_t *found;
	FILE *in;
	pid_t child;

	*code = EXIT_IO;
	fflush(NULL);
	if (pipe(ends)) {
		complain(0, "cannot create a pipe");
		return NULL;
	}
	child = fork();
	if (!child) {
		close(ends[0]);
		_exit(hand_over(args, read, ends[1]));
	}
	close(ends[1]);
	in = fdopen(ends[0], "r");
	found = in ? json_loadf(in, 0, NULL) : NULL;
	if (in)
		fclose(in);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*code = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) :
		complain(EXIT_IO, "no process has read the store");
	if (!*code && !found)
		*code = complain(EXIT_IO, "the records of the store were lost");
	return found;
}

static int write_page(const struct report_args *report, const json_t *json)
{
	struct output output;
	int code = output_open(&output, report->html);

	if (code)
		return code;
	report_write_html(output.file, json);
	return output_close(&output, EXIT_OK);
}

static int print(const struct report_args *report, json_t *json)
{
	if (report->html)
		return write_page(report, json);
	if (report->json)
		return print_json("liquid-report", 1, json_incref(json));
	report_print(json);
	return EXIT_OK;
}

int report_run(const struct report_args *report, struct job_args *args)
{
	int code = report->html ? output_check(&report->html, 1) : EXIT_OK;
	json_t *json;

	if (code)
		return code;
	json = fetch(args, report_read, &code);
	for (size_t i = 0; !code && i < report->mpi.count; i++)
		code = report_add_mpi(json, report->mpi.text[i]);
	if (!code)
		code = print(report, json);
	json_decref(json);
	return code;
}

int report_metrics(const char *path, struct job_args *args)
{
	int code = output_check(&path, 1);
	struct output output;
	json_t *counts;

	if (code)
		return code;
	counts = fetch(args, report_count_jobs, &code);
	if (!code)
		code = output_open(&output, path);
	if (!code) {
		report_print_metrics(output.file, counts);
		code = output_close(&output, EXIT_OK);
	}
	json_decref(counts);
	return code;
}
