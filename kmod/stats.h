/* SPDX-License-Identifier: GPL-2.0-only */
/* State and counters, as the wire has them */
#ifndef LIQUID_STATS_H
#define LIQUID_STATS_H

struct liquid_dest;
struct liquid_gate;
struct sk_buff;

int liquid_gate_fill(struct sk_buff *skb, struct liquid_gate *gate);
int liquid_dest_fill(struct sk_buff *skb, struct liquid_gate *gate, struct liquid_dest *dest);

#endif /* LIQUID_STATS_H */
