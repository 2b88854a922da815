/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranks, permutations and the global window of the (modified) synchronous shuffle exchange. */
#ifndef LIQUID_SIMULATE_SHUFFLE_H
#define LIQUID_SIMULATE_SHUFFLE_H

#include "liquidsched.h"

/*
 * The ranks of senders and receivers, by host; LIQUID_NONE: takes no part. They follow the hosts'
 * numbers, are given in @rank or, contention-aware, put consecutive ranks on different switches
 * (eq. 6.3).
 */
struct shuffle_ranks {
	uint32_t *sender, *receiver;
	uint32_t senders, receivers;
};

int shuffle_ranks(const struct liquid_fabric *fabric, const struct liquid_pair *pairs,
		  uint32_t count, bool contention_aware, const uint32_t *rank,
		  struct shuffle_ranks *ranks, struct liquid_error *err);
void shuffle_ranks_clear(struct shuffle_ranks *ranks);

/* The step in which @pair has its turn: by XOR, or by the distance of the ranks. */
static inline uint32_t shuffle_step_xor(const struct shuffle_ranks *ranks,
					const struct liquid_pair *pair)
{
	return ranks->sender[pair->src] ^ ranks->receiver[pair->dst];
}

static inline uint32_t shuffle_step_rotation(const struct shuffle_ranks *ranks,
					     const struct liquid_pair *pair)
{
	uint32_t from = ranks->sender[pair->src] % ranks->receivers;
	uint32_t to = ranks->receiver[pair->dst];

	return to >= from ? to - from : to + ranks->receivers - from;
}

/*
 * nu of eq. 6.1 for any fabric: packets for the busiest link between switches in a communication
 * step. If each switch has d1 of p hosts and one link up, it is (p - d1) d1 / (p - 1).
 */
int shuffle_load(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 double *load, struct liquid_error *err);
/* W_g of eq. 6.2, at least 1; 0 (no window) if no link between switches is used */
uint64_t shuffle_window(uint64_t buffer_packets, double load);

#endif
