/* SPDX-License-Identifier: GPL-2.0-only */
/* Generated from Documentation/netlink/specs/liquid.yaml by `make netlink`: not to be edited */
#ifndef LIQUID_NETLINK_GEN_H
#define LIQUID_NETLINK_GEN_H

#include <linux/liquid.h>
#include <net/genetlink.h>

#include "netlink/config.h"

/* By &enum liquid_gate_attr, as in a dump */
extern const struct liquid_option liquid_options[LIQUID_OPTIONS];
extern const struct nla_policy liquid_rule_policy[LIQUID_RULE_A_MAX + 1];
extern const struct nla_policy liquid_bypass_policy[LIQUID_GATE_A_RULE + 1];
extern const struct nla_policy liquid_gate_policy[LIQUID_GATE_A_MAX + 1];
extern const struct nla_policy liquid_key_policy[LIQUID_KEY_A_MAX + 1];
extern const struct nla_policy liquid_dest_policy[LIQUID_DEST_A_MAX + 1];
extern const struct nla_policy liquid_dests_policy[LIQUID_A_DEST + 1];
extern const struct nla_policy liquid_sched_policy[LIQUID_SCHED_A_MAX + 1];
extern const struct nla_policy liquid_entry_policy[LIQUID_ENTRY_A_MAX + 1];
extern const struct nla_policy liquid_entries_policy[LIQUID_A_ENTRY + 1];
extern const struct genl_ops liquid_ops[12];

int liquid_doit(struct sk_buff *skb, struct genl_info *info);
int liquid_dump_gate_get(struct sk_buff *skb, struct netlink_callback *cb);
int liquid_dump_dest_get(struct sk_buff *skb, struct netlink_callback *cb);
int liquid_dump_sched_get(struct sk_buff *skb, struct netlink_callback *cb);

#endif
