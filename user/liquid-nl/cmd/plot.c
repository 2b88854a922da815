// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl plot: a schedule or a fabric as a picture. */
#include <string.h>

#include "cmd/cmd.h"
#include "util/input.h"
#include "plot/plot.h"

struct plot {
	const char *schedule, *fabric, *output;
	struct traffic_args traffic;
	enum plot_kind kind;
};

static int check_output(struct plot *plot)
{
	const struct plot_subject *subject = plot->schedule ? &plot_schedule_subject :
							      &plot_fabric_subject;

	if (!plot_kind_of(plot->output, subject, &plot->kind))
		return usage_error("plot", "-o: expected a name in .svg, .png, .pdf, %s or .csv, "
				   "got '%s'", subject->suffix, plot->output);
	return EXIT_OK;
}

static int check(struct plot *plot)
{
	if (!plot->schedule && !plot->fabric)
		return usage_error("plot", "missing SCHEDULE or --fabric");
	if (plot->schedule && traffic_args_given(&plot->traffic))
		return usage_error("plot",
				   "a schedule is a traffic of its own: leave out the other");
	if (check_output(plot))
		return EXIT_USAGE;
	return check_traffic_args(&plot->traffic, "plot");
}

#define MEMBER(member) OPT_MEMBER(struct plot, member)

static const struct opt plot_opts[] = {
	{ "SCHEDULE", 0, KIND_TEXT, MEMBER(schedule), .positional = true,
	  .help = "as `solve` wrote it; without one the fabric is drawn" },
	{ "fabric", 0, KIND_TEXT, MEMBER(fabric), .value = "FABRIC",
	  .help = "draw this fabric with its loads, or name the hosts of the schedule by it" },
	OPT_GROUP(struct plot, traffic, traffic_opts),
	{ "output", 'o', KIND_TEXT, MEMBER(output), .required = true, .value = "FILE",
	  .help = "its name ends in .svg, .png, .pdf, .csv, .gp (schedules) or .dot (fabrics)" },
	{ 0 }
};

static int parse(int argc, char **argv, struct plot *plot)
{
	int code = take_options(argc, argv, plot_opts, plot);

	return code ? code : check(plot);
}

static int draw(const struct plot *plot, const struct liquid_fabric *fabric)
{
	struct liquid_schedule *schedule = NULL;
	struct liquid_traffic *traffic = NULL;
	int code;

	if (plot->schedule) {
		code = read_schedule(plot->schedule, fabric, &schedule);
		if (!code)
			code = plot_schedule(fabric, schedule, plot->output, plot->kind);
	} else {
		code = read_traffic(&plot->traffic, fabric, &traffic);
		if (!code)
			code = plot_fabric(fabric, traffic, plot->output, plot->kind);
	}
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	return code;
}

static int run_plot(int argc, char **argv)
{
	struct liquid_fabric *fabric = NULL;
	struct plot plot = { 0 };
	int code = parse(argc, argv, &plot);

	if (!code && plot.fabric)
		code = read_fabric(plot.fabric, &fabric);
	if (!code)
		code = draw(&plot, fabric);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_plot = {
	"plot", "draw a schedule, or a fabric and its loads", plot_opts, run_plot, NULL, NULL
};
