// SPDX-License-Identifier: GPL-2.0-only
/* liquid solve: a schedule for a traffic on a fabric. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "commands.h"
#include "util/output.h"
#include "util/progress.h"
#include "solve/solve.h"

/* ---- progress ---- */

static volatile sig_atomic_t interrupted;

/* The next one ends the program. */
static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static int go_on(void *context, const struct liquid_progress *progress)
{
	(void)context;
	(void)progress;
	return interrupted ? LIQUID_ENOUGH : 0;
}

static int show_progress(void *context, const struct liquid_progress *progress)
{
	char best[32] = "none yet";

	if (progress->best_length)
		snprintf(best, sizeof(best), "%u frames", progress->best_length);
	progress_say("%s: %llu of %llu transfers placed, bound %u, best %s", progress->phase,
		     (unsigned long long)progress->done, (unsigned long long)progress->total,
		     progress->lower_bound, best);
	return go_on(context, progress);
}

/* ---- output ---- */

/* Time of a message; the bound follows from the loads, or is above them */
static void print_parts(FILE *out, const struct liquid_schedule_info *info)
{
	double length = (double)info->length / info->parts;
	double bound = (info->lower_bound > info->duration ? info->lower_bound :
			info->fluid_bound) / info->parts;

	fprintf(out, "%-12s %u: %g frames per message, bound %g (+%.2f %%)\n", "parts",
		info->parts, length, bound, 100 * (length - bound) / bound);
}

static void print_summary(FILE *out, const struct liquid_schedule_info *info, double seconds)
{
	fprintf(out, "%-12s %s\n", "fabric", info->fabric_name);
	fprintf(out, "%-12s %llu\n", "transfers", (unsigned long long)info->transfers);
	fprintf(out, "%-12s %u\n", "duration", info->duration);
	fprintf(out, "%-12s %g\n", "fluid bound", info->fluid_bound);
	fprintf(out, "%-12s %u\n", "length", info->length);
	fprintf(out, "%-12s %u\n", "lower bound", info->lower_bound);
	if (info->parts > 1)
		print_parts(out, info);
	fprintf(out, "%-12s %s", "certificate", liquid_certificate_name(info->certificate));
	if (info->certificate == LIQUID_CERT_GAP)
		fprintf(out, ", at most %.2f %% above the shortest",
			100.0 * (info->length - info->lower_bound) / info->lower_bound);
	if (info->wavelengths)
		fprintf(out, "\n%-12s %u by %u wavelengths, at least %u", "timeslots",
			info->timeslots, info->wavelengths, info->timeslot_bound);
	fprintf(out, "\n%-12s %s, seed %llu, work %llu\n", "method", info->method,
		(unsigned long long)info->seed, (unsigned long long)info->work);
	fprintf(out, "%-12s %.3f s, verified\n", "time", seconds);
}

/* @text: the file for the summary, which is not stdout if the schedule goes there. */
static int write_schedule(const struct liquid_schedule *schedule,
			  const struct liquid_fabric *fabric, const char *path, FILE **text)
{
	struct liquid_error err;
	struct output output;
	int status, code = output_open(&output, path);

	if (code)
		return code;
	if (output_is_stdout(&output))
		*text = stderr;
	status = liquid_schedule_write_json(schedule, fabric, output.file, &err);
	if (status)
		code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
	return output_close(&output, code);
}

static double now(void)
{
	return 1e-9 * (double)clock_ns(CLOCK_MONOTONIC);
}

/* With -o the schedule goes to the file; with --json nothing else is printed. */
static int show_result(const struct solve *solve, const struct liquid_schedule *schedule,
		       const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		       double seconds, const char *story)
{
	FILE *text = stdout;
	int code = EXIT_OK;

	if (solve->html)
		code = solve_page(solve, schedule, fabric, traffic, &text);
	if (!code && (solve->output || solve->json))
		code = write_schedule(schedule, fabric, solve->output, &text);
	if (!code && !solve->json) {
		print_summary(text, liquid_schedule_info(schedule), seconds);
		fputs(story, text);
	}
	return code;
}

static int explain(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		   struct liquid_schedule *schedule, FILE *story)
{
	struct liquid_error err;
	char *text;
	int status = liquid_explain(fabric, traffic, schedule, 0, &text, &err);

	if (status)
		return complain_of(status, &err);
	fputs(text, story);
	free(text);
	return EXIT_OK;
}

/* The steps after the solver that the options ask for */
static int refine(const struct solve *solve, const struct liquid_fabric *fabric,
		  const struct liquid_traffic *traffic, struct liquid_schedule *schedule,
		  FILE *story)
{
	int code = EXIT_OK;
	struct liquid_error err;
	int status = LIQUID_OK;

	if (solve->bound)
		code = solve_bound(fabric, traffic, schedule, solve->options.work, story);
	if (!code && solve->wavelengths)
		status = liquid_schedule_set_wavelengths(schedule, solve->wavelengths, &err);
	if (status)
		return complain_of(status, &err);
	if (!code && solve->explain)
		code = explain(fabric, traffic, schedule, story);
	if (!code && solve->from)
		code = change_tell(solve->options.from, schedule, story);
	return code;
}

/* The output of refine() comes after the summary, so it is kept in memory first. */
static int refine_and_show(const struct solve *solve, struct liquid_schedule *schedule,
			   const struct liquid_fabric *fabric,
			   const struct liquid_traffic *traffic, double seconds)
{
	char *story = NULL;
	size_t size;
	FILE *memory = open_memstream(&story, &size);
	int code;

	if (!memory)
		return no_memory();
	code = refine(solve, fabric, traffic, schedule, memory);
	if (fclose(memory) && !code)
		code = no_memory();
	if (!code)
		code = show_result(solve, schedule, fabric, traffic, seconds, story);
	free(story);
	return code;
}

static int solve_traffic(struct solve *solve, const struct liquid_fabric *fabric,
			 const struct liquid_traffic *traffic)
{
	bool progress = solve->progress && isatty(STDERR_FILENO);
	struct liquid_schedule *schedule = NULL;
	struct liquid_error err;
	double start = now();
	int status, code;

	solve->options.list = solve->wavelengths || solve->explain || solve->bound || solve->from;
	if (solve->compact)
		solve->options.method = "compact";
	solve->options.progress = progress ? show_progress : go_on;
	progress_handler(SIGINT, SIG_DFL, interrupt);
	status = liquid_solve(fabric, traffic, &solve->options, &schedule, &err);
	progress_handler(SIGINT, interrupt, SIG_DFL);
	if (progress)
		progress_clear();
	if (interrupted && !status)
		complain(0, "note: interrupted: this is the best schedule so far");
	code = status ? complain_of(status, &err) :
	       refine_and_show(solve, schedule, fabric, traffic, now() - start);
	liquid_schedule_free(schedule);
	return code;
}

/* Before the search, which may take long */
static int check_outputs(const struct solve *solve)
{
	const char *const paths[] = { solve->output, solve->html, solve->milp, solve->dimacs,
				      solve->cnf };

	return output_check(paths, sizeof(paths) / sizeof(paths[0]));
}

static int run_solve(int argc, char **argv)
{
	struct liquid_traffic *traffic = NULL;
	struct liquid_schedule *from = NULL;
	struct liquid_fabric *fabric = NULL;
	struct solve solve = { 0 };
	int code = solve_parse(argc, argv, &solve);

	if (!code)
		code = read_fabric_by(solve.fabric, solve.options.threads, &fabric);
	if (!code && solve.from)
		code = change_read(&solve, fabric, &from, &traffic);
	solve.traffic.unit_bytes = solve.options.unit_bytes;
	if (!code && !traffic)
		code = read_traffic(&solve.traffic, fabric, &traffic);
	if (!code)
		code = check_outputs(&solve);
	if (!code && solve_exports(&solve))
		code = solve_export(&solve, fabric, traffic);
	else if (!code && solve.list)
		code = solve_list(&solve, fabric, traffic);
	else if (!code)
		code = solve_traffic(&solve, fabric, traffic);
	liquid_schedule_free(from);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_solve = {
	"solve", "make a schedule for a traffic", solve_opts, run_solve, NULL, NULL
};
