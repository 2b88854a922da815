// SPDX-License-Identifier: GPL-2.0-only
/* Options of a gate: defaults, parsing, changes, dumps */
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/in.h>

#include "frames/clock.h"
#include "netlink/config.h"
#include "frames/latency.h"
#include "frames/launch.h"
#include "lock.h"
#include "netlink/netlink-gen.h"
#include "packets/queue.h"
#include "frames/schedule.h"

#define LIQUID_ETHER_OVERHEAD	24	/* FCS, preamble, gap */
#define LIQUID_ETHER_MPU	84	/* 60 bytes and the overhead */
/*
 * A datagram of IPoIB: LRH 8, BTH 12, DETH 8, ICRC 4 and VCRC 2 bytes, less the pseudo header of 20
 * that the kernel counts, but which is not sent.
 */
#define LIQUID_IPOIB_OVERHEAD	14

/* Defaults. The padding is zero, so that memcmp() can compare two configurations. */
void liquid_config_init(struct liquid_config *config, const struct net_device *dev)
{
	memset(config, 0, sizeof(*config));
	config->limit_packets = 131072;
	config->limit_bytes = 256 << 20;
	config->dest_limit_packets = 4096;
	config->dest_limit_bytes = 4 << 20;
	config->ahead_ns = 100 * NSEC_PER_USEC;
	config->horizon_ms = 10 * MSEC_PER_SEC;
	config->policy = LIQUID_POLICY_SHARE;
	config->reserve = 50;
	config->control = 20;
	config->acks = LIQUID_ACKS_FRAMES;
	config->select = LIQUID_SELECT_ALL;
	config->select_mask = U32_MAX;
	if (dev->type == ARPHRD_ETHER) {
		config->overhead = LIQUID_ETHER_OVERHEAD;
		config->mpu = LIQUID_ETHER_MPU;
	} else if (dev->type == ARPHRD_INFINIBAND) {
		config->overhead = LIQUID_IPOIB_OVERHEAD;
	}
}

/* The value as s64; -1 if it does not fit, which is out of every such range */
static s64 liquid_option_value(const struct liquid_option *option, const struct nlattr *attr)
{
	switch (liquid_gate_policy[option->attr].type) {
	case NLA_U64:
		return nla_get_u64(attr) > S64_MAX ? -1 : (s64)nla_get_u64(attr);
	case NLA_S32:
		return nla_get_s32(attr);
	case NLA_U8:
		return nla_get_u8(attr);
	default:
		return nla_get_u32(attr);
	}
}

static bool liquid_option_in_range(const struct liquid_option *option, const struct nlattr *attr)
{
	s64 value = liquid_option_value(option, attr);

	return (value >= option->min && value <= option->max) ||
	       (!value && option->attr == LIQUID_GATE_A_RATE_BPS);
}

static int liquid_parse_options(struct liquid_config *config, struct nlattr **attrs,
				struct netlink_ext_ack *extack)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(liquid_options); i++) {
		const struct liquid_option *option = &liquid_options[i];
		struct nlattr *attr = attrs[option->attr];

		if (!attr)
			continue;
		if (!liquid_option_in_range(option, attr)) {
			NL_SET_BAD_ATTR(extack, attr);
			if (extack)
				extack->_msg = option->text;
			return -ERANGE;
		}
		memcpy((void *)config + option->offset, nla_data(attr), nla_len(attr));
	}
	return 0;
}

static int liquid_parse_ports(struct liquid_rule *rule, struct nlattr **attrs, struct nlattr *nest,
			      struct netlink_ext_ack *extack)
{
	if (!attrs[LIQUID_RULE_A_PORT_MIN]) {
		if (!attrs[LIQUID_RULE_A_PORT_MAX])
			return 0;
		NL_SET_ERR_MSG_ATTR(extack, nest, "rule with PORT_MAX needs PORT_MIN");
		return -EINVAL;
	}
	if (rule->l4proto != IPPROTO_TCP && rule->l4proto != IPPROTO_UDP &&
	    rule->l4proto != IPPROTO_SCTP) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "rule with ports needs TCP, UDP or SCTP");
		return -EINVAL;
	}
	rule->port_min = nla_get_u16(attrs[LIQUID_RULE_A_PORT_MIN]);
	rule->port_max = rule->port_min;
	if (attrs[LIQUID_RULE_A_PORT_MAX])
		rule->port_max = nla_get_u16(attrs[LIQUID_RULE_A_PORT_MAX]);
	if (!rule->port_min || rule->port_max < rule->port_min) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "ports out of range: use 1 <= PORT_MIN <= PORT_MAX");
		return -ERANGE;
	}
	return 0;
}

static int liquid_parse_rule(struct liquid_rule *rule, struct nlattr *nest,
			     struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[LIQUID_RULE_A_MAX + 1];
	int err;

	err = nla_parse_nested(attrs, LIQUID_RULE_A_MAX, nest, liquid_rule_policy, extack);
	if (err)
		return err;
	if (!attrs[LIQUID_RULE_A_ETHERTYPE] == !attrs[LIQUID_RULE_A_L4PROTO]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "rule needs either ETHERTYPE or L4PROTO");
		return -EINVAL;
	}
	if (attrs[LIQUID_RULE_A_L4PROTO]) {
		rule->l4proto = nla_get_u8(attrs[LIQUID_RULE_A_L4PROTO]);
		if (!rule->l4proto) {
			NL_SET_ERR_MSG_ATTR(extack, nest,
					    "rule with L4PROTO does not take protocol 0");
			return -EINVAL;
		}
		return liquid_parse_ports(rule, attrs, nest, extack);
	}
	rule->ethertype = htons(nla_get_u16(attrs[LIQUID_RULE_A_ETHERTYPE]));
	if (rule->ethertype && !attrs[LIQUID_RULE_A_PORT_MIN] && !attrs[LIQUID_RULE_A_PORT_MAX])
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, nest, "rule with ETHERTYPE takes neither ports nor type 0");
	return -EINVAL;
}

static int liquid_parse_bypass(struct liquid_config *config, struct nlattr *bypass,
			       struct netlink_ext_ack *extack)
{
	struct nlattr *attr;
	int rest, err;

	config->rules = 0;
	memset(config->rule, 0, sizeof(config->rule));
	nla_for_each_nested(attr, bypass, rest) {
		if (config->rules == LIQUID_BYPASS_MAX) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "too many rules: 16 at most");
			return -E2BIG;
		}
		err = liquid_parse_rule(&config->rule[config->rules++], attr, extack);
		if (err)
			return err;
	}
	return 0;
}

static int liquid_check_selector(const struct liquid_config *config, struct nlattr **attrs,
				 struct netlink_ext_ack *extack)
{
	const struct liquid_rule *rule = &config->select_rule;

	if (config->select == LIQUID_SELECT_RULE && !rule->ethertype && !rule->l4proto) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_GATE_A_SELECT],
				    "the rule selector has no rule: add SELECT_RULE");
		return -EINVAL;
	}
	if (config->select != LIQUID_SELECT_MARK || !(config->select_mark & ~config->select_mask))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_GATE_A_SELECT_MARK] ?:
			    attrs[LIQUID_GATE_A_SELECT_MASK] ?: attrs[LIQUID_GATE_A_SELECT],
			    "the mark has bits outside its mask: no packet can match");
	return -EINVAL;
}

/* Change in @config what @nest contains; @config is undefined on error. */
int liquid_config_parse(struct liquid_config *config, struct nlattr *nest,
			struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[LIQUID_GATE_A_MAX + 1];
	int err;

	err = nla_parse_nested(attrs, LIQUID_GATE_A_MAX, nest, liquid_gate_policy, extack);
	if (!err)
		err = liquid_parse_options(config, attrs, extack);
	if (!err && attrs[LIQUID_GATE_A_BYPASS])
		err = liquid_parse_bypass(config, attrs[LIQUID_GATE_A_BYPASS], extack);
	if (!err && attrs[LIQUID_GATE_A_SELECT_RULE]) {
		config->select_rule = (struct liquid_rule){};
		err = liquid_parse_rule(&config->select_rule, attrs[LIQUID_GATE_A_SELECT_RULE],
					extack);
	}
	if (err)
		return err;
	return liquid_check_selector(config, attrs, extack);
}

/*
 * Link speed that the device reports, bit/s; 0: unknown. The caller holds the driver's operations
 * lock, netdev_lock_ops(), as the core does when it calls a qdisc or sends NETDEV_UP.
 */
u64 liquid_link_rate(struct net_device *dev)
{
	struct ethtool_link_ksettings settings;

	ASSERT_RTNL();
	if (netif_get_link_ksettings(dev, &settings) || !settings.base.speed ||
	    settings.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	return min_t(u64, settings.base.speed * 1000000ULL, LIQUID_RATE_BPS_MAX);
}

/*
 * Options that keep processors busy or awake are for the machine's administrator. The
 * initial user namespace owns the device's network namespace, so its administrator is that.
 */
static int liquid_check_owner(const struct net_device *dev, const struct liquid_config *config,
			      struct netlink_ext_ack *extack)
{
	if ((!config->wake_early_ns && !config->cpu_latency_ns) ||
	    dev_net(dev)->user_ns == &init_user_ns)
		return 0;
	NL_SET_ERR_MSG(extack, "wake-early and cpu-latency concern the machine: "
		       "not in a user namespace's network");
	return -EPERM;
}

/* @config would leave unscheduled packets without any frame. */
static bool liquid_policy_starves(struct liquid_gate *gate, const struct liquid_config *config)
{
	const struct liquid_sched *oper, *admin;
	bool starves;

	if (!liquid_needs_idle(config))
		return false;
	liquid_lock_advance(gate);
	oper = liquid_oper(gate);
	admin = liquid_admin(gate);
	starves = (oper && !oper->idle) || (admin && !admin->idle);
	liquid_unlock(gate);
	return starves;
}

static void liquid_config_publish(struct liquid_gate *root, const struct liquid_config *config,
				  u64 rate)
{
	struct liquid_gate *gate;

	liquid_lock_flush(root);
	for (gate = root; gate; gate = gate->family.next) {
		gate->config = *config;
		liquid_gate_set_rate(gate, rate);
		if (!config->control) {	/* no budget will ever release them */
			liquid_queue_move(gate, &gate->link_control, &gate->unsched);
			liquid_queue_move(gate, &gate->control, &gate->unsched);
		}
	}
	liquid_unlock(root);
	liquid_latency_change(root);
}

/*
 * Change the options in @nest; NULL: apply the defaults. For netlink requests and for the options
 * of the qdisc. Under netdev_lock_ops(), see liquid_link_rate().
 */
int liquid_config_set(struct liquid_gate *gate, struct nlattr *nest,
		      struct netlink_ext_ack *extack)
{
	struct liquid_config config = gate->config;
	u32 launch_ns;
	u64 rate;
	int err;

	ASSERT_RTNL();
	if (nest) {
		err = liquid_config_parse(&config, nest, extack);
		if (err)
			return err;
	}
	err = liquid_check_owner(qdisc_dev(liquid_sch(gate)), &config, extack);
	if (err)
		return err;
	rate = config.rate_bps ?: liquid_link_rate(qdisc_dev(liquid_sch(gate)));
	if (!rate) {
		NL_SET_ERR_MSG(extack, "link rate of the device is unknown: set a rate");
		return -EOPNOTSUPP;
	}
	if (liquid_policy_starves(gate, &config)) {
		NL_SET_ERR_MSG(extack,
			       "a schedule has no idle frame: clear it or use another policy");
		return -EBUSY;
	}
	if (config.launch_ns && !gate->config.launch_ns) {
		err = liquid_launch_check(gate, extack);
		if (err)
			return err;
	}
	launch_ns = gate->config.launch_ns;
	liquid_config_publish(gate, &config, rate);
	if (config.launch_ns != launch_ns)
		liquid_launch_update(gate);
	return 0;
}

static int liquid_rule_fill(struct sk_buff *skb, int attr, const struct liquid_rule *rule)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest)
		return -EMSGSIZE;
	if (rule->ethertype) {
		if (nla_put_u16(skb, LIQUID_RULE_A_ETHERTYPE, ntohs(rule->ethertype)))
			return -EMSGSIZE;
	} else if (nla_put_u8(skb, LIQUID_RULE_A_L4PROTO, rule->l4proto) ||
		   (rule->port_max &&
		    (nla_put_u16(skb, LIQUID_RULE_A_PORT_MIN, rule->port_min) ||
		     nla_put_u16(skb, LIQUID_RULE_A_PORT_MAX, rule->port_max)))) {
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int liquid_bypass_fill(struct sk_buff *skb, const struct liquid_config *config)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_GATE_A_BYPASS);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < config->rules; i++) {
		if (liquid_rule_fill(skb, LIQUID_GATE_A_RULE, &config->rule[i]))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int liquid_option_fill(struct sk_buff *skb, const struct liquid_option *option,
			      const struct liquid_config *config)
{
	const void *value = (const void *)config + option->offset;

	switch (liquid_gate_policy[option->attr].type) {
	case NLA_U64:
		return nla_put_64bit(skb, option->attr, sizeof(u64), value, LIQUID_GATE_A_PAD);
	case NLA_U8:
		return nla_put(skb, option->attr, sizeof(u8), value);
	default:
		return nla_put(skb, option->attr, sizeof(u32), value);
	}
}

/* Fill an open nest with all options. */
int liquid_config_fill(struct sk_buff *skb, const struct liquid_config *config)
{
	const struct liquid_rule *rule = &config->select_rule;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(liquid_options); i++) {
		if (liquid_option_fill(skb, &liquid_options[i], config))
			return -EMSGSIZE;
	}
	if ((rule->ethertype || rule->l4proto) &&
	    liquid_rule_fill(skb, LIQUID_GATE_A_SELECT_RULE, rule))
		return -EMSGSIZE;
	return liquid_bypass_fill(skb, config);
}
