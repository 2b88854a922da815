// SPDX-License-Identifier: GPL-2.0-only
/* liquid simulate: how long a schedule, or an order, takes on a fabric. */
#include <string.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "commands.h"
#include "simulate/simulate.h"
#include "util/output.h"
#include "util/progress.h"
#include "util/units.h"

static int show_progress(void *context, uint64_t done, uint64_t total, uint64_t now_ns)
{
	char text[UNIT_TEXT];

	(void)context;
	progress_say("%llu of %llu transfers, %s", (unsigned long long)done,
		     (unsigned long long)total, format_time(now_ns, text));
	return 0;
}

static double now(void)
{
	return 1e-9 * (double)clock_ns(CLOCK_MONOTONIC);
}

/* Values known only with the fabric and the schedule */
static void fill_in(struct simulate *simulate, const struct liquid_fabric *fabric,
		    const struct liquid_schedule *schedule)
{
	const struct liquid_schedule_info *info = schedule ? liquid_schedule_info(schedule) : NULL;
	struct liquid_sim_options *options = &simulate->options;

	if (!options->message_bytes)
		options->message_bytes = info && info->unit_bytes ? info->unit_bytes :
			SIMULATE_MESSAGE_BYTES;
	if (!options->rate_bps)
		options->rate_bps = info && info->link_rate_bps ? info->link_rate_bps :
			simulate_rate(fabric);
	if (options->tail_bytes == LIQUID_SIM_DEFAULT && !options->jitter &&
	    options->sync == LIQUID_SIM_SYNC_TOKENS &&
	    options->switching == LIQUID_SIM_CUT_THROUGH)
		options->tail_bytes = simulate_tail_bytes(options->token_ns, options->rate_bps);
}

static int run(struct simulate *simulate, const struct liquid_fabric *fabric,
	       const struct liquid_traffic *traffic, const struct liquid_schedule *schedule)
{
	bool progress = simulate->progress && isatty(STDERR_FILENO);
	struct liquid_sim_result *result;
	struct liquid_error err;
	double start = now();
	FILE *text = stdout;
	int status, code = EXIT_OK;

	if (progress)
		simulate->options.progress = show_progress;
	fill_in(simulate, fabric, schedule);
	status = simulate->any_lanes ?
		simulate_in_lanes(fabric, traffic, schedule, &simulate->options, &result, &err) :
		liquid_simulate(fabric, traffic, schedule, &simulate->options, &result, &err);
	if (progress)
		progress_clear();
	if (status)
		return complain_of(status, &err);
	if (simulate->html)
		code = simulate_page(simulate, fabric, traffic, schedule, result, &text);
	if (!code && simulate->json)
		code = simulate_print_json(fabric, result, now() - start);
	else if (!code && text == stdout)
		simulate_print(fabric, result, now() - start);
	liquid_sim_free(result);
	return code;
}

static int run_simulate(int argc, char **argv)
{
	struct liquid_schedule *schedule = NULL;
	struct liquid_traffic *traffic = NULL;
	struct liquid_fabric *fabric = NULL;
	struct simulate simulate = { 0 };
	int code = simulate_parse(argc, argv, &simulate);

	if (!code)
		code = read_fabric(simulate.fabric, &fabric);
	if (!code && simulate.schedule)
		code = read_schedule(simulate.schedule, fabric, &schedule);
	simulate.traffic.unit_bytes = simulate.options.message_bytes ?
		simulate.options.message_bytes : SIMULATE_MESSAGE_BYTES;
	if (!code && !simulate.schedule)
		code = read_traffic(&simulate.traffic, fabric, &traffic);
	if (!code)
		code = output_check(&simulate.html, 1);
	if (!code)
		code = run(&simulate, fabric, traffic, schedule);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_simulate = {
	"simulate", "carry a schedule, or an order, over a simulated fabric", simulate_opts,
	run_simulate, NULL, NULL
};
