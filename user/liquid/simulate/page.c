// SPDX-License-Identifier: GPL-2.0-only
/* liquid simulate --html: loads of the traffic, what its links carried, and the time. */
#include <inttypes.h>
#include <stdlib.h>

#include "simulate/simulate.h"
#include "util/command.h"
#include "util/units.h"

/* The traffic of a schedule is what its frames carry. */
static int find_loads(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      const struct liquid_sim_result *result, uint64_t *load, uint64_t *sent)
{
	struct liquid_error err;
	int status = liquid_traffic_loads(fabric, traffic, load, &err);

	for (uint32_t l = 0; l < result->link_count; l++)
		sent[l] = result->link[l].bytes;
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int write_it(const struct simulate *simulate, const struct liquid_fabric *fabric,
		    const struct liquid_traffic *traffic, const struct liquid_schedule *schedule,
		    const struct liquid_sim_result *result, FILE **text)
{
	size_t links = liquid_fabric_link_count(fabric) + (size_t)1;
	uint64_t *load = calloc(2 * links, sizeof(*load));
	const struct liquid_view views[] = {
		{ "messages of the exchange", fabric, load, "messages", traffic, schedule },
		{ "bytes as simulated", fabric, load + links, "bytes", traffic, NULL },
	};
	const struct liquid_bar bars[] = {
		{ "as simulated", NULL, { result->time_ns } },
		{ "what the busiest link needs", NULL, { result->liquid_throughput > 0 ?
			(uint64_t)((double)result->time_ns * result->throughput /
				   result->liquid_throughput) : 0 } },
	};
	char title[LIQUID_NAME_MAX + 64], story[512], time[UNIT_TEXT], rate[UNIT_TEXT];
	const struct liquid_sim_options *o = result->options;
	struct liquid_page page = { .title = title, .text = story, .view = views, .views = 2,
				    .bar = bars, .bars = 2 };
	int code = load ? find_loads(fabric, traffic, result, load, load + links) : no_memory();

	snprintf(title, sizeof(title), "%s: simulated", liquid_fabric_name(fabric));
	snprintf(story, sizeof(story), "%" PRIu64 " message%s of %" PRIu64 " bytes, %s, by %s at "
		 "%s a link took %s, %.1f %% of the liquid throughput.", result->transfers,
		 result->transfers == 1 ? "" : "s",
		 o->message_bytes, result->scheduled ? "by a schedule" : simulate_orders[o->order],
		 simulate_switchings[o->switching], format_rate(o->rate_bps, rate),
		 format_time(result->time_ns, time), result->liquid_throughput > 0 ?
		 100 * result->throughput / result->liquid_throughput : 0);
	if (!code)
		code = write_page(simulate->html, &page, text);
	free(load);
	return code;
}

int simulate_page(const struct simulate *simulate, const struct liquid_fabric *fabric,
		  const struct liquid_traffic *traffic, const struct liquid_schedule *schedule,
		  const struct liquid_sim_result *result, FILE **text)
{
	struct liquid_traffic *carried = NULL;
	struct liquid_error err;
	int status = schedule ? liquid_schedule_traffic(schedule, fabric, &carried, &err) :
		     LIQUID_OK;
	int code = status ? complain_of(status, &err) :
		   write_it(simulate, fabric, schedule ? carried : traffic, schedule, result, text);

	liquid_traffic_free(carried);
	return code;
}
