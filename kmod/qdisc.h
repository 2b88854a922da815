/* SPDX-License-Identifier: GPL-2.0-only */
/* The hook */
#ifndef LIQUID_QDISC_H
#define LIQUID_QDISC_H

struct liquid_gate;
struct net_device;
struct Qdisc_ops;

struct liquid_gate *liquid_gate_of(const struct net_device *dev);
void liquid_gate_kick(struct liquid_gate *gate);
extern struct Qdisc_ops liquid_qdisc_ops;

#endif /* LIQUID_QDISC_H */
