// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family
 *
 * Every request runs under RTNL: it finds its device in the namespace of its socket,
 * and the device's gate. A change of configuration is all or nothing.
 */
#include <net/genetlink.h>
#include <net/netdev_lock.h>
#include <net/sock.h>

#include "config.h"
#include "destination.h"
#include "gate.h"
#include "lease.h"
#include "lock.h"
#include "netlink.h"
#include "qdisc.h"
#include "schedule.h"
#include "stats.h"
#include "table.h"

static struct genl_family liquid_family;

const struct nla_policy liquid_key_policy[LIQUID_KEY_A_MAX + 1] = {
	[LIQUID_KEY_A_KIND]		= { .type = NLA_U32 },
	[LIQUID_KEY_A_VALUE]		= { .type = NLA_BINARY, .len = 16 },
};

/* What can only be read is here so that its refusal can say so. */
const struct nla_policy liquid_dest_policy[LIQUID_DEST_A_MAX + 1] = {
	[LIQUID_DEST_A_ID]		= { .type = NLA_U32 },
	[LIQUID_DEST_A_KEY]		= NLA_POLICY_NESTED(liquid_key_policy),
	[LIQUID_DEST_A_QLEN]		= { .type = NLA_U32 },
	[LIQUID_DEST_A_BACKLOG]		= { .type = NLA_U64 },
	[LIQUID_DEST_A_FRAMES]		= { .type = NLA_U32 },
	[LIQUID_DEST_A_STATS]		= { .type = NLA_NESTED },
	[LIQUID_DEST_A_TIMES]		= { .type = NLA_NESTED },
};

const struct nla_policy liquid_sched_policy[LIQUID_SCHED_A_MAX + 1] = {
	[LIQUID_SCHED_A_FRAME_NS]	= { .type = NLA_U64 },
	[LIQUID_SCHED_A_GUARD_NS]	= { .type = NLA_U64 },
	[LIQUID_SCHED_A_FRAMES]		= { .type = NLA_U32 },
	[LIQUID_SCHED_A_CYCLES]		= { .type = NLA_U64 },
	[LIQUID_SCHED_A_THEN]		= { .type = NLA_U32 },
	[LIQUID_SCHED_A_BASE_TIME]	= { .type = NLA_S64 },
	[LIQUID_SCHED_A_START_TIME]	= { .type = NLA_S64 },
	[LIQUID_SCHED_A_IDLE_FRAMES]	= { .type = NLA_U32 },
	[LIQUID_SCHED_A_DESTS]		= { .type = NLA_U32 },
};

const struct nla_policy liquid_entry_policy[LIQUID_ENTRY_A_MAX + 1] = {
	[LIQUID_ENTRY_A_RUN]		= { .type = NLA_U32 },
	[LIQUID_ENTRY_A_DEST]		= { .type = NLA_U32 },
};

static const struct nla_policy liquid_dests_policy[LIQUID_A_DEST + 1] = {
	[LIQUID_A_DEST]			= NLA_POLICY_NESTED(liquid_dest_policy),
};

static const struct nla_policy liquid_entries_policy[LIQUID_A_ENTRY + 1] = {
	[LIQUID_A_ENTRY]		= NLA_POLICY_NESTED(liquid_entry_policy),
};

/* One policy a command: what a command does not know, it refuses. */
static const struct nla_policy liquid_device_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
};

static const struct nla_policy liquid_gate_set_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_GATE]			= NLA_POLICY_NESTED(liquid_gate_policy),
};

static const struct nla_policy liquid_dests_set_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_DESTS]		= NLA_POLICY_NESTED(liquid_dests_policy),
};

static const struct nla_policy liquid_begin_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_SCHED]		= NLA_POLICY_NESTED(liquid_sched_policy),
};

static const struct nla_policy liquid_stage_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_ENTRIES]		= NLA_POLICY_NESTED(liquid_entries_policy),
};

static const struct nla_policy liquid_commit_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_BASE_TIME]		= { .type = NLA_S64 },
	[LIQUID_A_TAI_OFFSET]		= { .type = NLA_S32 },
	[LIQUID_A_REPLACE]		= { .type = NLA_FLAG },
	[LIQUID_A_LEASE_NS]		= { .type = NLA_U64 },
};

static const struct nla_policy liquid_renew_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_LEASE_NS]		= { .type = NLA_U64 },
};

static const struct nla_policy liquid_sched_get_policy[LIQUID_A_MAX + 1] = {
	[LIQUID_A_IFINDEX]		= { .type = NLA_U32 },
	[LIQUID_A_WHICH]		= { .type = NLA_U32 },
};

/* --- requests --- */

static struct liquid_gate *liquid_find_gate(struct net *net, const struct nlattr *ifindex,
					    struct netlink_ext_ack *extack)
{
	struct liquid_gate *gate;
	struct net_device *dev;

	ASSERT_RTNL();
	if (!ifindex) {
		NL_SET_ERR_MSG(extack, "IFINDEX is missing: name the device");
		return ERR_PTR(-EINVAL);
	}
	dev = __dev_get_by_index(net, nla_get_u32(ifindex));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(extack, ifindex, "no such device in this network namespace");
		return ERR_PTR(-ENODEV);
	}
	gate = liquid_gate_of(dev);
	if (!gate) {
		NL_SET_ERR_MSG_ATTR(extack, ifindex, "the device has no gate: attach one first");
		return ERR_PTR(-EOPNOTSUPP);
	}
	return gate;
}

static struct nlattr *liquid_need(struct genl_info *info, int type, const char *text)
{
	struct netlink_ext_ack *extack = info->extack;

	if (!info->attrs[type] && extack)
		extack->_msg = text;
	return info->attrs[type];
}

static int liquid_do_gate_get(struct liquid_gate *gate, struct genl_info *info)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	void *header;
	int err;

	if (!skb)
		return -ENOMEM;
	header = genlmsg_put_reply(skb, info, &liquid_family, 0, LIQUID_CMD_GATE_GET);
	err = header ? liquid_gate_fill(skb, gate) : -EMSGSIZE;
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

static int liquid_do_gate_set(struct liquid_gate *gate, struct genl_info *info)
{
	struct nlattr *nest = liquid_need(info, LIQUID_A_GATE, "GATE is missing: name an option");
	struct net_device *dev = qdisc_dev(liquid_sch(gate));
	int err;

	if (!nest)
		return -EINVAL;
	netdev_lock_ops(dev);
	err = liquid_config_set(gate, nest, info->extack);
	netdev_unlock_ops(dev);
	if (!err)
		liquid_gate_kick(gate);
	return err;
}

static int liquid_do_dest_set(struct liquid_gate *gate, struct genl_info *info)
{
	struct nlattr *dests = liquid_need(info, LIQUID_A_DESTS,
					   "DESTS is missing: name a destination");

	return dests ? liquid_dest_set(gate, dests, info->extack) : -EINVAL;
}

static int liquid_do_dest_del(struct liquid_gate *gate, struct genl_info *info)
{
	return liquid_dest_del(gate, info->attrs[LIQUID_A_DESTS], info->extack);
}

static int liquid_do_begin(struct liquid_gate *gate, struct genl_info *info)
{
	struct nlattr *sched = liquid_need(info, LIQUID_A_SCHED,
					   "SCHED is missing: give FRAME_NS and FRAMES");
	bool admin = netlink_capable(info->user_ptr[0], CAP_NET_ADMIN);

	return sched ? liquid_stage_begin(gate, genl_info_net(info), info->snd_portid, sched,
					  admin, info->extack) : -EINVAL;
}

static int liquid_do_entries(struct liquid_gate *gate, struct genl_info *info)
{
	struct nlattr *entries = liquid_need(info, LIQUID_A_ENTRIES,
					     "ENTRIES is missing: give frames");

	return entries ? liquid_stage_entries(gate, genl_info_net(info), info->snd_portid, entries,
					      info->extack) : -EINVAL;
}

static int liquid_do_commit(struct liquid_gate *gate, struct genl_info *info)
{
	return liquid_stage_commit(gate, genl_info_net(info), info->snd_portid, info->attrs,
				   info->extack);
}

static int liquid_do_abort(struct liquid_gate *gate, struct genl_info *info)
{
	return liquid_stage_abort(gate, genl_info_net(info), info->snd_portid, info->extack);
}

static int liquid_do_clear(struct liquid_gate *gate, struct genl_info *info)
{
	liquid_sched_clear(gate);
	return 0;
}

static int liquid_do_renew(struct liquid_gate *gate, struct genl_info *info)
{
	return liquid_lease_renew(gate, info->attrs[LIQUID_A_LEASE_NS], info->extack);
}

typedef int (*liquid_request)(struct liquid_gate *gate, struct genl_info *info);

static const liquid_request liquid_requests[LIQUID_CMD_MAX + 1] = {
	[LIQUID_CMD_GATE_GET]		= liquid_do_gate_get,
	[LIQUID_CMD_GATE_SET]		= liquid_do_gate_set,
	[LIQUID_CMD_DEST_SET]		= liquid_do_dest_set,
	[LIQUID_CMD_DEST_DEL]		= liquid_do_dest_del,
	[LIQUID_CMD_SCHED_BEGIN]	= liquid_do_begin,
	[LIQUID_CMD_SCHED_ENTRIES]	= liquid_do_entries,
	[LIQUID_CMD_SCHED_COMMIT]	= liquid_do_commit,
	[LIQUID_CMD_SCHED_ABORT]	= liquid_do_abort,
	[LIQUID_CMD_SCHED_CLEAR]	= liquid_do_clear,
	[LIQUID_CMD_LEASE_RENEW]	= liquid_do_renew,
};

static int liquid_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct liquid_gate *gate;
	int err;

	info->user_ptr[0] = skb;
	rtnl_lock();
	gate = liquid_find_gate(genl_info_net(info), info->attrs[LIQUID_A_IFINDEX], info->extack);
	err = PTR_ERR_OR_ZERO(gate);
	if (!err)
		err = liquid_requests[info->genlhdr->cmd](gate, info);
	rtnl_unlock();
	return err;
}

/* --- dumps; the core has checked the request's attributes --- */

static void *liquid_dump_put(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				   &liquid_family, NLM_F_MULTI, cmd);

	if (header)
		genl_dump_check_consistent(cb, header);
	return header;
}

static int liquid_dump_gate(struct sk_buff *skb, struct netlink_callback *cb,
			    struct liquid_gate *gate)
{
	void *header = liquid_dump_put(skb, cb, LIQUID_CMD_GATE_GET);
	int err = header ? liquid_gate_fill(skb, gate) : -EMSGSIZE;

	if (err) {
		if (header)
			genlmsg_cancel(skb, header);
		return err;
	}
	genlmsg_end(skb, header);
	return 0;
}

/* All gates of the namespace; args[0]: devices done. */
static int liquid_dump_gates(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(cb->skb->sk);
	struct net_device *dev;
	long index = 0;
	int err = 0;

	rtnl_lock();
	cb->seq = net->dev_base_seq;
	for_each_netdev(net, dev) {
		struct liquid_gate *gate = liquid_gate_of(dev);

		if (index++ < cb->args[0] || !gate)
			continue;
		err = liquid_dump_gate(skb, cb, gate);
		if (err)
			break;
		cb->args[0] = index;
	}
	rtnl_unlock();
	return skb->len ?: err;
}

static struct liquid_gate *liquid_dump_find(struct netlink_callback *cb)
{
	return liquid_find_gate(sock_net(cb->skb->sk),
				nlmsg_find_attr(cb->nlh, GENL_HDRLEN, LIQUID_A_IFINDEX),
				cb->extack);
}

static u32 liquid_next_id(const struct liquid_table *table, u32 id)
{
	while (id < table->ids && !table->dest[id])
		id++;
	return id;
}

/* As many destinations from id args[0] on as the message takes; there is one. */
static int liquid_dump_dests_from(struct sk_buff *skb, struct netlink_callback *cb,
				  struct liquid_gate *gate)
{
	const struct liquid_table *table = gate->table;
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_DESTS);
	u32 first = cb->args[0], id;

	if (!nest)
		return -EMSGSIZE;
	for (id = first; id < table->ids; id = liquid_next_id(table, id + 1)) {
		if (liquid_dest_fill(skb, gate, table->dest[id]))
			break;
	}
	if (id == first)
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	cb->args[0] = id;
	return 0;
}

static int liquid_dump_dests_message(struct sk_buff *skb, struct netlink_callback *cb,
				     struct liquid_gate *gate)
{
	void *header;
	int err;

	cb->seq = gate->table_seq;
	cb->args[0] = liquid_next_id(gate->table, cb->args[0]);
	if (cb->args[0] >= gate->table->ids)
		return 0;
	header = liquid_dump_put(skb, cb, LIQUID_CMD_DEST_GET);
	if (!header)
		return -EMSGSIZE;
	err = nla_put_u32(skb, LIQUID_A_IFINDEX, qdisc_dev(liquid_sch(gate))->ifindex);
	if (!err)
		err = liquid_dump_dests_from(skb, cb, gate);
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

static int liquid_dump_dests_locked(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct liquid_gate *gate = liquid_dump_find(cb);

	if (IS_ERR(gate))
		return PTR_ERR(gate);
	liquid_lock_now(gate);	/* FRAMES are those of the schedule in force */
	liquid_unlock(gate);
	return liquid_dump_dests_message(skb, cb, gate);
}

static int liquid_dump_dests(struct sk_buff *skb, struct netlink_callback *cb)
{
	int err;

	rtnl_lock();
	err = liquid_dump_dests_locked(skb, cb);
	rtnl_unlock();
	return err ?: skb->len;
}

static int liquid_entry_fill(struct sk_buff *skb, u32 run, u32 dest)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_ENTRY);

	if (nest && !nla_put_u32(skb, LIQUID_ENTRY_A_RUN, run) &&
	    (dest == LIQUID_NONE || !nla_put_u32(skb, LIQUID_ENTRY_A_DEST, dest))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	if (nest)
		nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* As many runs from frame args[0] on as the message takes. */
static int liquid_dump_frames_from(struct sk_buff *skb, struct netlink_callback *cb,
				   const struct liquid_sched *sched)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_ENTRIES);
	u32 first = cb->args[0], frame, end;

	if (!nest)
		return -EMSGSIZE;
	for (frame = first; frame < sched->frames; frame = end) {
		for (end = frame + 1; end < sched->frames; end++) {
			if (sched->dest[end] != sched->dest[frame])
				break;
		}
		if (liquid_entry_fill(skb, end - frame, sched->dest[frame]))
			break;
	}
	if (frame == first)
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	cb->args[0] = frame;
	return 0;
}

static int liquid_dump_sched_message(struct sk_buff *skb, struct netlink_callback *cb,
				     struct liquid_gate *gate, u32 which,
				     const struct liquid_sched *sched)
{
	void *header;
	int err;

	cb->seq = sched->seq;
	if (cb->args[0] >= sched->frames)
		return 0;
	header = liquid_dump_put(skb, cb, LIQUID_CMD_SCHED_GET);
	if (!header)
		return -EMSGSIZE;
	err = nla_put_u32(skb, LIQUID_A_IFINDEX, qdisc_dev(liquid_sch(gate))->ifindex) ||
	      nla_put_u32(skb, LIQUID_A_WHICH, which) ||
	      liquid_sched_fill(skb, LIQUID_A_SCHED, sched) ||
	      liquid_dump_frames_from(skb, cb, sched) ? -EMSGSIZE : 0;
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

static int liquid_dump_which(struct netlink_callback *cb, u32 *which)
{
	struct nlattr *attr = nlmsg_find_attr(cb->nlh, GENL_HDRLEN, LIQUID_A_WHICH);

	*which = attr ? nla_get_u32(attr) : LIQUID_WHICH_OPER;
	if (*which <= LIQUID_WHICH_ADMIN)
		return 0;
	NL_SET_ERR_MSG_ATTR(cb->extack, attr, "unknown WHICH: use oper or admin");
	return -EINVAL;
}

/* What a dump finds where the schedule has gone in its middle: another sequence number. */
static void liquid_dump_lost(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (cb->prev_seq)
		cb->seq = cb->prev_seq + 1;
}

static int liquid_dump_sched_locked(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct liquid_gate *gate = liquid_dump_find(cb);
	const struct liquid_sched *sched;
	u32 which;
	int err;

	if (IS_ERR(gate))
		return PTR_ERR(gate);
	err = liquid_dump_which(cb, &which);
	if (err)
		return err;
	liquid_lock_now(gate);
	liquid_unlock(gate);
	rcu_read_lock();
	sched = rcu_dereference(*(which == LIQUID_WHICH_OPER ? &gate->oper : &gate->admin));
	if (sched)
		err = liquid_dump_sched_message(skb, cb, gate, which, sched);
	else
		liquid_dump_lost(skb, cb);
	rcu_read_unlock();
	return err;
}

static int liquid_dump_sched(struct sk_buff *skb, struct netlink_callback *cb)
{
	int err;

	rtnl_lock();
	err = liquid_dump_sched_locked(skb, cb);
	rtnl_unlock();
	return err ?: skb->len;
}

/* --- events --- */

enum { LIQUID_GROUP_EVENTS };

static const struct genl_multicast_group liquid_groups[] = {
	[LIQUID_GROUP_EVENTS] = { .name = LIQUID_GENL_EVENTS },
};

bool liquid_event_has_listeners(struct net *net)
{
	return genl_has_listeners(&liquid_family, net, LIQUID_GROUP_EVENTS) > 0;
}

static int liquid_event_fill(struct sk_buff *skb, u32 kind, const struct liquid_event *event)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_EVENT);
	int value = 0;

	if (kind <= LIQUID_EVENT_ENDED)
		value = LIQUID_EVENT_A_DUE_TIME;
	else if (kind == LIQUID_EVENT_CLOCK_STEP)
		value = LIQUID_EVENT_A_STEP_NS;
	if (!nest || nla_put_u32(skb, LIQUID_EVENT_A_KIND, kind) ||
	    nla_put_s64(skb, LIQUID_EVENT_A_TIME, event->time, LIQUID_EVENT_A_PAD) ||
	    nla_put_u64_64bit(skb, LIQUID_EVENT_A_COUNT, event->count, LIQUID_EVENT_A_PAD) ||
	    (value && nla_put_s64(skb, value, event->value, LIQUID_EVENT_A_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* In process context, no lock held; whoever listens is told, or told that something was lost. */
void liquid_event_send(struct liquid_gate *gate, u32 kind, const struct liquid_event *event)
{
	struct net_device *dev = qdisc_dev(liquid_sch(gate));
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;

	if (!skb) {
		genl_set_err(&liquid_family, dev_net(dev), 0, LIQUID_GROUP_EVENTS, -ENOBUFS);
		return;
	}
	header = genlmsg_put(skb, 0, 0, &liquid_family, 0, LIQUID_CMD_EVENT);
	if (!header || nla_put_u32(skb, LIQUID_A_IFINDEX, dev->ifindex) ||
	    liquid_event_fill(skb, kind, event)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&liquid_family, dev_net(dev), skb, 0, LIQUID_GROUP_EVENTS,
				GFP_KERNEL);
}

/* --- the family --- */

#define LIQUID_DO(_cmd, _policy) {					\
	.cmd		= _cmd,						\
	.flags		= GENL_UNS_ADMIN_PERM,				\
	.policy		= _policy,					\
	.maxattr	= LIQUID_A_MAX,					\
	.doit		= liquid_doit,					\
}

static const struct genl_ops liquid_ops[] = {
	{
		.cmd		= LIQUID_CMD_GATE_GET,
		.policy		= liquid_device_policy,
		.maxattr	= LIQUID_A_MAX,
		.doit		= liquid_doit,
		.dumpit		= liquid_dump_gates,
	},
	{
		.cmd		= LIQUID_CMD_DEST_GET,
		.policy		= liquid_device_policy,
		.maxattr	= LIQUID_A_MAX,
		.dumpit		= liquid_dump_dests,
	},
	{
		.cmd		= LIQUID_CMD_SCHED_GET,
		.policy		= liquid_sched_get_policy,
		.maxattr	= LIQUID_A_MAX,
		.dumpit		= liquid_dump_sched,
	},
	LIQUID_DO(LIQUID_CMD_GATE_SET, liquid_gate_set_policy),
	LIQUID_DO(LIQUID_CMD_DEST_SET, liquid_dests_set_policy),
	LIQUID_DO(LIQUID_CMD_DEST_DEL, liquid_dests_set_policy),
	LIQUID_DO(LIQUID_CMD_SCHED_BEGIN, liquid_begin_policy),
	LIQUID_DO(LIQUID_CMD_SCHED_ENTRIES, liquid_stage_policy),
	LIQUID_DO(LIQUID_CMD_SCHED_COMMIT, liquid_commit_policy),
	LIQUID_DO(LIQUID_CMD_SCHED_ABORT, liquid_device_policy),
	LIQUID_DO(LIQUID_CMD_SCHED_CLEAR, liquid_device_policy),
	LIQUID_DO(LIQUID_CMD_LEASE_RENEW, liquid_renew_policy),
};

static struct genl_family liquid_family __ro_after_init = {
	.name		= LIQUID_GENL_NAME,
	.version	= LIQUID_GENL_VERSION,
	.maxattr	= LIQUID_A_MAX,
	.netnsok	= true,
	.parallel_ops	= true,	/* RTNL is the lock */
	.ops		= liquid_ops,
	.n_ops		= ARRAY_SIZE(liquid_ops),
	.mcgrps		= liquid_groups,
	.n_mcgrps	= ARRAY_SIZE(liquid_groups),
	.module		= THIS_MODULE,
};

int __init liquid_netlink_init(void)
{
	return genl_register_family(&liquid_family);
}

void liquid_netlink_exit(void)
{
	genl_unregister_family(&liquid_family);
}
