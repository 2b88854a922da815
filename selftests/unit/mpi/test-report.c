// SPDX-License-Identifier: LGPL-2.1-or-later
/* LIQUID_MPI_STATS: a line of JSON for each call, one file for each process that writes. */
#include <jansson.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/report.h"
#include "tap.h"

static char directory[] = "/tmp/test-report.XXXXXX";

static const struct report_line line = {
	.call = "Alltoall", .bytes = 1048576, .way = "tokens", .ns = 12345678, .share = 0.90845,
	.before_ns = 4567, .waits = 3, .wait_ns = 8901,
	.timeouts = 2, .unsynchronised = 1, .ranks = 16,
};

/* The line of number @number, read from a file whose report is still open; NULL: none */
static json_t *read_line(const char *path, int number)
{
	FILE *in = fopen(path, "re");
	char text[1024];
	json_t *json = NULL;

	for (int i = 0; in && i <= number; i++)
		if (!fgets(text, sizeof(text), in))
			*text = '\0';
	if (in) {
		json = json_loads(text, 0, NULL);
		fclose(in);
	}
	return json;
}

static bool is(json_t *json, const char *format, const char *name, json_int_t expected)
{
	json_int_t value;

	return !json_unpack(json, format, name, &value) && value == expected;
}

static void check_line(struct report *report, const char *path)
{
	struct report_line own = { .call = "Ialltoallv", .way = "own", .ns = 1, .ranks = 2 };
	const char *call, *way;
	json_t *json;

	report_call(report, &line);
	json = read_line(path, 0);
	ok(json && !json_unpack(json, "{s:s, s:s}", "call", &call, "way", &way) &&
	   !strcmp(call, "Alltoall") && !strcmp(way, "tokens") && is(json, "{s:I}", "ranks", 16) &&
	   is(json, "{s:I}", "bytes", 1048576) && is(json, "{s:I}", "ns", 12345678) &&
	   is(json, "{s:I}", "before_ns", 4567) && is(json, "{s:I}", "waits", 3) &&
	   is(json, "{s:I}", "wait_ns", 8901) && is(json, "{s:I}", "timeouts", 2) &&
	   is(json, "{s:I}", "unsynchronised", 1) && json_object_size(json) == 11,
	   "a line has all that is known of a call, at once");
	ok(json_real_value(json_object_get(json, "share")) == 0.9085,
	   "a share has four digits, and a point in any locale");
	json_decref(json);
	report_call(report, &own);
	json = read_line(path, 1);
	ok(json && !json_object_get(json, "share"), "a share that is not known is left out");
	json_decref(json);
}

int main(void)
{
	struct report *report;
	char path[64], path3[80];

	if (!mkdtemp(directory))
		return 1;
	setlocale(LC_ALL, "de_DE.UTF-8");
	snprintf(path, sizeof(path), "%s/stats", directory);
	snprintf(path3, sizeof(path3), "%s.3", path);
	report = report_open(path, 0);
	ok(report && !access(path, F_OK), "rank 0 makes the file at once");
	check_line(report, path);
	report_close(report);
	report = report_open(path, 3);
	ok(report && access(path3, F_OK), "another rank makes none before its first line");
	report_call(report, &line);
	ok(!access(path3, F_OK), "and then FILE.RANK");
	report_close(report);
	unlink(path3);
	ok(!symlink(path, path3) && !report_open(path3, 0), "a symbolic link is refused");
	report = report_open("/nonexistent/stats", 0);
	ok(!report, "a file that cannot be written is refused");
	report = report_open("/nonexistent/stats", 1);
	report_call(report, &line);
	report_call(report, &line);
	report_close(report);
	ok(report, "or, where it is found later, left alone");
	report_call(NULL, &line);
	report_close(NULL);
	unlink(path);
	unlink(path3);
	rmdir(directory);
	return tap_exit();
}
