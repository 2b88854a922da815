// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model that advise and simulate use where nothing else is asked for
 *
 * A fabric of today's switches: cut-through, with virtual output queues, which flatter a schedule
 * less than FIFOs do.
 */
#include "simulate/simulate.h"

#define RATE_BPS UINT64_C(100000000000)
#define LANES_MAX 16u

/* In the order of the library's enum */
const char *const simulate_orders[] = { "pairwise", "random", "all-at-once", "shuffle-xor",
					"shuffle-rotation", "pairwise-xor", NULL };

void simulate_model(struct liquid_sim_options *options)
{
	*options = (struct liquid_sim_options){
		.switching = LIQUID_SIM_CUT_THROUGH,
		.queues = LIQUID_SIM_VOQ, .hop_ns = SIMULATE_HOP_NS,
		.frame_ns = LIQUID_SIM_DEFAULT, .guard_ns = LIQUID_SIM_DEFAULT,
		.token_ns = SIMULATE_TOKEN_NS, .tail_bytes = LIQUID_SIM_DEFAULT,
	};
}

uint64_t simulate_rate(const struct liquid_fabric *fabric)
{
	uint64_t rate_bps = liquid_fabric_unit_rate(fabric);

	return rate_bps ? rate_bps : RATE_BPS;
}

uint64_t simulate_tail_bytes(uint64_t token_ns, uint64_t rate_bps)
{
	return (uint64_t)((1 - SIMULATE_TOKEN_LOSS) * (double)token_ns * (double)rate_bps / 8e9);
}

int simulate_in_lanes(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      const struct liquid_schedule *schedule, struct liquid_sim_options *options,
		      struct liquid_sim_result **result, struct liquid_error *err)
{
	int status = LIQUID_BAD_INPUT;

	options->lane_by = LIQUID_SIM_BY_LAYERS;
	for (uint32_t lanes = 1; lanes <= LANES_MAX && status == LIQUID_BAD_INPUT; lanes *= 2) {
		options->lanes = lanes;
		status = liquid_simulate(fabric, traffic, schedule, options, result, err);
	}
	if (status != LIQUID_BAD_INPUT)
		return status;
	options->lanes = 1;
	options->lane_by = LIQUID_SIM_BY_DESTINATION;
	return liquid_simulate(fabric, traffic, schedule, options, result, err);
}
