/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid simulate from within: its options, and how its results are shown. */
#ifndef LIQUID_SIMULATE_H
#define LIQUID_SIMULATE_H

#include "input/input.h"

/* ---- the model, of advise too ---- */

#define SIMULATE_MESSAGE_BYTES 131072u
#define SIMULATE_PACKET_BYTES 4096u
#define SIMULATE_HOP_NS 130u
#define SIMULATE_TOKEN_NS 2000u
/* Part of a token's latency that a message loses: its tail is shorter by that. */
#define SIMULATE_TOKEN_LOSS 0.2

/* All options; 0 where the library's value is meant. */
void simulate_model(struct liquid_sim_options *options);
/* That of the fabric's unit, or 100 Gbit/s */
uint64_t simulate_rate(const struct liquid_fabric *fabric);
uint64_t simulate_tail_bytes(uint64_t token_ns, uint64_t rate_bps);
/*
 * liquid_simulate() with as few virtual lanes as have no deadlock; if none of them does, with one.
 * It fills them in.
 */
int simulate_in_lanes(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      const struct liquid_schedule *schedule, struct liquid_sim_options *options,
		      struct liquid_sim_result **result, struct liquid_error *err);

/* ---- the command ---- */

struct simulate {
	const char *fabric;
	const char *schedule;		/* a file, or NULL: the order of the options */
	struct traffic_args traffic;
	struct liquid_sim_options options;
	const char *html;		/* file of the page, or NULL */
	bool has_order, any_lanes, json, progress;	/* any_lanes: as few as have no deadlock */
};

extern const struct opt simulate_opts[];

/* All return an exit code and complain by themselves. */
int simulate_parse(int argc, char **argv, struct simulate *simulate);
int simulate_print_json(const struct liquid_fabric *fabric, const struct liquid_sim_result *result,
			double seconds);
void simulate_print(const struct liquid_fabric *fabric, const struct liquid_sim_result *result,
		    double seconds);

/* --html; @traffic is NULL with a schedule. If that is stdout, *@text becomes stderr. */
int simulate_page(const struct simulate *simulate, const struct liquid_fabric *fabric,
		  const struct liquid_traffic *traffic, const struct liquid_schedule *schedule,
		  const struct liquid_sim_result *result, FILE **text);

/* The words of the command line for the values of the options; end with NULL. */
extern const char *const simulate_switchings[], *const simulate_orders[], *const simulate_jitters[];
extern const char *const drop_names[LIQUID_SIM_DROPS];
extern const char *const simulate_queues[], *const simulate_lane_rules[], *const simulate_syncs[];

#endif
