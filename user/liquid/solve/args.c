// SPDX-License-Identifier: GPL-2.0-only
/* The options of liquid solve. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "solve/solve.h"

static const char *take_seconds(void *member, const char *text)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(text, &end);
	if (errno || end == text || *end || !(seconds > 0) || seconds > 1e9)
		return "seconds, more than 0";
	*(double *)member = seconds;
	return NULL;
}

#define MEMBER(member) OPT_MEMBER(struct solve, member)
#define TRANSFERS_MAX (1u << 28)	/* transfers of a traffic */

const struct opt solve_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(fabric), .positional = true, .required = true,
	  .help = "a file, as `fabric import` and `fabric make` write it" },
	OPT_GROUP(struct solve, traffic, traffic_opts),
	{ "method", 0, KIND_WORD, MEMBER(options.method), .word_at = liquid_method_name,
	  .value = "METHOD", .help = "how to search" },
	{ "compact", 0, KIND_FLAG, MEMBER(compact),
	  .help = "an all-to-all of many hosts: a schedule that does not list its transfers; "
	  "--work is 1000000000 by default" },
	{ "divisible", 0, KIND_NUMBER, MEMBER(options.parts), .min = 1, .max = LIQUID_PARTS_MAX,
	  .without = LIQUID_PARTS_FEW, .value = "N",
	  .help = "messages may be sent in up to N equal parts where that takes fewer frames a "
	  "message; without N, in as few as come within 0.5 % of the bound, at most 32" },
	{ "seed", 0, KIND_NUMBER, MEMBER(options.seed), .max = INT64_MAX, .value = "N",
	  .help = "seed of the random choices; 0 by default" },
	{ "work", 0, KIND_NUMBER, MEMBER(options.work), .min = 1, .max = INT64_MAX, .value = "N",
	  .help = "limit of the search, in its own operations: the same on every machine; by "
	  "default 2000000000" },
	{ "time-limit", 0, KIND_OTHER, MEMBER(options.time_limit), .take = take_seconds,
	  .value = "SECONDS", .help = "limit of the search in time: the result depends on the "
	  "machine" },
	OPT_THREADS(MEMBER(options.threads)),
	{ "from", 0, KIND_TEXT, MEMBER(from), .value = "SCHEDULE",
	  .help = "keep the transfers of this schedule in their frames where possible" },
	{ "wavelengths", 0, KIND_NUMBER, MEMBER(wavelengths), .min = 1, .max = TRANSFERS_MAX,
	  .value = "N", .help = "optical network: also assign timeslots of N wavelengths" },
	{ "unit-bytes", 0, KIND_SIZE, MEMBER(options.unit_bytes), .min = 1, .value = "SIZE",
	  .help = "size of a transfer, kept in the schedule" },
	{ "link-rate", 0, KIND_RATE, MEMBER(options.link_rate_bps), .min = 1, .value = "RATE",
	  .help = "rate of a unit, kept in the schedule" },
	{ "bound", 0, KIND_FLAG, MEMBER(bound),
	  .help = "raise the lower bound by prices of transfers, and print how few frames they "
		  "allow" },
	{ "explain", 0, KIND_FLAG, MEMBER(explain),
	  .help = "explain the length: bottlenecks, idle links, lower bounds" },
	{ "export-milp", 0, KIND_TEXT, MEMBER(milp), .value = "FILE",
	  .help = "write the problem for MILP solvers, and do not solve" },
	{ "export-dimacs", 0, KIND_TEXT, MEMBER(dimacs), .value = "FILE",
	  .help = "write the conflict graph for colouring programs" },
	{ "export-cnf", 0, KIND_TEXT, MEMBER(cnf), .value = "FILE",
	  .help = "write the question whether --frames are enough, for SAT solvers" },
	{ "frames", 0, KIND_NUMBER, MEMBER(frames), .min = 1, .max = TRANSFERS_MAX, .value = "N",
	  .help = "frames of --export-milp and --export-cnf" },
	{ "list", 0, KIND_WORD, MEMBER(list), .words = solve_lists, .value = "WHAT",
	  .help = "list possible frames, and do not solve" },
	{ "progress", 0, KIND_FLAG, MEMBER(progress), .help = "show progress on a terminal" },
	OPT_HTML(MEMBER(html)),
	OPT_JSON(struct solve),
	{ "output", 'o', KIND_TEXT, MEMBER(output), .value = "FILE",
	  .help = "write the schedule to this file" },
	{ 0 }
};

static int check_list(const struct solve *solve)
{
	const struct liquid_solve_options *options = &solve->options;

	if (solve_exports(solve) || solve->from || solve->wavelengths || solve->explain ||
	    solve->bound || solve->progress || options->method || options->seed ||
	    options->parts || options->time_limit > 0 || options->unit_bytes ||
	    options->link_rate_bps || options->threads || solve->html)
		return usage_error("solve", "--list makes no schedule: it goes with a traffic, "
				   "--work, -o and --json");
	return EXIT_OK;
}

static int check_compact(const struct solve *solve)
{
	const struct liquid_solve_options *options = &solve->options;

	if (solve_exports(solve) || solve->from || solve->wavelengths || solve->explain ||
	    solve->bound || solve->progress || solve->list || options->method || options->parts ||
	    options->time_limit > 0)
		return usage_error("solve", "--compact goes with --hosts, --seed, --work, "
				   "--threads, --unit-bytes, --link-rate, -o and --json");
	if (solve->traffic.senders || solve->traffic.tasks_per_node ||
	    (solve->traffic.traffic && strcmp(solve->traffic.traffic, "alltoall")))
		return usage_error("solve", "--compact is for an all-to-all, of all hosts or of "
				   "--hosts");
	return EXIT_OK;
}

static int check_args(const struct solve *solve)
{
	if (solve->compact && check_compact(solve))
		return EXIT_USAGE;
	if (solve->cnf && !solve->frames)
		return usage_error("solve", "--export-cnf needs --frames: it asks whether that "
				   "many are enough");
	if (solve->frames && !solve->cnf && !solve->milp)
		return usage_error("solve", "--frames goes with --export-milp or --export-cnf");
	if (solve->options.parts && (solve->from || solve->options.time_limit > 0))
		return usage_error("solve", "--divisible goes with neither --from nor "
				   "--time-limit: limit the --work");
	if (solve_exports(solve) && (solve->output || solve->html || solve->json || solve->from ||
				     solve->wavelengths || solve->explain || solve->bound ||
				     solve->options.parts))
		return usage_error("solve", "an export makes no schedule: leave out -o, --html, "
				   "--json, --from, --wavelengths, --divisible, --bound and "
				   "--explain");
	if (solve->list && check_list(solve))
		return EXIT_USAGE;
	return check_traffic_args(&solve->traffic, "solve");
}

int solve_parse(int argc, char **argv, struct solve *solve)
{
	int code = take_options(argc, argv, solve_opts, solve);

	return code ? code : check_args(solve);
}
