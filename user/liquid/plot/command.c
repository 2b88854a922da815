// SPDX-License-Identifier: GPL-2.0-only
/* liquid plot: a schedule or a fabric as a picture. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "input/input.h"
#include "plot/plot.h"

struct plot {
	const char *schedule, *fabric, *output;
	struct traffic_args traffic;
	enum plot_kind kind;
};

static int check_output(struct plot *plot)
{
	if (!plot_kind_of(plot->output, &plot->kind))
		return usage_error("plot", "-o: expected a name in .svg, .png, .pdf, .gp or .csv, "
				   "got '%s'", plot->output);
	return EXIT_OK;
}

static int a_traffic_too(void)
{
	return usage_error("plot", "a schedule is a traffic itself: leave out the other");
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
	  .help = "its name ends in .svg, .png, .pdf, .csv or .gp (for gnuplot)" },
	{ 0 }
};

static int parse(int argc, char **argv, struct plot *plot)
{
	int code = take_options(argc, argv, plot_opts, plot);

	return code ? code : check(plot);
}

/* ---- schedules ---- */

#define LISTED_MAX 16777216	/* transfers of a picture of all: 128 MB */
#define SAMPLE 64		/* senders of a picture of more */

static int no_host(const struct plot *plot, const struct liquid_schedule *schedule,
		   const char *name)
{
	char near[LIQUID_NEAR_TEXT];

	return complain(EXIT_BAD_INPUT, "--hosts: %s has no host '%s'%s", plot->schedule, name,
			near_host(schedule, name, near));
}

/* The hosts of --hosts */
static int named_hosts(const struct plot *plot, const struct liquid_schedule *schedule,
		       uint32_t **hosts, size_t *count)
{
	struct liquid_names names = { 0 };
	struct liquid_error err;
	int status = liquid_hostlist_expand(plot->traffic.hosts, &names, &err);
	int code = status ? complain(exit_code_of(status), "--hosts: %s", err.text) : EXIT_OK;

	*hosts = calloc(names.count + 1, sizeof(**hosts));
	*count = names.count;
	if (!code && !*hosts)
		code = no_memory();
	for (size_t i = 0; !code && i < names.count; i++) {
		(*hosts)[i] = liquid_schedule_find_host(schedule, names.name[i]);
		if ((*hosts)[i] == LIQUID_NONE)
			code = no_host(plot, schedule, names.name[i]);
	}
	liquid_names_clear(&names);
	return code;
}

/* All that send, whatever was asked for; to be freed */
static uint32_t *list_senders(const struct liquid_schedule *schedule, size_t *count)
{
	uint32_t hosts = liquid_schedule_host_count(schedule);
	uint32_t *sender = calloc((size_t)hosts + 1, sizeof(*sender));
	bool listed = sender && !liquid_schedule_shape(schedule);
	const struct liquid_transfer *transfer;
	size_t transfers;

	for (uint32_t f = 0; listed && f < liquid_schedule_info(schedule)->length; f++) {
		transfer = liquid_schedule_frame(schedule, f, &transfers);
		for (size_t i = 0; i < transfers; i++)
			sender[transfer[i].src] = 1;
	}
	*count = 0;
	for (uint32_t h = 0; sender && h < hosts; h++)
		if (listed ? sender[h] : liquid_schedule_at_once(schedule, h))
			sender[(*count)++] = h;
	return sender;
}

/* Keep SAMPLE of the @count hosts at most, spread over all; returns how many. */
static size_t spread(uint32_t *host, size_t count)
{
	size_t kept = count < SAMPLE ? count : SAMPLE;

	for (size_t i = 0; i < kept; i++)
		host[i] = host[i * count / kept];
	return kept;
}

/* Senders without links: some of its senders do not make up a link's load. */
static int draw_sample(const struct plot *plot, const struct liquid_schedule *schedule)
{
	struct liquid_schedule *sample = NULL;
	size_t senders, count;
	uint32_t *hosts = list_senders(schedule, &senders), *named = NULL;
	struct liquid_error err;
	int status, code = hosts ? EXIT_OK : no_memory();

	if (!code && plot->traffic.hosts)
		code = named_hosts(plot, schedule, &named, &count);
	else if (!code)
		count = spread(hosts, senders);
	if (!code) {
		status = liquid_schedule_sample(schedule, named ? named : hosts, count, &sample,
						&err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	if (!code)
		complain(0, "note: the picture is of what %zu of %zu hosts send%s", count,
			 senders, plot->fabric ? ", without links" : "");
	if (!code)
		code = plot_schedule(NULL, sample, plot->output, plot->kind);
	free(hosts);
	free(named);
	liquid_schedule_free(sample);
	return code;
}

static int draw_schedule(const struct plot *plot, const struct liquid_fabric *fabric)
{
	struct liquid_schedule *schedule;
	struct liquid_error err;
	int status, code = read_schedule(plot->schedule, fabric, &schedule);

	if (code)
		return code;
	if (plot->traffic.hosts || liquid_schedule_info(schedule)->transfers > LISTED_MAX) {
		code = draw_sample(plot, schedule);
	} else {
		status = liquid_schedule_list(schedule, NULL, &err);
		code = status ? complain(exit_code_of(status), "%s: %s", plot->schedule, err.text) :
		       plot_schedule(fabric, schedule, plot->output, plot->kind);
	}
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
