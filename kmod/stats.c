// SPDX-License-Identifier: GPL-2.0-only
/* State and counters of gates, destinations and schedules, as the wire has them */
#include <linux/slab.h>

#include "clock.h"
#include "lease.h"
#include "lock.h"
#include "notify.h"
#include "schedule.h"
#include "stats.h"
#include "table.h"
#include "times.h"

/* Copies of what changes under the root lock, so that it is not held while a message is made. */
struct liquid_snapshot {
	u32 mode;
	s64 now;
	s64 tai_offset;
	u64 rate;
	u32 index;
	u32 frame_id;
	u32 qlen;
	u64 backlog;
	u32 control_qlen;
	u32 unsched_qlen;
	u64 lease_ns;
	u64 lease_left;
	u64 stat[LIQUID_STATS_A_MAX + 1];
	struct liquid_times times;
	struct liquid_hist lag;
};

static void liquid_snapshot(struct liquid_gate *gate, struct liquid_snapshot *snapshot)
{
	struct gnet_stats_basic_sync *bstats = &liquid_sch(gate)->bstats;
	s64 now;

	liquid_lock(gate);
	now = ktime_get_ns();
	liquid_gate_advance(gate, now);
	liquid_notify_watch(gate);
	snapshot->mode = gate->frame.mode;
	snapshot->now = now + gate->tai_offset;
	snapshot->rate = gate->link.rate.bps;
	snapshot->index = gate->frame.index;
	snapshot->frame_id = gate->frame.id;
	snapshot->qlen = gate->qlen;
	snapshot->backlog = gate->backlog;
	snapshot->control_qlen = gate->control.qlen;
	snapshot->unsched_qlen = gate->unsched.qlen;
	snapshot->lease_ns = gate->lease.ns;
	if (gate->lease.ns)
		snapshot->lease_left = liquid_lease_left(gate);
	memcpy(snapshot->stat, gate->stat, sizeof(snapshot->stat));
	snapshot->stat[LIQUID_STATS_A_PACKETS] += u64_stats_read(&bstats->packets);
	snapshot->stat[LIQUID_STATS_A_BYTES] = u64_stats_read(&bstats->bytes);
	snapshot->times = gate->times;
	snapshot->lag = gate->lag;
	liquid_unlock(gate);
}

/* The counters up to @last, behind an opened nest. */
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
	    nla_put_u32(skb, LIQUID_STATE_A_TX_QUEUE, 0) ||
	    nla_put_u32(skb, LIQUID_STATE_A_CONTROL_TX_QUEUE, gate->control_txq) ||
	    liquid_lease_fill(skb, snapshot))
		return -EMSGSIZE;
	if (snapshot->mode != LIQUID_MODE_GATED)
		return 0;
	if (nla_put_u32(skb, LIQUID_STATE_A_FRAME, snapshot->index))
		return -EMSGSIZE;
	if (snapshot->frame_id == LIQUID_NONE)
		return 0;
	return nla_put_u32(skb, LIQUID_STATE_A_FRAME_DEST, snapshot->frame_id);
}

/* A schedule's own data as nest @attr. */
int liquid_sched_fill(struct sk_buff *skb, int attr, const struct liquid_sched *sched)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest ||
	    nla_put_u64_64bit(skb, LIQUID_SCHED_A_FRAME_NS, sched->frame_ns,
			      LIQUID_SCHED_A_PAD) ||
	    nla_put_u64_64bit(skb, LIQUID_SCHED_A_GUARD_NS, sched->guard_ns,
			      LIQUID_SCHED_A_PAD) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_FRAMES, sched->frames) ||
	    nla_put_u64_64bit(skb, LIQUID_SCHED_A_CYCLES, sched->cycles, LIQUID_SCHED_A_PAD) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_THEN, sched->then) ||
	    nla_put_s64(skb, LIQUID_SCHED_A_BASE_TIME, sched->base, LIQUID_SCHED_A_PAD) ||
	    nla_put_s64(skb, LIQUID_SCHED_A_START_TIME, sched->start, LIQUID_SCHED_A_PAD) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_IDLE_FRAMES, sched->idle) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_DESTS, sched->dests))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int liquid_scheds_fill(struct sk_buff *skb, const struct liquid_gate *gate)
{
	const struct liquid_sched *oper, *admin;
	int err = 0;

	rcu_read_lock();
	oper = rcu_dereference(gate->oper);
	admin = rcu_dereference(gate->admin);
	if (oper)
		err = liquid_sched_fill(skb, LIQUID_A_OPER, oper);
	if (!err && admin && admin != oper)
		err = liquid_sched_fill(skb, LIQUID_A_ADMIN, admin);
	rcu_read_unlock();
	return err;
}

static int liquid_gate_fill_nests(struct sk_buff *skb, struct liquid_gate *gate,
				  const struct liquid_snapshot *snapshot)
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
	return liquid_times_fill(skb, LIQUID_A_TIMES, &snapshot->times, &snapshot->lag) ?:
	       liquid_scheds_fill(skb, gate);
}

/* All of a gate. */
int liquid_gate_fill(struct sk_buff *skb, struct liquid_gate *gate)
{
	struct liquid_snapshot *snapshot;
	int err;

	ASSERT_RTNL();
	snapshot = kzalloc(sizeof(*snapshot), GFP_KERNEL);
	if (!snapshot)
		return -ENOMEM;
	liquid_snapshot(gate, snapshot);
	err = nla_put_u32(skb, LIQUID_A_IFINDEX, qdisc_dev(liquid_sch(gate))->ifindex);
	if (!err)
		err = liquid_gate_fill_nests(skb, gate, snapshot);
	kfree(snapshot);
	return err;
}

static int liquid_key_fill(struct sk_buff *skb, const struct liquid_key *key)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_DEST_A_KEY);
	__be32 word[4] = { htonl(key->a >> 32), htonl(key->a), htonl(key->b >> 32), htonl(key->b) };
	u8 address[ETH_ALEN];
	u32 mark = key->a;
	int err;

	if (!nest || nla_put_u32(skb, LIQUID_KEY_A_KIND, key->kind))
		return -EMSGSIZE;
	switch (key->kind) {
	case LIQUID_KEY_IPV4:
		err = nla_put(skb, LIQUID_KEY_A_VALUE, 4, &word[1]);
		break;
	case LIQUID_KEY_IPV6:
		err = nla_put(skb, LIQUID_KEY_A_VALUE, 16, word);
		break;
	case LIQUID_KEY_ETHER:
		u64_to_ether_addr(key->a, address);
		err = nla_put(skb, LIQUID_KEY_A_VALUE, ETH_ALEN, address);
		break;
	default:
		err = nla_put(skb, LIQUID_KEY_A_VALUE, 4, &mark);
		break;
	}
	if (!err)
		nla_nest_end(skb, nest);
	return err;
}

static bool liquid_kept_per_dest(int type)
{
	switch (type) {
	case LIQUID_STATS_A_PACKETS:
	case LIQUID_STATS_A_BYTES:
	case LIQUID_STATS_A_WAITS:
	case LIQUID_STATS_A_LATE:
	case LIQUID_STATS_A_FRAMES_USED:
	case LIQUID_STATS_A_FRAMES_MISSED:
	case LIQUID_STATS_A_DROP_LIMIT:
	case LIQUID_STATS_A_DROP_HORIZON:
	case LIQUID_STATS_A_DROP_TOO_BIG:
	case LIQUID_STATS_A_DROP_SPLIT:
		return true;
	default:
		return false;
	}
}

static int liquid_dest_stats_fill(struct sk_buff *skb, const struct liquid_dest *dest)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_DEST_A_STATS);
	int type;

	if (!nest)
		return -EMSGSIZE;
	for (type = LIQUID_STATS_A_PACKETS; type < ARRAY_SIZE(dest->stat); type++) {
		if (liquid_kept_per_dest(type) &&
		    nla_put_u64_64bit(skb, type, dest->stat[type], LIQUID_STATS_A_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static u32 liquid_dest_frames(const struct liquid_gate *gate, u32 id)
{
	const struct liquid_sched *oper;
	u32 frames = 0;

	rcu_read_lock();
	oper = rcu_dereference(gate->oper);
	if (oper && liquid_sched_has(oper, id))
		frames = oper->first[id + 1] - oper->first[id];
	rcu_read_unlock();
	return frames;
}

static void liquid_dest_snapshot(struct liquid_gate *gate, const struct liquid_dest *dest,
				 struct liquid_dest *copy)
{
	liquid_lock(gate);
	*copy = *dest;
	liquid_unlock(gate);
	copy->stat[LIQUID_STATS_A_PACKETS] = copy->packets;
	copy->stat[LIQUID_STATS_A_BYTES] = copy->bytes;
}

/* One destination as a DEST nest; nothing is left of it where it does not fit. */
int liquid_dest_fill(struct sk_buff *skb, struct liquid_gate *gate, struct liquid_dest *dest)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_DEST);
	struct liquid_dest copy;
	u32 id, i;

	ASSERT_RTNL();
	if (!nest)
		return -EMSGSIZE;
	liquid_dest_snapshot(gate, dest, &copy);
	id = copy.queue.id;
	if (nla_put_u32(skb, LIQUID_DEST_A_ID, id))
		goto full;
	for (i = 0; i < copy.nkeys; i++) {
		if (liquid_key_fill(skb, &copy.keys[i]))
			goto full;
	}
	if (nla_put_u32(skb, LIQUID_DEST_A_QLEN, copy.queue.qlen) ||
	    nla_put_u64_64bit(skb, LIQUID_DEST_A_BACKLOG, copy.queue.backlog,
			      LIQUID_DEST_A_PAD) ||
	    nla_put_u32(skb, LIQUID_DEST_A_FRAMES, liquid_dest_frames(gate, id)) ||
	    liquid_dest_stats_fill(skb, &copy) ||
	    liquid_times_fill(skb, LIQUID_DEST_A_TIMES, &copy.times, NULL))
		goto full;
	nla_nest_end(skb, nest);
	return 0;
full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}
