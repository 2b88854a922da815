// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl plot: a schedule or a fabric as a picture. */
#include <getopt.h>
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

	if (!plot->output)
		return usage_error("plot", "-o FILE is missing");
	if (!plot_kind_of(plot->output, subject, &plot->kind))
		return usage_error("plot", "-o %s: a name in .svg, .png, .pdf, %s or .csv was "
				   "expected", plot->output, subject->suffix);
	return EXIT_OK;
}

static int check(struct plot *plot)
{
	if (!plot->schedule && !plot->fabric)
		return usage_error("plot", "a schedule or --fabric is missing");
	if (plot->schedule && traffic_args_given(&plot->traffic))
		return usage_error("plot", "a schedule is a traffic of its own: leave out the other");
	if (check_output(plot))
		return EXIT_USAGE;
	return check_traffic_args(&plot->traffic, "plot");
}

static int parse(int argc, char **argv, struct plot *plot)
{
	static const struct option options[] = {
		TRAFFIC_OPTIONS,
		{ "fabric", required_argument, NULL, 'f' },
		{ 0 }
	};
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return option_error("plot", option, argv[optind - 1]);
		if (option == 'f')
			plot->fabric = optarg;
		else if (option == 'o')
			plot->output = optarg;
		else
			take_traffic_option(&plot->traffic, option, optarg);
	}
	if (argc - optind > 1)
		return usage_error("plot", "'%s' is one argument too many", argv[optind + 1]);
	plot->schedule = argv[optind];
	return check(plot);
}

static int run(const struct plot *plot, const struct liquid_fabric *fabric)
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

int cmd_plot(int argc, char **argv)
{
	struct liquid_fabric *fabric = NULL;
	struct plot plot = { 0 };
	int code = parse(argc, argv, &plot);

	if (!code && plot.fabric)
		code = read_fabric(plot.fabric, &fabric);
	if (!code)
		code = run(&plot, fabric);
	liquid_fabric_free(fabric);
	return code;
}
