// SPDX-License-Identifier: GPL-2.0-only
/* liquid solve --html: the loads of the exchange, and the frames of its schedule. */
#include <inttypes.h>
#include <stdlib.h>

#include "util/command.h"
#include "solve/solve.h"

#define TITLE_TEXT (LIQUID_NAME_MAX + 64)

int solve_page(const struct solve *solve, const struct liquid_schedule *schedule,
	       const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
	       FILE **text)
{
	const struct liquid_schedule_info *info = liquid_schedule_info(schedule);
	uint64_t *load = calloc(liquid_fabric_link_count(fabric) + (size_t)1, sizeof(*load));
	struct liquid_view view = { "the tables", fabric, load, "messages", traffic, schedule };
	char title[TITLE_TEXT], story[512];
	struct liquid_page page = { .title = title, .text = story, .view = &view, .views = 1 };
	struct liquid_error err;
	int status, code;

	if (!load)
		return no_memory();
	snprintf(title, sizeof(title), "%s: a schedule of %u frame%s", liquid_fabric_name(fabric),
		 info->length, info->length == 1 ? "" : "s");
	snprintf(story, sizeof(story), "%" PRIu64 " transfers in %u frames%s; the busiest link "
		 "needs %u, and no schedule has fewer than %u (%s, by the method %s).",
		 info->transfers, info->length, info->parts > 1 ? " of parts of messages" : "",
		 info->duration, info->lower_bound,
		 liquid_certificate_name(info->certificate), info->method);
	status = liquid_traffic_loads(fabric, traffic, load, &err);
	code = status ? complain_of(status, &err) : write_page(solve->html, &page, text);
	free(load);
	return code;
}
