/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family */
#ifndef LIQUID_NETLINK_H
#define LIQUID_NETLINK_H

#include <linux/types.h>

struct liquid_event;
struct liquid_gate;
struct net;

bool liquid_event_has_listeners(struct net *net);
void liquid_event_send(struct liquid_gate *gate, u32 kind, const struct liquid_event *event);
int liquid_netlink_init(void);
void liquid_netlink_exit(void);

#endif /* LIQUID_NETLINK_H */
