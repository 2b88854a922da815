// SPDX-License-Identifier: GPL-2.0-only
/* The generic netlink family of fabrics, tools/lab/uapi/linux/liquid_lab.h */
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "fabric.h"

static struct genl_family lfab_family;

static const struct nla_policy lfab_links_policy[LIQUID_LAB_A_LINK + 1] = {
	[LIQUID_LAB_A_LINK]		= NLA_POLICY_NESTED(lfab_link_policy),
};

static const struct nla_policy lfab_ports_policy[LIQUID_LAB_A_PORT + 1] = {
	[LIQUID_LAB_A_PORT]		= NLA_POLICY_NESTED(lfab_port_policy),
};

static const struct nla_policy lfab_paths_policy[LIQUID_LAB_A_PATH + 1] = {
	[LIQUID_LAB_A_PATH]		= NLA_POLICY_NESTED(lfab_path_policy),
};

/* One policy for each command, which refuses all other attributes. */
static const struct nla_policy lfab_begin_policy[LIQUID_LAB_A_MAX + 1] = {
	[LIQUID_LAB_A_NAME]		= { .type = NLA_NUL_STRING,
					    .len = LIQUID_LAB_NAME_MAX },
	[LIQUID_LAB_A_SWITCHING]	= { .type = NLA_U32 },
	[LIQUID_LAB_A_RATE_BPS]	= { .type = NLA_U64 },
	[LIQUID_LAB_A_OVERHEAD]	= { .type = NLA_U32 },
	[LIQUID_LAB_A_HOP_NS]	= { .type = NLA_U32 },
	[LIQUID_LAB_A_WORM_BYTES]	= { .type = NLA_U32 },
	[LIQUID_LAB_A_BUFFER_BYTES]	= { .type = NLA_U32 },
	[LIQUID_LAB_A_RING]		= { .type = NLA_U32 },
	[LIQUID_LAB_A_QUEUES]	= { .type = NLA_U32 },
	[LIQUID_LAB_A_UNROUTED]	= { .type = NLA_U32 },
	[LIQUID_LAB_A_MTU]		= { .type = NLA_U32 },
	[LIQUID_LAB_A_SWITCH_QUEUES]	= { .type = NLA_U32 },
};

static const struct nla_policy lfab_links_set_policy[LIQUID_LAB_A_MAX + 1] = {
	[LIQUID_LAB_A_LINKS]		= NLA_POLICY_NESTED(lfab_links_policy),
};

static const struct nla_policy lfab_ports_set_policy[LIQUID_LAB_A_MAX + 1] = {
	[LIQUID_LAB_A_PORTS]		= NLA_POLICY_NESTED(lfab_ports_policy),
};

static const struct nla_policy lfab_paths_set_policy[LIQUID_LAB_A_MAX + 1] = {
	[LIQUID_LAB_A_PATHS]		= NLA_POLICY_NESTED(lfab_paths_policy),
};

static const struct nla_policy lfab_states_policy[LIQUID_LAB_A_LINK + 1] = {
	[LIQUID_LAB_A_LINK]		= NLA_POLICY_NESTED(lfab_link_state_policy),
};

static const struct nla_policy lfab_link_set_policy[LIQUID_LAB_A_MAX + 1] = {
	[LIQUID_LAB_A_NAME]		= { .type = NLA_NUL_STRING,
					    .len = LIQUID_LAB_NAME_MAX },
	[LIQUID_LAB_A_LINKS]		= NLA_POLICY_NESTED(lfab_states_policy),
};

static const struct nla_policy lfab_none_policy[LIQUID_LAB_A_MAX + 1] = {
};

static const struct nla_policy lfab_name_policy[LIQUID_LAB_A_MAX + 1] = {
	[LIQUID_LAB_A_NAME]		= { .type = NLA_NUL_STRING,
					    .len = LIQUID_LAB_NAME_MAX },
};

/* --- requests --- */

static struct nlattr *lfab_need(struct genl_info *info, int type, const char *text)
{
	if (!info->attrs[type] && info->extack)
		info->extack->_msg = text;
	return info->attrs[type];
}

static struct lfab_fabric *lfab_need_fabric(const struct net *net, const struct nlattr *name,
					    struct netlink_ext_ack *extack)
{
	struct lfab_fabric *fabric;

	ASSERT_RTNL();
	if (!name) {
		NL_SET_ERR_MSG(extack, "NAME is missing: name the fabric");
		return ERR_PTR(-EINVAL);
	}
	fabric = lfab_fabric_find(net, nla_data(name));
	if (fabric)
		return fabric;
	NL_SET_ERR_MSG_ATTR(extack, name, "no fabric of this name in this network namespace");
	return ERR_PTR(-ENOENT);
}

static int lfab_do_begin(struct sk_buff *skb, struct genl_info *info)
{
	return lfab_stage_begin(genl_info_net(info), info->snd_portid, info->attrs, info->extack);
}

static int lfab_do_reroute(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	const struct lfab_fabric *fabric;
	int err;

	rtnl_lock();
	fabric = lfab_need_fabric(net, info->attrs[LIQUID_LAB_A_NAME], info->extack);
	err = PTR_ERR_OR_ZERO(fabric);
	if (!err)
		err = lfab_stage_reroute(net, info->snd_portid, fabric, info->extack);
	rtnl_unlock();
	return err;
}

/* @text: the message if attribute @type is missing */
static int lfab_do_pieces(struct genl_info *info, int type, const char *text,
			  int (*stage)(const struct lfab_request *request,
				       const struct nlattr *pieces))
{
	const struct lfab_request request = {
		genl_info_net(info), info->snd_portid, info->extack,
	};
	const struct nlattr *pieces = lfab_need(info, type, text);

	return pieces ? stage(&request, pieces) : -EINVAL;
}

static int lfab_do_links(struct sk_buff *skb, struct genl_info *info)
{
	return lfab_do_pieces(info, LIQUID_LAB_A_LINKS, "LINKS is missing: give links",
			      lfab_stage_links);
}

static int lfab_do_ports(struct sk_buff *skb, struct genl_info *info)
{
	return lfab_do_pieces(info, LIQUID_LAB_A_PORTS, "PORTS is missing: give ports",
			      lfab_stage_ports);
}

static int lfab_do_paths(struct sk_buff *skb, struct genl_info *info)
{
	return lfab_do_pieces(info, LIQUID_LAB_A_PATHS, "PATHS is missing: give paths",
			      lfab_stage_paths);
}

static int lfab_do_commit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = lfab_stage_commit(genl_info_net(info), info->snd_portid, info->extack);
	rtnl_unlock();
	return err;
}

static int lfab_do_delete(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	struct lfab_fabric *fabric;
	int err;

	rtnl_lock();
	fabric = lfab_need_fabric(net, info->attrs[LIQUID_LAB_A_NAME], info->extack);
	err = PTR_ERR_OR_ZERO(fabric);
	if (!err)
		lfab_fabric_delete(net, fabric);
	rtnl_unlock();
	return err;
}

static int lfab_do_link_set(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *links = lfab_need(info, LIQUID_LAB_A_LINKS,
					       "LINKS is missing: give links");
	struct lfab_fabric *fabric;
	int err;

	if (!links)
		return -EINVAL;
	rtnl_lock();
	fabric = lfab_need_fabric(genl_info_net(info), info->attrs[LIQUID_LAB_A_NAME],
				  info->extack);
	err = PTR_ERR_OR_ZERO(fabric);
	if (!err)
		err = lfab_set_links(fabric, links, info->extack);
	rtnl_unlock();
	return err;
}

/* --- replies --- */

static int lfab_put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, LIQUID_LAB_A_PAD);
}

static int lfab_put_config(struct sk_buff *skb, const struct lfab_config *config)
{
	return nla_put_string(skb, LIQUID_LAB_A_NAME, config->name) ||
	       nla_put_u32(skb, LIQUID_LAB_A_SWITCHING, config->switching) ||
	       lfab_put_u64(skb, LIQUID_LAB_A_RATE_BPS, config->rate_bps) ||
	       nla_put_u32(skb, LIQUID_LAB_A_OVERHEAD, config->overhead) ||
	       nla_put_u32(skb, LIQUID_LAB_A_HOP_NS, config->hop_ns) ||
	       nla_put_u32(skb, LIQUID_LAB_A_WORM_BYTES, config->worm_bytes) ||
	       nla_put_u32(skb, LIQUID_LAB_A_BUFFER_BYTES, config->buffer_bytes) ||
	       nla_put_u32(skb, LIQUID_LAB_A_RING, config->ring) ||
	       nla_put_u32(skb, LIQUID_LAB_A_QUEUES, config->queues) ||
	       nla_put_u32(skb, LIQUID_LAB_A_UNROUTED, config->unrouted) ||
	       nla_put_u32(skb, LIQUID_LAB_A_MTU, config->mtu) ||
	       nla_put_u32(skb, LIQUID_LAB_A_SWITCH_QUEUES, config->switch_queues) ? -EMSGSIZE : 0;
}

/* Events that are due happen first, so that the counters are up to date. */
static u64 lfab_catch_up(struct lfab_fabric *fabric)
{
	u64 now = lfab_enter(fabric);

	lfab_leave(fabric);
	return now;
}

static int lfab_put_fabric(struct sk_buff *skb, struct lfab_fabric *fabric)
{
	u64 age, in_flight, deadlocks;

	spin_lock_bh(&fabric->lock);
	age = lfab_catch_up(fabric) - fabric->born;
	in_flight = fabric->model.in_flight;
	deadlocks = fabric->model.deadlocks;
	spin_unlock_bh(&fabric->lock);
	return lfab_put_config(skb, &fabric->config) ||
	       nla_put_u32(skb, LIQUID_LAB_A_N_LINKS, fabric->model.links) ||
	       nla_put_u32(skb, LIQUID_LAB_A_N_PORTS, fabric->model.ports) ||
	       nla_put_u32(skb, LIQUID_LAB_A_N_PATHS, fabric->paths) ||
	       lfab_put_u64(skb, LIQUID_LAB_A_AGE_NS, age) ||
	       lfab_put_u64(skb, LIQUID_LAB_A_IN_FLIGHT, in_flight) ||
	       lfab_put_u64(skb, LIQUID_LAB_A_DEADLOCKS, deadlocks) ? -EMSGSIZE : 0;
}

struct lfab_counter {
	int type;
	u64 value;
};

static int lfab_put_counters(struct sk_buff *skb, const struct lfab_counter *counter, u32 count,
			     int pad)
{
	for (; count--; counter++) {
		if (nla_put_u64_64bit(skb, counter->type, counter->value, pad))
			return -EMSGSIZE;
	}
	return 0;
}

static int lfab_fill_link(struct sk_buff *skb, struct lfab_fabric *fabric, u32 id)
{
	const struct lfab_link *link = &fabric->model.link[id];
	const struct lfab_counter counters[] = {
		{ LIQUID_LAB_LINK_A_BYTES, link->bytes },
		{ LIQUID_LAB_LINK_A_BUSY_NS, link->busy_ns },
		{ LIQUID_LAB_LINK_A_BLOCKED_NS, link->blocked_ns },
		{ LIQUID_LAB_LINK_A_WAITS, link->waits },
		{ LIQUID_LAB_LINK_A_DROPS, link->drops },
	};
	const char *label = fabric->label[id];

	return nla_put_u32(skb, LIQUID_LAB_LINK_A_ID, id) ||
	       nla_put_u32(skb, LIQUID_LAB_LINK_A_CAPACITY, link->capacity) ||
	       nla_put_u8(skb, LIQUID_LAB_LINK_A_TO_SWITCH, link->to_switch) ||
	       nla_put_u8(skb, LIQUID_LAB_LINK_A_DOWN, link->down) ||
	       (label && nla_put_string(skb, LIQUID_LAB_LINK_A_LABEL, label)) ||
	       lfab_put_counters(skb, counters, ARRAY_SIZE(counters),
				 LIQUID_LAB_LINK_A_PAD) ? -EMSGSIZE : 0;
}

static s64 lfab_tai(u64 time)
{
	return time ? ktime_to_ns(ktime_mono_to_any(ns_to_ktime(time), TK_OFFS_TAI)) : 0;
}

static int lfab_drop_attr(enum lfab_reason reason)
{
	if (reason == LFAB_DROP_LINK_DOWN)
		return LIQUID_LAB_PORT_A_DROP_LINK_DOWN;
	return LIQUID_LAB_PORT_A_DROP_NO_PORT + reason;
}

static int lfab_fill_port(struct sk_buff *skb, struct lfab_fabric *fabric, u32 id)
{
	const struct lfab_slot *slot = &fabric->slot[id];
	const struct lfab_port *port = &fabric->model.port[id];
	const struct lfab_counter counters[] = {
		{ LIQUID_LAB_PORT_A_TX_PACKETS, port->sent_packets },
		{ LIQUID_LAB_PORT_A_TX_BYTES, port->sent_bytes },
		{ LIQUID_LAB_PORT_A_RX_PACKETS, slot->rx_packets },
		{ LIQUID_LAB_PORT_A_RX_BYTES, slot->rx_bytes },
		{ LIQUID_LAB_PORT_A_WORMS, port->worms },
		{ LIQUID_LAB_PORT_A_HOL_NS, port->hol_ns },
		{ LIQUID_LAB_PORT_A_STOPS, slot->stops },
		{ LIQUID_LAB_PORT_A_FREE_TX_PACKETS, slot->free_tx },
		{ LIQUID_LAB_PORT_A_FREE_RX_PACKETS, slot->free_rx },
		{ LIQUID_LAB_PORT_A_LAST_RX, lfab_tai(slot->last_rx) },
	};
	int reason;

	BUILD_BUG_ON(LIQUID_LAB_PORT_A_DROP_RX_FULL - LIQUID_LAB_PORT_A_DROP_NO_PORT !=
		     LFAB_DROP_RX_FULL - LFAB_DROP_NO_PORT);
	if (nla_put_u32(skb, LIQUID_LAB_PORT_A_ID, id) ||
	    nla_put_string(skb, LIQUID_LAB_PORT_A_IFNAME, slot->ifname) ||
	    (slot->host && nla_put_string(skb, LIQUID_LAB_PORT_A_HOST, slot->host)) ||
	    (slot->netns && nla_put_string(skb, LIQUID_LAB_PORT_A_NETNS, slot->netns)) ||
	    lfab_put_counters(skb, counters, ARRAY_SIZE(counters), LIQUID_LAB_PORT_A_PAD))
		return -EMSGSIZE;
	for (reason = 0; reason < LFAB_DROP_REASONS; reason++) {
		if (nla_put_u64_64bit(skb, lfab_drop_attr(reason), slot->drops[reason],
				      LIQUID_LAB_PORT_A_PAD))
			return -EMSGSIZE;
	}
	return 0;
}

static int lfab_do_get(struct sk_buff *skb, struct genl_info *info)
{
	struct lfab_fabric *fabric;
	struct sk_buff *reply;
	void *header = NULL;
	int err;

	reply = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;
	rtnl_lock();
	fabric = lfab_need_fabric(genl_info_net(info), info->attrs[LIQUID_LAB_A_NAME],
				  info->extack);
	err = PTR_ERR_OR_ZERO(fabric);
	if (!err) {
		header = genlmsg_put_reply(reply, info, &lfab_family, 0, LIQUID_LAB_CMD_GET);
		err = header ? lfab_put_fabric(reply, fabric) : -EMSGSIZE;
	}
	rtnl_unlock();
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

static void *lfab_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				   &lfab_family, NLM_F_MULTI, cmd);

	if (header)
		genl_dump_check_consistent(cb, header);
	return header;
}

/* All fabrics of the namespace; args[0]: fabrics done. */
static int lfab_dump_fabrics(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct lfab_net *own = lfab_net_of(sock_net(cb->skb->sk));
	struct lfab_fabric *fabric;
	long index = 0;
	void *header;

	rtnl_lock();
	cb->seq = own->seq;
	list_for_each_entry(fabric, &own->fabrics, list) {
		if (index++ < cb->args[0])
			continue;
		header = lfab_dump_put(skb, cb, LIQUID_LAB_CMD_GET);
		if (!header)
			break;
		if (lfab_put_fabric(skb, fabric)) {
			genlmsg_cancel(skb, header);
			break;
		}
		genlmsg_end(skb, header);
		cb->args[0] = index;
	}
	rtnl_unlock();
	return skb->len;
}

struct lfab_dump {
	u8 cmd;
	int list, element;
	u32 (*count)(const struct lfab_fabric *fabric);
	int (*fill)(struct sk_buff *skb, struct lfab_fabric *fabric, u32 id);
};

static u32 lfab_count_links(const struct lfab_fabric *fabric)
{
	return fabric->model.links;
}

static u32 lfab_count_ports(const struct lfab_fabric *fabric)
{
	return fabric->model.ports;
}

/* As many elements from args[0] on as the message has room for, and at least one */
static int lfab_dump_from(struct sk_buff *skb, struct netlink_callback *cb,
			  struct lfab_fabric *fabric, const struct lfab_dump *dump)
{
	struct nlattr *nest = nla_nest_start(skb, dump->list), *element;
	u32 first = cb->args[0], id, count = dump->count(fabric);

	if (!nest)
		return -EMSGSIZE;
	for (id = first; id < count; id++) {
		element = nla_nest_start(skb, dump->element);
		if (!element)
			break;
		if (dump->fill(skb, fabric, id)) {
			nla_nest_cancel(skb, element);
			break;
		}
		nla_nest_end(skb, element);
	}
	if (id == first)
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	cb->args[0] = id;
	return 0;
}

static int lfab_dump_message(struct sk_buff *skb, struct netlink_callback *cb,
			     struct lfab_fabric *fabric, const struct lfab_dump *dump)
{
	void *header;
	int err;

	cb->seq = fabric->born;
	if (cb->args[0] >= dump->count(fabric))
		return 0;
	header = lfab_dump_put(skb, cb, dump->cmd);
	if (!header)
		return -EMSGSIZE;
	err = nla_put_string(skb, LIQUID_LAB_A_NAME, fabric->config.name);
	if (!err) {
		spin_lock_bh(&fabric->lock);
		lfab_catch_up(fabric);
		err = lfab_dump_from(skb, cb, fabric, dump);
		spin_unlock_bh(&fabric->lock);
	}
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

static int lfab_dump(struct sk_buff *skb, struct netlink_callback *cb,
		     const struct lfab_dump *dump)
{
	const struct nlattr *name = nlmsg_find_attr(cb->nlh, GENL_HDRLEN, LIQUID_LAB_A_NAME);
	struct lfab_fabric *fabric;
	int err;

	rtnl_lock();
	fabric = lfab_need_fabric(sock_net(cb->skb->sk), name, cb->extack);
	err = PTR_ERR_OR_ZERO(fabric);
	if (!err)
		err = lfab_dump_message(skb, cb, fabric, dump);
	rtnl_unlock();
	return err ?: skb->len;
}

static int lfab_dump_links(struct sk_buff *skb, struct netlink_callback *cb)
{
	static const struct lfab_dump dump = {
		LIQUID_LAB_CMD_LINK_GET, LIQUID_LAB_A_LINKS, LIQUID_LAB_A_LINK,
		lfab_count_links, lfab_fill_link,
	};

	return lfab_dump(skb, cb, &dump);
}

static int lfab_dump_ports(struct sk_buff *skb, struct netlink_callback *cb)
{
	static const struct lfab_dump dump = {
		LIQUID_LAB_CMD_PORT_GET, LIQUID_LAB_A_PORTS, LIQUID_LAB_A_PORT,
		lfab_count_ports, lfab_fill_port,
	};

	return lfab_dump(skb, cb, &dump);
}

/* --- the family --- */

#define LFAB_DO(_cmd, _policy, _doit) {					\
	.cmd		= _cmd,						\
	.flags		= GENL_ADMIN_PERM,				\
	.policy		= _policy,					\
	.maxattr	= LIQUID_LAB_A_MAX,				\
	.doit		= _doit,					\
}

static const struct genl_ops lfab_genl_ops[] = {
	{
		.cmd		= LIQUID_LAB_CMD_GET,
		.policy		= lfab_name_policy,
		.maxattr	= LIQUID_LAB_A_MAX,
		.doit		= lfab_do_get,
		.dumpit		= lfab_dump_fabrics,
	},
	{
		.cmd		= LIQUID_LAB_CMD_LINK_GET,
		.policy		= lfab_name_policy,
		.maxattr	= LIQUID_LAB_A_MAX,
		.dumpit		= lfab_dump_links,
	},
	{
		.cmd		= LIQUID_LAB_CMD_PORT_GET,
		.policy		= lfab_name_policy,
		.maxattr	= LIQUID_LAB_A_MAX,
		.dumpit		= lfab_dump_ports,
	},
	LFAB_DO(LIQUID_LAB_CMD_BEGIN, lfab_begin_policy, lfab_do_begin),
	LFAB_DO(LIQUID_LAB_CMD_LINKS, lfab_links_set_policy, lfab_do_links),
	LFAB_DO(LIQUID_LAB_CMD_PORTS, lfab_ports_set_policy, lfab_do_ports),
	LFAB_DO(LIQUID_LAB_CMD_PATHS, lfab_paths_set_policy, lfab_do_paths),
	LFAB_DO(LIQUID_LAB_CMD_COMMIT, lfab_none_policy, lfab_do_commit),
	LFAB_DO(LIQUID_LAB_CMD_DELETE, lfab_name_policy, lfab_do_delete),
	LFAB_DO(LIQUID_LAB_CMD_LINK_SET, lfab_link_set_policy, lfab_do_link_set),
	LFAB_DO(LIQUID_LAB_CMD_REROUTE, lfab_name_policy, lfab_do_reroute),
};

static struct genl_family lfab_family __ro_after_init = {
	.name		= LIQUID_LAB_GENL_NAME,
	.version	= LIQUID_LAB_GENL_VERSION,
	.maxattr	= LIQUID_LAB_A_MAX,
	.netnsok	= true,
	.parallel_ops	= true,	/* the stages' lock and RTNL */
	.ops		= lfab_genl_ops,
	.n_ops		= ARRAY_SIZE(lfab_genl_ops),
	.module		= THIS_MODULE,
};

int __init lfab_netlink_init(void)
{
	return genl_register_family(&lfab_family);
}

void lfab_netlink_exit(void)
{
	genl_unregister_family(&lfab_family);
}
