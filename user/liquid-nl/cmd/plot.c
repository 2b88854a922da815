// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl plot: a schedule or a fabric as a picture. */
#include <stdlib.h>
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

static int a_traffic_too(void)
{
	return usage_error("plot", "a schedule is a traffic of its own: leave out the other");
}

static int check(struct plot *plot)
{
	if (!plot->schedule && !plot->fabric)
		return usage_error("plot", "missing SCHEDULE or --fabric");
	if (plot->schedule && (plot->traffic.traffic || plot->traffic.senders ||
			       plot->traffic.receivers || plot->traffic.tasks_per_node))
		return a_traffic_too();
	if (check_output(plot))
		return EXIT_USAGE;
	return check_unit_bytes(&plot->traffic, "plot") ? EXIT_USAGE :
	       check_traffic_args(&plot->traffic, "plot");
}

#define MEMBER(member) OPT_MEMBER(struct plot, member)

static const struct opt plot_opts[] = {
	{ "SCHEDULE", 0, KIND_TEXT, MEMBER(schedule), .positional = true,
	  .help = "as `solve` wrote it; without one the fabric is drawn" },
	{ "fabric", 0, KIND_TEXT, MEMBER(fabric), .value = "FABRIC",
	  .help = "draw this fabric with its loads, or name the hosts of the schedule by it" },
	OPT_GROUP(struct plot, traffic, traffic_opts),
	OPT_UNIT_BYTES(MEMBER(traffic.unit_bytes)),
	{ "output", 'o', KIND_TEXT, MEMBER(output), .required = true, .value = "FILE",
	  .help = "its name ends in .svg, .png, .pdf, .csv, .gp (schedules) or .dot (fabrics)" },
	{ 0 }
};

static int parse(int argc, char **argv, struct plot *plot)
{
	int code = take_options(argc, argv, plot_opts, plot);

	return code ? code : check(plot);
}

/* ---- a compact schedule ---- */

#define LISTED_MAX 16777216	/* transfers of a picture of all: 128 MB */
#define SAMPLE 64		/* senders of a picture of more */

static const char *name_of(const void *compact, uint32_t place)
{
	return liquid_compact_name(compact, place);
}

static int no_place(const struct plot *plot, const struct liquid_compact *compact,
		    const char *name)
{
	char near[LIQUID_NEAR_TEXT];

	return complain(EXIT_BAD_INPUT, "--hosts: %s has no host '%s'%s", plot->schedule, name,
			liquid_near_names(name, name_of, compact,
					  liquid_compact_shape(compact)->places, near,
					  sizeof(near)));
}

/* The places of --hosts */
static int named_places(const struct plot *plot, const struct liquid_compact *compact,
			uint32_t **places, size_t *count)
{
	struct liquid_names names = { 0 };
	struct liquid_error err;
	int status = liquid_hostlist_expand(plot->traffic.hosts, &names, &err);
	int code = status ? complain(exit_code_of(status), "--hosts: %s", err.text) : EXIT_OK;

	*places = calloc(names.count + 1, sizeof(**places));
	*count = names.count;
	if (!code && !*places)
		code = no_memory();
	for (size_t i = 0; !code && i < names.count; i++) {
		(*places)[i] = liquid_compact_find(compact, names.name[i]);
		if ((*places)[i] == LIQUID_NONE)
			code = no_place(plot, compact, names.name[i]);
	}
	liquid_names_clear(&names);
	return code;
}

static uint32_t taking_part(const struct liquid_compact *compact)
{
	return liquid_compact_shape(compact)->places - liquid_compact_shape(compact)->left_out;
}

static int spread_places(const struct liquid_compact *compact, uint32_t **places, size_t *count)
{
	const struct liquid_shape *shape = liquid_compact_shape(compact);
	uint64_t all = taking_part(compact), seen = 0;
	size_t found = 0;

	*count = all < SAMPLE ? all : SAMPLE;
	*places = calloc(*count + 1, sizeof(**places));
	if (!*places)
		return no_memory();
	for (uint32_t p = 0; p < shape->places && found < *count; p++) {
		if (shape->out && shape->out[p])
			continue;
		if (seen++ == found * all / *count)
			(*places)[found++] = p;
	}
	return EXIT_OK;
}

/* Senders without links: what a link carries is not told by some of its senders. */
static int draw_sample(const struct plot *plot, const struct liquid_compact *compact)
{
	struct liquid_schedule *schedule = NULL;
	uint32_t *places = NULL;
	struct liquid_error err;
	size_t count;
	int status, code = plot->traffic.hosts ? named_places(plot, compact, &places, &count) :
			   spread_places(compact, &places, &count);

	if (!code) {
		status = liquid_compact_sample(compact, places, count, &schedule, &err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	if (!code)
		complain(0, "note: the picture is of what %zu of %u hosts send%s", count,
			 taking_part(compact),
			 plot->fabric ? ", without links" : "");
	if (!code)
		code = plot_schedule(NULL, schedule, plot->output, plot->kind);
	free(places);
	liquid_schedule_free(schedule);
	return code;
}

static int draw_compact(const struct plot *plot, const struct liquid_fabric *fabric,
			const struct liquid_compact *compact)
{
	struct liquid_schedule *schedule;
	int code;

	if (plot->traffic.hosts || liquid_compact_info(compact)->transfers > LISTED_MAX)
		return draw_sample(plot, compact);
	code = list_compact(plot->schedule, compact, fabric, &schedule);
	if (!code)
		code = plot_schedule(fabric, schedule, plot->output, plot->kind);
	liquid_schedule_free(schedule);
	return code;
}

/* ---- any ---- */

static int draw_schedule(const struct plot *plot, const struct liquid_fabric *fabric)
{
	struct liquid_schedule *schedule;
	struct liquid_compact *compact;
	int code = read_any_schedule(plot->schedule, fabric, &schedule, &compact);

	if (!code && compact)
		code = draw_compact(plot, fabric, compact);
	else if (!code && plot->traffic.hosts)
		code = a_traffic_too();
	else if (!code)
		code = plot_schedule(fabric, schedule, plot->output, plot->kind);
	liquid_compact_free(compact);
	liquid_schedule_free(schedule);
	return code;
}

static int draw_fabric(const struct plot *plot, const struct liquid_fabric *fabric)
{
	struct liquid_traffic *traffic = NULL;
	int code = read_traffic(&plot->traffic, fabric, &traffic);

	if (!code)
		code = plot_fabric(fabric, traffic, plot->output, plot->kind);
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
		code = plot.schedule ? draw_schedule(&plot, fabric) : draw_fabric(&plot, fabric);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_plot = {
	"plot", "draw a schedule, or a fabric and its loads", plot_opts, run_plot, NULL, NULL
};
