/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of a gate */
#ifndef LIQUID_CONFIG_H
#define LIQUID_CONFIG_H

#include <linux/liquid.h>
#include <linux/types.h>
#include <net/netlink.h>

struct liquid_gate;
struct net_device;

/* A rule of the control bypass or of the selector */
struct liquid_rule {
	__be16 ethertype;	/* 0: match by @l4proto */
	u8 l4proto;		/* IPPROTO_* */
	u16 port_min;		/* host order */
	u16 port_max;		/* host order; 0: any port */
};

/* Options of a gate, as in &enum liquid_gate_attr. Written under RTNL and the root lock. */
struct liquid_config {
	u64 rate_bps;
	u64 limit_bytes;
	u64 dest_limit_bytes;
	s32 overhead;
	u32 mpu;
	u32 ahead_ns;
	u32 limit_packets;
	u32 dest_limit_packets;
	u32 horizon_ms;
	u32 policy;
	u32 reserve;
	u32 control;
	u32 acks;
	u32 launch_ns;
	u32 wake_early_ns;
	u32 cpu_latency_ns;
	u32 select;
	u32 select_mark;
	u32 select_mask;
	u8 select_dscp;
	u8 match_mark;
	u8 skip_open;
	u8 rules;
	struct liquid_rule select_rule;
	struct liquid_rule rule[LIQUID_BYPASS_MAX];
};

/* Unscheduled packets are sent in idle frames only. */
static inline bool liquid_needs_idle(const struct liquid_config *config)
{
	return config->policy == LIQUID_POLICY_IDLE ||
	       (config->policy == LIQUID_POLICY_SHARE && !config->reserve);
}

void liquid_config_init(struct liquid_config *config, const struct net_device *dev);
int liquid_config_parse(struct liquid_config *config, struct nlattr *gate,
			struct netlink_ext_ack *extack);
int liquid_config_set(struct liquid_gate *gate, struct nlattr *attr,
		      struct netlink_ext_ack *extack);
int liquid_config_fill(struct sk_buff *skb, const struct liquid_config *config);
u64 liquid_link_rate(struct net_device *dev);
extern const struct nla_policy liquid_gate_policy[LIQUID_GATE_A_MAX + 1];

#endif /* LIQUID_CONFIG_H */
