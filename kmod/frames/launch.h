/* SPDX-License-Identifier: GPL-2.0-only */
/* Launch times: packets that the device itself sends in time */
#ifndef LIQUID_LAUNCH_H
#define LIQUID_LAUNCH_H

#include "gate.h"

void liquid_launch_init(struct liquid_gate *root);
void liquid_launch_destroy(struct liquid_gate *root);
int liquid_launch_check(struct liquid_gate *root, struct netlink_ext_ack *extack);
void liquid_launch_update(struct liquid_gate *root);
void liquid_launch_pause(struct liquid_gate *root);
void liquid_launch_renew(struct liquid_gate *root);
void liquid_launch_renew_later(struct liquid_gate *root);
void liquid_launch_stamp(const struct liquid_gate *gate, struct sk_buff *skb, s64 now);

#endif /* LIQUID_LAUNCH_H */
