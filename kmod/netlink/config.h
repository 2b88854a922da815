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

#include "netlink/config-gen.h"	/* struct liquid_config */

/* A numeric option. Its member of struct liquid_config has the type that the policy states. */
struct liquid_option {
	u16 attr;
	u16 offset;		/* of the member */
	s64 min;
	s64 max;
	const char *text;	/* message for a value out of range */
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

#endif /* LIQUID_CONFIG_H */
