// SPDX-License-Identifier: GPL-2.0-only
/* Dumps of state and counters of a gate */
#include <linux/slab.h>

#include "frames/clock.h"
#include "netlink/leaks.h"
#include "frames/lease.h"
#include "lock.h"
#include "netlink/notify.h"
#include "packets/queue.h"
#include "netlink/reader.h"
#include "frames/schedule.h"
#include "netlink/stats.h"
#include "packets/table.h"
#include "netlink/times.h"

/* A copy of the data under the root lock, so that it is not held while the message is made */
struct liquid_snapshot {
	u32 mode;
	s64 now;
	s64 tai_offset;
	u64 rate;
	u32 index;
	u32 frame_id;
	bool frame_read;	/* the reader may read @index and @frame_id */
	u32 qlen;
	u64 backlog;
	u32 control_qlen;
	u32 unsched_qlen;
	u64 lease_ns;
	u64 lease_left;
	u64 stat[LIQUID_STATS_A_MAX + 1];
	struct liquid_times times;
	struct liquid_delays delays;
};

/* Add what @gate has counted, and what waits in it. */
static void liquid_snapshot_add(struct liquid_snapshot *snapshot, const struct liquid_gate *gate)
{
	const struct gnet_stats_basic_sync *bstats = &liquid_sch(gate)->bstats;
	size_t i;

	snapshot->qlen += gate->qlen;
	snapshot->backlog += gate->backlog;
	snapshot->control_qlen += liquid_control_qlen(gate);
	snapshot->unsched_qlen += gate->unsched.qlen + gate->sorting.queue.qlen;
	for (i = 0; i < ARRAY_SIZE(snapshot->stat); i++)
		snapshot->stat[i] += gate->stat[i];
	liquid_times_add(&snapshot->times, &gate->times);
	liquid_delays_add(&snapshot->delays, &gate->delays);
	if (gate->family.children)	/* the qdisc's own counters are sums, for tc */
		return;
	snapshot->stat[LIQUID_STATS_A_PACKETS] += u64_stats_read(&bstats->packets);
	snapshot->stat[LIQUID_STATS_A_BYTES] += u64_stats_read(&bstats->bytes);
}

/* The root's counters for all gates of the device */
static void liquid_snapshot_root(struct liquid_snapshot *snapshot, struct liquid_gate *root,
				 const struct liquid_reader *reader)
{
	liquid_notify_schedule(root);
	snapshot->mode = root->frame.mode;
	snapshot->now = ktime_get_ns() + root->tai_offset - root->link.launch;
	snapshot->rate = root->link.rate.bps;
	snapshot->index = root->frame.index;
	snapshot->frame_id = root->frame.id;
	snapshot->frame_read = liquid_oper(root) && liquid_reads(reader, liquid_oper(root));
	snapshot->lease_ns = root->lease.ns;
	if (root->lease.ns)
		snapshot->lease_left = liquid_lease_left(root);
}

/* Not inline, so that the time can be measured that it takes under the lock of @gate. */
static noinline void liquid_snapshot_visit(struct liquid_snapshot *snapshot,
					   struct liquid_gate *gate,
					   const struct liquid_reader *reader)
{
	liquid_lock_gate_advance(gate);
	if (gate->family.root == gate)
		liquid_snapshot_root(snapshot, gate, reader);
	liquid_snapshot_add(snapshot, gate);
	liquid_unlock_gate(gate);
}

/* Fill an open nest with the counters up to @last. */
static int liquid_stats_fill(struct sk_buff *skb, const u64 *stat, int last)
{
	int type;

	for (type = LIQUID_STATS_A_PACKETS; type <= last; type++) {
		if (type == LIQUID_STATS_A_PAD)
			continue;
		if (nla_put_u64_64bit(skb, type, stat[type], LIQUID_STATS_A_PAD))
			return -EMSGSIZE;
	}
	return 0;
}

static int liquid_lease_fill(struct sk_buff *skb, const struct liquid_snapshot *snapshot)
{
	if (!snapshot->lease_ns)
		return 0;
	return nla_put_u64_64bit(skb, LIQUID_STATE_A_LEASE_NS, snapshot->lease_ns,
				 LIQUID_STATE_A_PAD) ?:
	       nla_put_u64_64bit(skb, LIQUID_STATE_A_LEASE_LEFT_NS, snapshot->lease_left,
				 LIQUID_STATE_A_PAD);
}

static int liquid_state_fill(struct sk_buff *skb, const struct liquid_gate *gate,
			     const struct liquid_snapshot *snapshot)
{
	if (nla_put_u32(skb, LIQUID_STATE_A_MODE, snapshot->mode) ||
	    nla_put_s64(skb, LIQUID_STATE_A_NOW, snapshot->now, LIQUID_STATE_A_PAD) ||
	    nla_put_s32(skb, LIQUID_STATE_A_TAI_OFFSET, liquid_tai_utc()) ||
	    nla_put_u64_64bit(skb, LIQUID_STATE_A_LINK_RATE_BPS, snapshot->rate,
			      LIQUID_STATE_A_PAD) ||
	    nla_put_u32(skb, LIQUID_STATE_A_DESTS, gate->table->count) ||
	    nla_put_u32(skb, LIQUID_STATE_A_QLEN, snapshot->qlen) ||
	    nla_put_u64_64bit(skb, LIQUID_STATE_A_BACKLOG, snapshot->backlog,
			      LIQUID_STATE_A_PAD) ||
	    nla_put_u32(skb, LIQUID_STATE_A_CONTROL_QLEN, snapshot->control_qlen) ||
	    nla_put_u32(skb, LIQUID_STATE_A_UNSCHED_QLEN, snapshot->unsched_qlen) ||
	    nla_put_u32(skb, LIQUID_STATE_A_TX_QUEUES, max(gate->family.children, 1U)) ||
	    nla_put_u32(skb, LIQUID_STATE_A_LEAKS, liquid_leaks(qdisc_dev(liquid_sch(gate)))) ||
	    nla_put_u32(skb, LIQUID_STATE_A_LAUNCH_NS,
			gate->launch.on ? gate->config.launch_ns : 0) ||
	    liquid_lease_fill(skb, snapshot))
		return -EMSGSIZE;
	if (snapshot->mode != LIQUID_MODE_GATED || !snapshot->frame_read)
		return 0;
	if (nla_put_u32(skb, LIQUID_STATE_A_FRAME, snapshot->index))
		return -EMSGSIZE;
	if (snapshot->frame_id == LIQUID_NONE)
		return 0;
	return nla_put_u32(skb, LIQUID_STATE_A_FRAME_DEST, snapshot->frame_id);
}

static int liquid_scheds_fill(struct sk_buff *skb, const struct liquid_gate *gate,
			      const struct liquid_reader *reader)
{
	const struct liquid_sched *oper, *admin;
	int err = 0;

	rcu_read_lock();
	oper = rcu_dereference(gate->oper);
	admin = rcu_dereference(gate->admin);
	if (oper)
		err = liquid_sched_fill(skb, LIQUID_A_OPER, oper, reader);
	if (!err && admin && admin != oper)
		err = liquid_sched_fill(skb, LIQUID_A_ADMIN, admin, reader);
	rcu_read_unlock();
	return err;
}

static int liquid_gate_fill_nests(struct sk_buff *skb, struct liquid_gate *gate,
				  const struct liquid_snapshot *snapshot,
				  const struct liquid_reader *reader)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, LIQUID_A_GATE);
	if (!nest || liquid_config_fill(skb, &gate->config))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	nest = nla_nest_start(skb, LIQUID_A_STATE);
	if (!nest || liquid_state_fill(skb, gate, snapshot))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	nest = nla_nest_start(skb, LIQUID_A_STATS);
	if (!nest || liquid_stats_fill(skb, snapshot->stat, LIQUID_STATS_A_MAX))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return liquid_times_fill(skb, LIQUID_A_TIMES, &snapshot->times, &snapshot->delays) ?:
	       liquid_scheds_fill(skb, gate, reader);
}

/* Add all of a gate but its device, and but what @reader may not read. */
int liquid_gate_fill(struct sk_buff *skb, struct liquid_gate *gate,
		     const struct liquid_reader *reader)
{
	struct liquid_snapshot *snapshot;
	struct liquid_gate *part;
	int err;

	ASSERT_RTNL();
	snapshot = kzalloc(sizeof(*snapshot), GFP_KERNEL);
	if (!snapshot)
		return -ENOMEM;
	for (part = gate; part; part = part->family.next)
		liquid_snapshot_visit(snapshot, part, reader);
	err = liquid_gate_fill_nests(skb, gate, snapshot, reader);
	kfree(snapshot);
	return err;
}
