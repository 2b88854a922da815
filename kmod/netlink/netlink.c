// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family
 *
 * Every request runs under RTNL. It finds its device in the network namespace of the socket, and
 * the gate of the device. A change of configuration is all or nothing.
 */
#include <net/genetlink.h>
#include <net/netdev_lock.h>
#include <net/sock.h>

#include "netlink/destination.h"
#include "gate.h"
#include "frames/lease.h"
#include "lock.h"
#include "netlink/netlink-gen.h"
#include "netlink/netlink.h"
#include "packets/qdisc.h"
#include "netlink/reader.h"
#include "frames/schedule.h"
#include "netlink/stats.h"
#include "packets/table.h"

static struct genl_family liquid_family;

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

static int liquid_put_device(struct sk_buff *skb, const struct liquid_gate *gate)
{
	return nla_put_u32(skb, LIQUID_A_IFINDEX, qdisc_dev(liquid_sch(gate))->ifindex);
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
	struct liquid_reader reader = liquid_reader_of(info->user_ptr[0]);
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	void *header;
	int err;

	if (!skb)
		return -ENOMEM;
	header = genlmsg_put_reply(skb, info, &liquid_family, 0, LIQUID_CMD_GATE_GET);
	err = !header || liquid_put_device(skb, gate) ? -EMSGSIZE :
							liquid_gate_fill(skb, gate, &reader);
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
	struct nlattr *dests = info->attrs[LIQUID_A_DESTS];

	if (!dests == !info->attrs[LIQUID_A_ALL]) {
		NL_SET_ERR_MSG(info->extack, "give either DESTS or ALL");
		return -EINVAL;
	}
	return dests ? liquid_dest_del(gate, dests, info->extack) :
		       liquid_dest_del_all(gate, info->extack);
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

int liquid_doit(struct sk_buff *skb, struct genl_info *info)
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

/* --- dumps; the core has validated the attributes --- */

/* Begin a message of a dump, with the gate's device; NULL: no room. */
static void *liquid_dump_begin(struct sk_buff *skb, struct netlink_callback *cb,
			       const struct liquid_gate *gate, u8 cmd)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				   &liquid_family, NLM_F_MULTI, cmd);

	if (!header)
		return NULL;
	genl_dump_check_consistent(cb, header);
	if (!liquid_put_device(skb, gate))
		return header;
	genlmsg_cancel(skb, header);
	return NULL;
}

/* End the message; on @err, remove it. */
static int liquid_dump_end(struct sk_buff *skb, void *header, int err)
{
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

typedef int (*liquid_dump_fn)(struct sk_buff *skb, struct netlink_callback *cb,
			      struct liquid_gate *gate);

/* Make the next message of a dump of one gate by @dump. */
static int liquid_dump(struct sk_buff *skb, struct netlink_callback *cb, liquid_dump_fn dump)
{
	const struct nlattr *ifindex = nlmsg_find_attr(cb->nlh, GENL_HDRLEN, LIQUID_A_IFINDEX);
	struct liquid_gate *gate;
	int err;

	rtnl_lock();
	gate = liquid_find_gate(sock_net(cb->skb->sk), ifindex, cb->extack);
	err = PTR_ERR_OR_ZERO(gate);
	if (!err) {
		liquid_lock_gate_advance(gate);	/* a schedule that is due comes into force */
		liquid_unlock_gate(gate);
		err = dump(skb, cb, gate);
	}
	rtnl_unlock();
	return err ?: skb->len;
}

static int liquid_dump_gate(struct sk_buff *skb, struct netlink_callback *cb,
			    struct liquid_gate *gate)
{
	struct liquid_reader reader = liquid_reader_of(cb->skb);
	void *header = liquid_dump_begin(skb, cb, gate, LIQUID_CMD_GATE_GET);

	return liquid_dump_end(skb, header,
			       header ? liquid_gate_fill(skb, gate, &reader) : -EMSGSIZE);
}

/* All gates of the namespace; args[0]: devices done */
int liquid_dump_gate_get(struct sk_buff *skb, struct netlink_callback *cb)
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

static int liquid_refuse_reader(struct netlink_callback *cb)
{
	NL_SET_ERR_MSG(cb->extack, "destinations and frames are for CAP_NET_ADMIN and the "
		       "schedule's user: see the module's hide_peers");
	return -EPERM;
}

/* args[0]: the next id */
static int liquid_dump_dests_from(struct sk_buff *skb, struct netlink_callback *cb,
				  struct liquid_gate *gate)
{
	struct liquid_reader reader = liquid_reader_of(cb->skb);
	void *header;

	if (!liquid_reads_gate(&reader, gate))
		return liquid_refuse_reader(cb);
	cb->seq = gate->table_seq;
	if (!liquid_dest_first(gate, &reader, &cb->args[0]))
		return 0;
	header = liquid_dump_begin(skb, cb, gate, LIQUID_CMD_DEST_GET);
	return liquid_dump_end(skb, header, header ?
			       liquid_dests_fill(skb, gate, &reader, &cb->args[0]) : -EMSGSIZE);
}

int liquid_dump_dest_get(struct sk_buff *skb, struct netlink_callback *cb)
{
	return liquid_dump(skb, cb, liquid_dump_dests_from);
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

/* args[0]: the next frame */
static int liquid_dump_frames_from(struct sk_buff *skb, struct netlink_callback *cb,
				   const struct liquid_gate *gate, u32 which,
				   const struct liquid_sched *sched)
{
	struct liquid_reader reader = liquid_reader_of(cb->skb);
	void *header;
	int err;

	if (!liquid_reads(&reader, sched))
		return liquid_refuse_reader(cb);
	cb->seq = sched->seq;
	if (cb->args[0] >= sched->frames)
		return 0;
	header = liquid_dump_begin(skb, cb, gate, LIQUID_CMD_SCHED_GET);
	err = !header || nla_put_u32(skb, LIQUID_A_WHICH, which) ||
	      liquid_sched_fill(skb, LIQUID_A_SCHED, sched, &reader) ||
	      liquid_frames_fill(skb, sched, &cb->args[0]) ? -EMSGSIZE : 0;
	return liquid_dump_end(skb, header, err);
}

static int liquid_dump_sched_from(struct sk_buff *skb, struct netlink_callback *cb,
				  struct liquid_gate *gate)
{
	const struct liquid_sched *sched;
	u32 which;
	int err;

	err = liquid_dump_which(cb, &which);
	if (err)
		return err;
	rcu_read_lock();
	sched = rcu_dereference(*(which == LIQUID_WHICH_OPER ? &gate->oper : &gate->admin));
	if (sched)
		err = liquid_dump_frames_from(skb, cb, gate, which, sched);
	else if (cb->prev_seq)	/* dropped during the dump: mark it interrupted */
		cb->seq = cb->prev_seq + 1;
	rcu_read_unlock();
	return err;
}

int liquid_dump_sched_get(struct sk_buff *skb, struct netlink_callback *cb)
{
	return liquid_dump(skb, cb, liquid_dump_sched_from);
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
	    (value && nla_put_s64(skb, value, event->value, LIQUID_EVENT_A_PAD)) ||
	    (event->label[0] && nla_put_string(skb, LIQUID_EVENT_A_LABEL, event->label)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Send an event, or ENOBUFS if there is no memory. Process context, no lock held. */
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
	if (!header || liquid_put_device(skb, gate) ||
	    liquid_event_fill(skb, kind, event)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&liquid_family, dev_net(dev), skb, 0, LIQUID_GROUP_EVENTS,
				GFP_KERNEL);
}

/* --- the family --- */

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
