// SPDX-License-Identifier: GPL-2.0-only
/* The options of liquid-nl solve. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/solve.h"
#include "util/units.h"

enum { OPT_METHOD = 256, OPT_SEED, OPT_WORK, OPT_TIME_LIMIT, OPT_PROGRESS, OPT_UNIT_BYTES,
       OPT_LINK_RATE, OPT_JSON, OPT_MILP, OPT_DIMACS, OPT_CNF, OPT_FRAMES, OPT_WAVELENGTHS, OPT_FROM,
       OPT_EXPLAIN };

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
	const char *method;
	size_t used = 0;

	for (size_t i = 0; (method = liquid_method_name(i)); i++) {
		if (!strcmp(method, optarg)) {
			solve->options.method = method;
			return EXIT_OK;
		}
		if (used < sizeof(known))
			used += snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", method);
	}
	return usage_error("solve", "--method '%s': one of %s was expected", optarg, known);
}

/* 1 ... 2^28, as many as a traffic has transfers at most */
static int take_count(const char *option, uint32_t *value)
{
	uint64_t count;

	if (!parse_number(optarg, 1u << 28, &count) || !count)
		return not_expected(option, "a number, 1 or more");
	*value = (uint32_t)count;
	return EXIT_OK;
}

static int take_export_option(struct solve *solve, int option)
{
	switch (option) {
	case OPT_MILP:
		solve->milp = optarg;
		return EXIT_OK;
	case OPT_DIMACS:
		solve->dimacs = optarg;
		return EXIT_OK;
	case OPT_CNF:
		solve->cnf = optarg;
		return EXIT_OK;
	case OPT_FRAMES:
		return take_count("frames", &solve->frames);
	default:
		return EXIT_USAGE;
	}
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
	case OPT_WAVELENGTHS:
		return take_count("wavelengths", &solve->wavelengths);
	case OPT_FROM:
		solve->from = optarg;
		return EXIT_OK;
	case OPT_EXPLAIN:
		solve->explain = true;
		return EXIT_OK;
	case OPT_JSON:
		solve->json = true;
		return EXIT_OK;
	case 'o':
		solve->output = optarg;
		return EXIT_OK;
	default:
		return take_export_option(solve, option);
	}
}

static int check_args(const struct solve *solve)
{
	if (solve->cnf && !solve->frames)
		return usage_error("solve", "--export-cnf needs --frames: the question is whether so "
				   "many do");
	if (solve->frames && !solve->cnf && !solve->milp)
		return usage_error("solve", "--frames goes with --export-milp or --export-cnf");
	if (solve_exports(solve) && (solve->output || solve->json || solve->from ||
				     solve->wavelengths || solve->explain))
		return usage_error("solve", "an export makes no schedule: leave out -o, --json, --from, "
				   "--wavelengths and --explain");
	return check_traffic_args(&solve->traffic, "solve");
}

int solve_parse(int argc, char **argv, struct solve *solve)
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
		{ "from", required_argument, NULL, OPT_FROM },
		{ "explain", no_argument, NULL, OPT_EXPLAIN },
		{ "wavelengths", required_argument, NULL, OPT_WAVELENGTHS },
		{ "export-milp", required_argument, NULL, OPT_MILP },
		{ "export-dimacs", required_argument, NULL, OPT_DIMACS },
		{ "export-cnf", required_argument, NULL, OPT_CNF },
		{ "frames", required_argument, NULL, OPT_FRAMES },
		{ 0 }
	};
	int option, code;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return option_error("solve", option, argv[optind - 1]);
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
	return check_args(solve);
}
