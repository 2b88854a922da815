/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid-nl simulate from within: its options, and how its results are shown. */
#ifndef LIQUID_NL_SIMULATE_H
#define LIQUID_NL_SIMULATE_H

#include "util/input.h"

struct simulate {
	const char *fabric;
	const char *schedule;		/* a file, or NULL: the order of the options */
	struct traffic_args traffic;
	struct liquid_sim_options options;
	bool has_order, json, progress;
};

extern const struct opt simulate_opts[];

/* All return an exit code and complain by themselves. */
int simulate_parse(int argc, char **argv, struct simulate *simulate);
int simulate_print_json(const struct liquid_fabric *fabric, const struct liquid_sim_result *result,
			double seconds);
void simulate_print(const struct liquid_fabric *fabric, const struct liquid_sim_result *result,
		    double seconds);

/* The words of the command line for what the options may be; end with NULL. */
extern const char *const simulate_switchings[], *const simulate_orders[], *const simulate_jitters[];
extern const char *const simulate_queues[], *const simulate_lane_rules[], *const simulate_syncs[];

#endif
