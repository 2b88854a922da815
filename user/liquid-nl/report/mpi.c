// SPDX-License-Identifier: GPL-2.0-only
/* What LIQUID_MPI_STATS has written in the job: a line of JSON for each call, summed by way. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/command.h"
#include "report/report.h"

#define WAYS_MAX 16			/* more are not of this program */
#define CALLS_MAX (INT64_C(1) << 40)
#define NS_MAX (INT64_C(1) << 50)	/* of a call */

static json_t *way_of(json_t *ways, const char *name)
{
	json_t *way;
	size_t index;

	json_array_foreach(ways, index, way)
		if (!strcmp(text_of(way, "way"), name))
			return way;
	if (json_array_size(ways) == WAYS_MAX)
		return NULL;
	way = json_pack("{s:s, s:i, s:f}", "way", name, "calls", 0, "share", 0.0);
	json_array_append_new(ways, way);
	return way;
}

static void add(json_t *way, const json_t *call, const char *name)
{
	uint64_t value = value_of(call, name), sum = value_of(way, name);

	if (value < NS_MAX && sum < INT64_MAX - NS_MAX)
		json_object_set_new(way, name, json_integer((json_int_t)(sum + value)));
}

/* The mean share of the liquid throughput is weighed by the time of calls. */
static void add_share(json_t *way, const json_t *call)
{
	double share = real_of(call, "share"), ns = (double)value_of(call, "ns");
	double before = (double)value_of(way, "share_ns"), mean = real_of(way, "share");

	if (share <= 0 || ns <= 0 || ns >= (double)NS_MAX)
		return;
	json_object_set_new(way, "share",
			    json_real((mean * before + share * ns) / (before + ns)));
	json_object_set_new(way, "share_ns", json_integer((json_int_t)(before + ns)));
}

static bool take_line(json_t *ways, const char *line)
{
	static const char *const sums[] = {
		"ns", "before_ns", "waits", "wait_ns", "timeouts", "unsynchronised",
	};
	json_t *call = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	json_t *way = *text_of(call, "way") ? way_of(ways, text_of(call, "way")) : NULL;

	if (way && value_of(way, "calls") < CALLS_MAX) {
		json_object_set_new(way, "calls",
				    json_integer((json_int_t)value_of(way, "calls") + 1));
		for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
			add(way, call, sums[i]);
		add_share(way, call);
	}
	json_decref(call);
	return way;
}

/* A program of the job may have made the file: a FIFO would never end. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fdopen(fd, "r");
	complain(0, "%s: %s", path, fd < 0 ? strerror(errno) : "no regular file");
	if (fd >= 0)
		close(fd);
	return NULL;
}

int report_add_mpi(json_t *report, const char *path)
{
	json_t *mpi = json_object_get(report, "mpi");
	FILE *in = open_file(path);
	unsigned long number = 0;
	int code = EXIT_OK;
	char *line = NULL;
	size_t room = 0;

	if (!in)
		return EXIT_IO;
	if (!mpi) {
		mpi = json_array();
		json_object_set_new(report, "mpi", mpi);
	}
	while (!code && ++number && getline(&line, &room, in) >= 0)
		/* A process that was killed may have left half a line, the last one. */
		if (!take_line(mpi, line) && strchr(line, '\n'))
			code = complain(EXIT_BAD_INPUT, "%s:%lu: no line of LIQUID_MPI_STATS", path,
					number);
	free(line);
	fclose(in);
	return code;
}
