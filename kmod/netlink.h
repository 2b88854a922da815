/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family */
#ifndef LIQUID_NETLINK_H
#define LIQUID_NETLINK_H

#include <linux/liquid.h>
#include <net/netlink.h>

struct liquid_event;
struct liquid_gate;
struct net;

extern const struct nla_policy liquid_dest_policy[LIQUID_DEST_A_MAX + 1];
extern const struct nla_policy liquid_key_policy[LIQUID_KEY_A_MAX + 1];
extern const struct nla_policy liquid_sched_policy[LIQUID_SCHED_A_MAX + 1];
extern const struct nla_policy liquid_entry_policy[LIQUID_ENTRY_A_MAX + 1];
bool liquid_event_has_listeners(struct net *net);
void liquid_event_send(struct liquid_gate *gate, u32 kind, const struct liquid_event *event);
int liquid_netlink_init(void);
void liquid_netlink_exit(void);

#endif /* LIQUID_NETLINK_H */
