/* SPDX-License-Identifier: GPL-2.0-only */
/* The hook */
#ifndef LIQUID_QDISC_H
#define LIQUID_QDISC_H

#include <linux/types.h>

struct liquid_gate;
struct liquid_queue;
struct net_device;
struct Qdisc;
struct Qdisc_ops;
struct sk_buff;

int liquid_enqueue_slow(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free);
struct sk_buff *liquid_dequeue_slow(struct Qdisc *sch);
struct liquid_queue *liquid_classify_slow(struct liquid_gate *gate, struct sk_buff *skb, bool *ack);
void liquid_reset(struct Qdisc *sch);
struct liquid_gate *liquid_gate_of(const struct net_device *dev);
void liquid_gate_kick(struct liquid_gate *gate);
extern struct Qdisc_ops liquid_qdisc_ops;

#endif /* LIQUID_QDISC_H */
