/* SPDX-License-Identifier: GPL-2.0-only */
/* The short path */
#ifndef LIQUID_PASS_H
#define LIQUID_PASS_H

#include "gate.h"

int liquid_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free);
struct sk_buff *liquid_dequeue(struct Qdisc *sch);
void liquid_pass_init(struct liquid_gate *gate);
void liquid_pass_recompute(struct liquid_gate *gate);
void liquid_pass_start(struct liquid_gate *gate, const struct sk_buff *skb, s64 now);
void liquid_pass_stop(struct liquid_gate *gate, s64 now);
void liquid_flush_passing(struct liquid_gate *gate, s64 now);

/* Without a schedule, packets to all destinations may pass, unless each gets a launch time. */
static inline void liquid_pass_start_open(struct liquid_gate *gate)
{
	gate->pass.all = !gate->link.launch;
}

#endif /* LIQUID_PASS_H */
