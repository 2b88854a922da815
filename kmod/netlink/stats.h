/* SPDX-License-Identifier: GPL-2.0-only */
/* Dumps of state and counters of a gate */
#ifndef LIQUID_STATS_H
#define LIQUID_STATS_H

struct liquid_gate;
struct liquid_reader;
struct sk_buff;

int liquid_gate_fill(struct sk_buff *skb, struct liquid_gate *gate,
		     const struct liquid_reader *reader);

#endif /* LIQUID_STATS_H */
