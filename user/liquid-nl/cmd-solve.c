// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl solve: a schedule for a traffic on a fabric. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "input.h"
#include "output.h"
#include "units.h"

struct solve {
	const char *fabric;
	struct traffic_args traffic;
	struct liquid_solve_options options;
	bool json, progress;
	const char *output;
};

enum { OPT_METHOD = 256, OPT_SEED, OPT_WORK, OPT_TIME_LIMIT, OPT_PROGRESS, OPT_UNIT_BYTES,
       OPT_LINK_RATE, OPT_JSON };

static int not_expected(const char *option, const char *expected)
{
	return usage_error("solve", "--%s '%s': %s was expected", option, optarg, expected);
}

static int take_number(const char *option, uint64_t least, uint64_t *value)
{
	if (!parse_number(optarg, INT64_MAX, value) || *value < least)
		return not_expected(option, least ? "a number, 1 or more" : "a number");
	return EXIT_OK;
}

static int take_time_limit(struct solve *solve)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(optarg, &end);
	if (errno || end == optarg || *end || !(seconds > 0) || seconds > 1e9)
		return not_expected("time-limit", "seconds, more than 0");
	solve->options.time_limit = seconds;
	return EXIT_OK;
}

static int take_method(struct solve *solve)
{
	char known[256] = "";
	size_t used = 0;

	for (const char *const *method = liquid_methods; *method; method++) {
		if (!strcmp(*method, optarg)) {
			solve->options.method = *method;
			return EXIT_OK;
		}
		if (used < sizeof(known))
			used += snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", *method);
	}
	return usage_error("solve", "--method '%s': one of %s was expected", optarg, known);
}

static int take_option(struct solve *solve, int option)
{
	switch (option) {
	case OPT_METHOD:
		return take_method(solve);
	case OPT_SEED:
		return take_number("seed", 0, &solve->options.seed);
	case OPT_WORK:
		return take_number("work", 1, &solve->options.work);
	case OPT_TIME_LIMIT:
		return take_time_limit(solve);
	case OPT_PROGRESS:
		solve->progress = true;
		return EXIT_OK;
	case OPT_UNIT_BYTES:
		if (!parse_size(optarg, &solve->options.unit_bytes) || !solve->options.unit_bytes)
			return not_expected("unit-bytes", "a size of 1 byte or more (4096, 64Ki)");
		return EXIT_OK;
	case OPT_LINK_RATE:
		if (!parse_rate(optarg, &solve->options.link_rate_bps) ||
		    !solve->options.link_rate_bps)
			return not_expected("link-rate", "bit/s (100G)");
		return EXIT_OK;
	case OPT_JSON:
		solve->json = true;
		return EXIT_OK;
	case 'o':
		solve->output = optarg;
		return EXIT_OK;
	default:
		return EXIT_USAGE;
	}
}

static int parse(int argc, char **argv, struct solve *solve)
{
	static const struct option options[] = {
		TRAFFIC_OPTIONS,
		{ "method", required_argument, NULL, OPT_METHOD },
		{ "seed", required_argument, NULL, OPT_SEED },
		{ "work", required_argument, NULL, OPT_WORK },
		{ "time-limit", required_argument, NULL, OPT_TIME_LIMIT },
		{ "progress", no_argument, NULL, OPT_PROGRESS },
		{ "unit-bytes", required_argument, NULL, OPT_UNIT_BYTES },
		{ "link-rate", required_argument, NULL, OPT_LINK_RATE },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "output", required_argument, NULL, 'o' },
		{ 0 }
	};
	int option, code;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (option == ':')
			return usage_error("solve", "option '%s' needs a value", argv[optind - 1]);
		if (option == '?')
			return usage_error("solve", "no option '%s'", argv[optind - 1]);
		if (take_traffic_option(&solve->traffic, option, optarg))
			continue;
		code = take_option(solve, option);
		if (code)
			return code;
	}
	if (optind + 1 != argc)
		return usage_error("solve", optind == argc ? "a fabric is missing" :
				   "'%s' is one argument too many", argv[argc - 1]);
	solve->fabric = argv[optind];
	return check_traffic_args(&solve->traffic, "solve");
}

/* ---- progress ---- */

static int show_progress(void *context, const struct liquid_progress *progress)
{
	(void)context;
	fprintf(stderr, "\r%s: %llu of %llu transfers placed, bound %u, best ", progress->phase,
		(unsigned long long)progress->done, (unsigned long long)progress->total,
		progress->lower_bound);
	if (progress->best_length)
		fprintf(stderr, "%u frames\033[K", progress->best_length);
	else
		fputs("none yet\033[K", stderr);
	return 0;
}

/* ---- what comes out ---- */

static void print_summary(FILE *out, const struct liquid_schedule_info *info, double seconds)
{
	fprintf(out, "%-12s %s\n", "fabric", info->fabric_name);
	fprintf(out, "%-12s %llu\n", "transfers", (unsigned long long)info->transfers);
	fprintf(out, "%-12s %u\n", "duration", info->duration);
	fprintf(out, "%-12s %g\n", "fluid bound", info->fluid_bound);
	fprintf(out, "%-12s %u\n", "length", info->length);
	fprintf(out, "%-12s %u\n", "lower bound", info->lower_bound);
	fprintf(out, "%-12s %s", "certificate", liquid_certificate_name(info->certificate));
	if (info->certificate == LIQUID_CERT_GAP)
		fprintf(out, ", at most %.2f %% above the shortest",
			100.0 * (info->length - info->lower_bound) / info->lower_bound);
	fprintf(out, "\n%-12s %s, seed %llu, work %llu\n", "method", info->method,
		(unsigned long long)info->seed, (unsigned long long)info->work);
	fprintf(out, "%-12s %.3f s, verified\n", "time", seconds);
}

static int write_schedule(const struct liquid_schedule *schedule,
			  const struct liquid_fabric *fabric, const char *path)
{
	struct liquid_error err;
	struct output output;
	int code = output_open(&output, path);

	if (code)
		return code;
	if (liquid_schedule_write_json(schedule, fabric, output.file, &err))
		code = complain(EXIT_BAD_INPUT, "%s: %s", path ? path : "stdout", err.text);
	return output_close(&output, code);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* With -o the schedule goes to the file; with --json it is all that is printed. */
static int show_result(const struct solve *solve, const struct liquid_schedule *schedule,
		       const struct liquid_fabric *fabric, double seconds)
{
	int code = EXIT_OK;

	if (solve->output || solve->json)
		code = write_schedule(schedule, fabric, solve->output);
	if (!code && !solve->json)
		print_summary(solve->output && !strcmp(solve->output, "-") ? stderr : stdout,
			      liquid_schedule_info(schedule), seconds);
	if (!code && (fflush(stdout) || ferror(stdout)))
		code = complain(EXIT_BAD_INPUT, "stdout: %s", strerror(errno));
	return code;
}

static int solve_traffic(struct solve *solve, const struct liquid_fabric *fabric,
			 const struct liquid_traffic *traffic)
{
	bool progress = solve->progress && isatty(STDERR_FILENO);
	struct liquid_schedule *schedule;
	struct liquid_error err;
	double start = now();
	int status, code;

	if (progress)
		solve->options.progress = show_progress;
	status = liquid_solve(fabric, traffic, &solve->options, &schedule, &err);
	if (progress)
		fputs("\r\033[K", stderr);
	if (status)
		return complain(exit_code_of(status), "%s", err.text);
	code = show_result(solve, schedule, fabric, now() - start);
	liquid_schedule_free(schedule);
	return code;
}

int cmd_solve(int argc, char **argv)
{
	struct liquid_traffic *traffic = NULL;
	struct liquid_fabric *fabric = NULL;
	struct solve solve = { 0 };
	int code = parse(argc, argv, &solve);

	if (!code)
		code = read_fabric(solve.fabric, &fabric);
	if (!code)
		code = read_traffic(&solve.traffic, fabric, &traffic);
	if (!code)
		code = solve_traffic(&solve, fabric, traffic);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return code;
}
