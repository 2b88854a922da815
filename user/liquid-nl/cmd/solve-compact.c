// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl solve --compact: the all-to-all of many hosts, whose transfers are never listed. */
#include <stdlib.h>
#include <string.h>

#include "clock/clock-ns.h"
#include "cmd/cmd.h"
#include "cmd/solve.h"
#include "util/output.h"

static int write_compact(const struct liquid_compact *compact, const char *path, FILE **text)
{
	struct liquid_error err;
	struct output output;
	int status, code = output_open(&output, path);

	if (code)
		return code;
	if (output_is_stdout(&output))
		*text = stderr;
	status = liquid_compact_write_json(compact, output.file, &err);
	if (status)
		code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
	return output_close(&output, code);
}

static double now(void)
{
	return 1e-9 * (double)clock_ns(CLOCK_MONOTONIC);
}

int solve_show_compact(const struct solve *solve, const struct liquid_compact *compact,
		       double seconds)
{
	FILE *text = stdout;
	int code = EXIT_OK;

	if (solve->output || solve->json)
		code = write_compact(compact, solve->output, &text);
	if (!code && !solve->json)
		solve_summary(text, liquid_compact_info(compact), seconds);
	return code;
}

int solve_compact(const struct solve *solve, const struct liquid_fabric *fabric)
{
	struct liquid_compact *compact = NULL;
	struct liquid_error err;
	uint32_t *hosts = NULL;
	double start = now();
	size_t count;
	int status, code = read_host_list(fabric, "hosts", solve->traffic.hosts, &hosts, &count);

	if (code)
		return code;
	status = liquid_compact_solve(fabric, hosts, count, &solve->options, &compact, &err);
	free(hosts);
	if (status)
		return complain_of(status, &err);
	code = solve_show_compact(solve, compact, now() - start);
	liquid_compact_free(compact);
	return code;
}

/* ---- as --method auto chooses ---- */

#define LISTED_MAX UINT64_C(262144)	/* transfers that are listed whatever it costs, ... */
#define ALONE_MAX UINT64_C(1048576)	/* ... and those of hosts of which few share a switch */
#define TWINS_LEAST 4			/* hosts of a switch that are many */
#define SHORT_WORK 10000000
#define LIST_MAX (UINT64_C(1) << 28)	/* transfers that the library lists */
#define SMALL UINT64_C(16384)		/* transfers of which lists are hardly ever beaten */
#define LOSS_PART 32			/* a list that is longer by this part loses much */

/* Do the options ask for nothing that only a list of all transfers has? */
static bool either_form(const struct solve *solve)
{
	const struct liquid_solve_options *options = &solve->options;
	const struct traffic_args *traffic = &solve->traffic;

	return !solve_exports(solve) && !solve->list && !solve->from && !solve->wavelengths &&
	       !solve->explain && !solve->bound && !(options->time_limit > 0) &&
	       (!options->method || !strcmp(options->method, "auto")) && !traffic->senders &&
	       !traffic->tasks_per_node &&
	       (!traffic->traffic || !strcmp(traffic->traffic, "alltoall"));
}

/* How many hosts each switch has that has some; 0: not all the same */
static uint32_t hosts_of_switch(const struct liquid_fabric *fabric, const uint32_t *hosts,
				size_t count)
{
	size_t nodes = (size_t)liquid_fabric_host_count(fabric) +
		       liquid_fabric_switch_count(fabric);
	uint32_t *here = calloc(nodes + 1, sizeof(*here)), same = 0;

	for (size_t i = 0; here && i < count; i++) {
		uint32_t out = liquid_fabric_host_out(fabric, hosts[i]);

		if (out != LIQUID_NONE)
			same = ++here[liquid_fabric_link(fabric, out)->to];
	}
	for (size_t n = 0; here && n < nodes; n++)
		if (here[n] && here[n] != same)
			same = 0;
	free(here);
	return same;
}

/*
 * The hosts of a switch are one sender in a compact schedule, which is then found far sooner than a
 * list, and is as short where each switch has as many. Otherwise it is tried for many transfers
 * only: a list is shorter on most fabrics, and does not take long.
 */
static bool is_worth_it(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count)
{
	uint64_t transfers = (uint64_t)count * (count - 1);

	if (count < 2 || transfers <= LISTED_MAX)
		return false;
	return transfers > ALONE_MAX || hosts_of_switch(fabric, hosts, count) >= TWINS_LEAST;
}

static int too_many(uint64_t transfers, int status, const struct liquid_error *err)
{
	return complain(exit_code_of(status), "%llu transfers are too many to list, and there is "
			"no compact schedule: %s", (unsigned long long)transfers, err->text);
}

static int try_compact(struct solve *solve, const struct liquid_fabric *fabric,
		       const uint32_t *hosts, size_t count, bool *done)
{
	struct liquid_solve_options options = solve->options;
	uint64_t transfers = (uint64_t)count * (count - 1);
	const struct liquid_schedule_info *info;
	struct liquid_compact *compact;
	struct liquid_error err;
	double start = now();
	int status, code = EXIT_OK;

	options.method = NULL;
	/* What is not liquid soon is shorter as a list, if that is possible. */
	if (!options.work && transfers <= LIST_MAX)
		options.work = SHORT_WORK;
	status = liquid_compact_solve(fabric, hosts, count, &options, &compact, &err);
	*done = transfers > LIST_MAX;
	if (status)
		return *done ? too_many(transfers, status, &err) : EXIT_OK;
	info = liquid_compact_info(compact);
	*done |= info->length == info->duration;
	if (!*done) {
		solve->rival = compact;
		return EXIT_OK;
	}
	code = solve_show_compact(solve, compact, now() - start);
	liquid_compact_free(compact);
	return code;
}

int solve_large(struct solve *solve, const struct liquid_fabric *fabric, bool *done)
{
	uint32_t *hosts = NULL;
	size_t count;
	int code;

	*done = false;
	if (!either_form(solve))
		return EXIT_OK;
	code = read_host_list(fabric, "hosts", solve->traffic.hosts, &hosts, &count);
	if (!code && is_worth_it(fabric, hosts, count)) {
		code = solve_check_outputs(solve);
		if (!code)
			code = try_compact(solve, fabric, hosts, count, done);
	}
	free(hosts);
	return code;
}

/* What is found becomes the rival, unless there is one that is no longer. */
static void find_rival(struct solve *solve, const struct liquid_fabric *fabric,
		       const uint32_t *hosts, size_t count)
{
	struct liquid_solve_options options = solve->options;
	struct liquid_compact *compact;
	struct liquid_error unfit;

	options.method = NULL;
	if (liquid_compact_solve(fabric, hosts, count, &options, &compact, &unfit))
		return;
	if (solve->rival && liquid_compact_info(solve->rival)->length <=
			    liquid_compact_info(compact)->length) {
		liquid_compact_free(compact);
		return;
	}
	liquid_compact_free(solve->rival);
	solve->rival = compact;
}

int solve_seek_rival(struct solve *solve, const struct liquid_fabric *fabric,
		     const struct liquid_schedule *schedule)
{
	const struct liquid_schedule_info *info = liquid_schedule_info(schedule);
	uint32_t *hosts = NULL;
	size_t count;
	int code;

	/* with the same work it would be the same rival */
	if (solve->rival && solve->options.work)
		return EXIT_OK;
	if (info->length - info->duration <= info->duration / LOSS_PART || !either_form(solve) ||
	    info->transfers <= SMALL)
		return EXIT_OK;
	code = read_host_list(fabric, "hosts", solve->traffic.hosts, &hosts, &count);
	if (!code)
		find_rival(solve, fabric, hosts, count);
	free(hosts);
	return code;
}
