// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of JSON, each written whole: a job that is killed leaves the lines of earlier calls. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "settings/report.h"

struct report {
	FILE *out;
	char *path;			/* until it is opened */
};

/* A link that another user has put there, or a program with more rights, must not clear a file. */
static bool report_open_file(struct report *report)
{
	int file = getauxval(AT_SECURE) ? -1 :
		   open(report->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);

	report->out = file < 0 ? NULL : fdopen(file, "w");
	if (report->out)
		setvbuf(report->out, NULL, _IOLBF, BUFSIZ);
	free(report->path);
	report->path = NULL;
	return report->out;
}

struct report *report_open(const char *file, int rank)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	if ((rank ? asprintf(&report->path, "%s.%d", file, rank) :
		    asprintf(&report->path, "%s", file)) < 0)
		report->path = NULL;
	if (report->path && (rank || report_open_file(report)))
		return report;
	report_close(report);
	return NULL;
}

/* Not by "%f", which writes a comma where the program's locale does. */
static void print_share(FILE *out, double share)
{
	int parts = (int)(share * 10000 + 0.5);

	if (share > 0)
		fprintf(out, ", \"share\": %d.%04d", parts / 10000, parts % 10000);
}

void report_call(struct report *report, const struct report_line *line)
{
	if (!report || (report->path && !report_open_file(report)) || !report->out)
		return;
	fprintf(report->out, "{\"call\": \"%s\", \"ranks\": %" PRIu32 ", \"bytes\": %" PRIu64
		", \"way\": \"%s\", \"ns\": %" PRId64, line->call, line->ranks, line->bytes,
		line->way, line->ns);
	print_share(report->out, line->share);
	fprintf(report->out, ", \"before_ns\": %" PRId64 ", \"waits\": %" PRIu64
		", \"wait_ns\": %" PRIu64 ", \"timeouts\": %" PRIu64
		", \"unsynchronised\": %" PRIu64 "}\n", line->before_ns, line->waits,
		line->wait_ns, line->timeouts, line->unsynchronised);
}

void report_close(struct report *report)
{
	if (!report)
		return;
	if (report->out)
		fclose(report->out);
	free(report->path);
	free(report);
}
