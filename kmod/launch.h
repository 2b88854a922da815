/* SPDX-License-Identifier: GPL-2.0-only */
/* Launch times: packets that the device itself sends in time */
#ifndef LIQUID_LAUNCH_H
#define LIQUID_LAUNCH_H

#include "gate.h"

int liquid_launch_begin(struct net_device *dev, struct netlink_ext_ack *extack);
void liquid_launch_end(struct net_device *dev);
void liquid_launch_change(struct liquid_gate *gate, u32 ns);
void liquid_launch_stamp(const struct liquid_gate *gate, struct sk_buff *skb, s64 now);

#endif /* LIQUID_LAUNCH_H */
