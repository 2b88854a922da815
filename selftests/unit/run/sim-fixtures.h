/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the simulator have in common: small fabrics, where a byte takes a ns. */
#ifndef TEST_SIMULATE_H
#define TEST_SIMULATE_H

#include "fixtures.h"
#include "schedule/schedule.h"

#define BYTE_A_NS 8000000000u	/* bit/s */

struct liquid_sim_options options_of(enum liquid_sim_switching switching, uint64_t message,
				     uint64_t packet);

bool near(double a, double b);

/* @senders on a switch, as many receivers on another one, and a link between them */
struct liquid_fabric *make_bridge(uint32_t senders, uint32_t capacity);

/* Sender i to receiver i, of a fabric whose senders come first */
struct liquid_traffic *straight(uint32_t senders, uint32_t count);

struct liquid_sim_result *simulated(const struct liquid_fabric *fabric,
				    const struct liquid_traffic *traffic,
				    const struct liquid_schedule *schedule,
				    const struct liquid_sim_options *options);

const struct liquid_sim_host *host_of(const struct liquid_sim_result *result, uint32_t host);

const struct liquid_sim_link *link_of(const struct liquid_sim_result *result, uint32_t link);

#endif
