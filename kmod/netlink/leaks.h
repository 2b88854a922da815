/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways past the gate that can be seen on its device */
#ifndef LIQUID_LEAKS_H
#define LIQUID_LEAKS_H

#include <linux/types.h>

struct net_device;
struct netlink_ext_ack;

u32 liquid_leaks(struct net_device *dev);
void liquid_leaks_note(struct net_device *dev, struct netlink_ext_ack *extack);

#endif /* LIQUID_LEAKS_H */
