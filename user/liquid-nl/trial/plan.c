// SPDX-License-Identifier: GPL-2.0-only
/* An all-to-all on one switch: fabric, schedule, and the times of its frames. */
#include <stdlib.h>

#include "gate/guard.h"
#include "trial/trial.h"
#include "util/units.h"

#define RELEASE_LAG_NS	10000		/* as push reckons */
#define FRAME_LEAST_NS	500000
#define CYCLE_MOST_NS	100000000	/* TCP takes a longer wait for a loss */
#define OVERHEAD	24		/* of Ethernet, bytes a packet */
#define MPU		84

static int add_nodes(struct liquid_fabric *fabric, unsigned int count, struct liquid_error *err)
{
	char name[16];
	int status = 0;

	for (unsigned int i = 0; i < count && !status; i++) {
		snprintf(name, sizeof(name), "node%u", i);
		status = liquid_fabric_add_host(fabric, name, err);
	}
	return status ? status : liquid_fabric_add_switch(fabric, "switch", err);
}

/* Links 2 i to the switch and 2 i + 1 from it */
static int add_links(struct liquid_fabric *fabric, unsigned int count, struct liquid_error *err)
{
	int status = 0;

	for (unsigned int i = 0; i < count && !status; i++) {
		struct liquid_link up = { .from = i, .to = count, .capacity = 1 };
		struct liquid_link down = { .from = count, .to = i, .capacity = 1 };

		status = liquid_fabric_add_link(fabric, &up, err);
		if (!status)
			status = liquid_fabric_add_link(fabric, &down, err);
	}
	for (unsigned int i = 0; i < count && !status; i++)
		status = liquid_fabric_set_forward(fabric, 0, i, 2 * i + 1, err);
	return status;
}

static int make_fabric(struct trial_plan *plan, unsigned int count, uint64_t rate_bps,
		       struct liquid_error *err)
{
	int status = liquid_fabric_new("trial", &plan->fabric, err);

	if (!status)
		status = add_nodes(plan->fabric, count, err);
	if (!status)
		status = add_links(plan->fabric, count, err);
	if (!status)
		status = liquid_fabric_set_unit_rate(plan->fabric, rate_bps, err);
	return status ? status : liquid_fabric_finish(plan->fabric, err);
}

int trial_plan_make(struct trial_plan *plan, unsigned int count, uint64_t rate_bps,
		    struct liquid_error *err)
{
	struct liquid_solve_options options = { 0 };
	struct liquid_traffic *traffic = NULL;
	int status;

	*plan = (struct trial_plan){ 0 };
	status = make_fabric(plan, count, rate_bps, err);
	if (!status)
		status = liquid_traffic_alltoall(NULL, count, &traffic, err);
	if (!status)
		status = liquid_solve(plan->fabric, traffic, &options, &plan->schedule, err);
	if (!status)
		plan->frames = liquid_schedule_info(plan->schedule)->length;
	liquid_traffic_free(traffic);
	if (status)
		trial_plan_clear(plan);
	return status;
}

void trial_plan_clear(struct trial_plan *plan)
{
	liquid_schedule_free(plan->schedule);
	liquid_fabric_free(plan->fabric);
	*plan = (struct trial_plan){ 0 };
}

uint32_t *trial_plan_slice(const struct trial_plan *plan, unsigned int node)
{
	uint32_t *slice = calloc(plan->frames, sizeof(*slice));
	struct liquid_error err;

	if (slice && liquid_schedule_slice(plan->schedule, node, 1, slice, &err)) {
		free(slice);
		slice = NULL;
	}
	return slice;
}

bool trial_plan_times(struct trial_times *times, uint64_t rate_bps, unsigned int mtu,
		      uint32_t frames, uint64_t frame_ns, char why[TRIAL_WHY])
{
	const struct wire wire = {
		.rate_bps = rate_bps, .overhead = OVERHEAD, .mpu = MPU, .max_packet = mtu + 14,
	};
	const struct guard_terms terms = {
		.clock_error_ns = times->error_ns, .release_lag_ns = RELEASE_LAG_NS, .hops = 2,
	};
	char guard[UNIT_TEXT];

	times->guard_ns = guard_needed_ns(&wire, &terms);
	times->frame_ns = frame_ns;
	if (!frame_ns && times->guard_ns < CYCLE_MOST_NS)
		times->frame_ns = 20 * times->guard_ns < FRAME_LEAST_NS ? FRAME_LEAST_NS :
								      20 * times->guard_ns;
	times->cycle_ns = times->frame_ns * frames;
	if (times->guard_ns < times->frame_ns / 2 && times->cycle_ns <= CYCLE_MOST_NS)
		return true;
	snprintf(why, TRIAL_WHY, "the guard must be %s long: frames of more than twice that, and a "
		 "cycle of at most 100 ms, which TCP bears, exclude each other; set the clocks by "
		 "PTP or chrony, or state --frame-time", format_time(times->guard_ns, guard));
	return false;
}

struct trial_place trial_plan_place(const struct trial_cycle *cycle, int64_t time)
{
	int64_t frame_ns = (int64_t)cycle->frame_ns, length = frame_ns * cycle->frames;
	int64_t in_cycle = ((time - cycle->base_ns) % length + length) % length;
	uint32_t frame = (uint32_t)(in_cycle / frame_ns);
	uint64_t offset = (uint64_t)(in_cycle % frame_ns);
	struct trial_place place = { .offset_ns = offset };

	if (cycle->slice[frame] == cycle->dest) {
		place.inside = offset < cycle->frame_ns - cycle->guard_ns;
		place.in_guard = !place.inside;
		return place;
	}
	/* Since the end of the last frame of its destination */
	for (uint32_t back = 1; back < cycle->frames; back++) {
		if (cycle->slice[(frame + cycle->frames - back) % cycle->frames] == cycle->dest)
			break;
		place.offset_ns += cycle->frame_ns;
	}
	return place;
}
