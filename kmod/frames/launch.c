// SPDX-License-Identifier: GPL-2.0-only
/*
 * Launch times: packets that the device itself sends in time
 *
 * Some devices take a packet with the time at which they are to send it (the offload of sch_etf).
 * Then the gate releases packets early, by the option LAUNCH_NS, and what delays timers, the core
 * and the driver by less than half of that does not matter.
 *
 * The whole gate runs early: it adds LAUNCH_NS to the offset of CLOCK_TAI (tai_offset), so each
 * frame and its end come that much too soon on CLOCK_MONOTONIC, and nothing else in it knows. A
 * packet is stamped with the true beginning of the time that it is charged on the wire, which is
 * in its frame. That may be up to half of LAUNCH_NS before its release (liquid_wire_now()), so it
 * does not matter either by how much less the gate wakes late. Control packets are stamped too, as
 * a device sends the packets of a queue in order. No packet takes the short path.
 *
 * A sender may have left any time in a packet: TCP does, and so may every user (SO_TXTIME). The
 * device would take it for the launch time. So no packet is released without a stamp, not even
 * while the gate is open; then it is the time of its release.
 *
 * A driver may forget the setting when it makes its rings anew, and may refuse it for a TX queue
 * that comes into use. So it is asked again when the device comes up and when the number of TX
 * queues changes. Until then, and if it refuses, the gate stamps packets but releases none early.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/netdev_lock.h>
#include <net/pkt_sched.h>

#include "frames/clock.h"
#include "frames/launch.h"
#include "lock.h"
#include "netlink/notify.h"
#include "packets/packet.h"
#include "packets/qdisc.h"

#define LIQUID_LAUNCH_STAMP	1	/* ns; packets are stamped, but not released early */
#define LIQUID_LAUNCH_TRIES	1000	/* looks whether the core still sends, 20 us apart */

static int liquid_launch_set(struct net_device *dev, u32 queue, bool enable)
{
	struct tc_etf_qopt_offload etf = { .queue = queue, .enable = enable };

	if (!dev->netdev_ops->ndo_setup_tc)
		return -EOPNOTSUPP;
	return dev->netdev_ops->ndo_setup_tc(dev, TC_SETUP_QDISC_ETF, &etf);
}

static void liquid_launch_clear(struct net_device *dev, u32 queues)
{
	while (queues-- > 0)
		liquid_launch_set(dev, queues, false);
}

/* Let all TX queues of @dev that are in use take launch times; false: one does not. */
static bool liquid_launch_enable(struct net_device *dev)
{
	u32 queue;

	for (queue = 0; queue < dev->real_num_tx_queues; queue++) {
		if (!liquid_launch_set(dev, queue, true))
			continue;
		liquid_launch_clear(dev, queue);
		return false;
	}
	return true;
}

/*
 * Can the gate have launch times? Until all that is sent is stamped, no TX queue may take them, so
 * ask each to take none, which it does not either unless it could.
 */
int liquid_launch_check(struct liquid_gate *root, struct netlink_ext_ack *extack)
{
	struct net_device *dev = qdisc_dev(liquid_sch(root));
	const struct liquid_gate *used = liquid_gate_of(dev);
	u32 queue;

	ASSERT_RTNL();
	if (used && used->launch.on)
		return 0;
	for (queue = 0; queue < dev->real_num_tx_queues; queue++) {
		if (!liquid_launch_set(dev, queue, false))
			continue;
		NL_SET_ERR_MSG(extack,
			       "a TX queue of the device takes no launch times: leave out launch");
		return -EOPNOTSUPP;
	}
	return 0;
}

/*
 * The gate releases packets @ns before they are due, from now on. This is not a step of the clock.
 */
static void liquid_launch_change(struct liquid_gate *gate, u32 ns)
{
	s64 more = (s64)ns - gate->link.launch;

	liquid_assert_root_lock(gate);
	gate->link.launch = ns;
	gate->tai_offset += more;
	if (gate->family.root == gate)	/* the last step was seen with the old time */
		atomic64_add(more, &gate->shared->tai_offset);
	liquid_gate_recompute(gate);
}

/* As above, for all gates of the device. @refused: listeners are notified that it takes none */
static void liquid_launch_change_all(struct liquid_gate *root, u32 ns, bool refused)
{
	struct liquid_gate *gate;

	liquid_lock_flush(root);
	for (gate = root; gate; gate = gate->family.next)
		liquid_launch_change(gate, ns);
	if (refused)
		liquid_notify(root, LIQUID_EVENT_LAUNCH_OFF, 1, 0);
	liquid_unlock(root);
	liquid_gate_kick(root);
}

/* Stamp packets of @list, which the core has requeued. */
static void liquid_launch_stamp_list(struct sk_buff_head *list)
{
	s64 now = ktime_get_ns() + liquid_tai_offset();
	struct sk_buff *skb;

	skb_queue_walk(list, skb)
		skb_set_delivery_time(skb, now, SKB_CLOCK_TAI);
}

/*
 * The gate has begun to stamp packets. Wait until the core has handed those to the driver that it
 * had dequeued before, and stamp packets that it has requeued. Under load it may seem to send all
 * the time; packets of then have left long before this gives up.
 */
static void liquid_launch_settle(struct liquid_gate *gate)
{
	struct Qdisc *sch = liquid_sch(gate);
	bool running = true;
	int tries;

	for (tries = 0; running && tries < LIQUID_LAUNCH_TRIES; tries++) {
		liquid_lock_gate(gate);
		liquid_launch_stamp_list(&sch->gso_skb);
		liquid_launch_stamp_list(&sch->skb_bad_txq);
		running = qdisc_is_running(sch);
		liquid_unlock_gate(gate);
		if (running)
			usleep_range(20, 50);
	}
}

/* Stamp packets, but do not release them early. */
static void liquid_launch_hold(struct liquid_gate *root)
{
	struct liquid_gate *gate;
	bool begins = !root->link.launch;

	if (root->link.launch != LIQUID_LAUNCH_STAMP)
		liquid_launch_change_all(root, LIQUID_LAUNCH_STAMP, false);
	for (gate = root; begins && gate; gate = gate->family.next)
		liquid_launch_settle(gate);
}

/*
 * Bring gate and device to the state that the options ask for. While the device takes launch times,
 * all packets are stamped; and while any are released early, the device takes launch times.
 */
void liquid_launch_update(struct liquid_gate *root)
{
	struct net_device *dev = qdisc_dev(liquid_sch(root));
	u32 ns = root->config.launch_ns;
	bool ask = root->launch.attached && !root->launch.on;

	ASSERT_RTNL();
	if (!ns && !root->link.launch)
		return;
	if (!root->launch.on || !ns)
		liquid_launch_hold(root);
	if (ns && ask)
		root->launch.on = liquid_launch_enable(dev);
	if (!ns && root->launch.on) {
		liquid_launch_clear(dev, dev->num_tx_queues);
		root->launch.on = false;
	}
	if (!ns || root->launch.on)
		liquid_launch_change_all(root, ns, false);
	else if (ask)
		liquid_launch_change_all(root, LIQUID_LAUNCH_STAMP, true);
}

/* The driver may forget that it takes launch times: release no packet early until it is asked. */
void liquid_launch_pause(struct liquid_gate *root)
{
	ASSERT_RTNL();
	root->launch.on = false;
	if (root->link.launch)
		liquid_launch_hold(root);
}

/* Ask it again. */
void liquid_launch_renew(struct liquid_gate *root)
{
	liquid_launch_pause(root);
	liquid_launch_update(root);
}

/*
 * The number of TX queues changes, which the driver may have made anew. It holds its locks
 * now, so it is asked later.
 */
void liquid_launch_renew_later(struct liquid_gate *root)
{
	if (!root->link.launch)
		return;
	liquid_launch_pause(root);
	mod_delayed_work(system_wq, &root->launch.work, 0);
}

/* The destruction of the gate waits for this under RTNL, so it must not wait for that. */
static void liquid_launch_work(struct work_struct *work)
{
	struct liquid_gate *root = container_of(to_delayed_work(work), struct liquid_gate,
						launch.work);
	struct net_device *dev = qdisc_dev(liquid_sch(root));

	if (!rtnl_trylock()) {
		queue_delayed_work(system_wq, &root->launch.work, 1);
		return;
	}
	netdev_lock_ops(dev);
	liquid_launch_update(root);
	netdev_unlock_ops(dev);
	rtnl_unlock();
}

void liquid_launch_init(struct liquid_gate *root)
{
	INIT_DELAYED_WORK(&root->launch.work, liquid_launch_work);
}

/*
 * The gate is being destroyed: launch times are no longer used, unless by a gate that has replaced
 * this one. All TX queues lose them, also unused ones.
 */
void liquid_launch_destroy(struct liquid_gate *root)
{
	struct net_device *dev = qdisc_dev(liquid_sch(root));
	const struct liquid_gate *next = liquid_gate_of(dev);

	ASSERT_RTNL();
	cancel_delayed_work_sync(&root->launch.work);
	if (root->config.launch_ns && !(next && next != root && next->config.launch_ns))
		liquid_launch_clear(dev, dev->num_tx_queues);
}

/* TAI at which the transmission of @skb begins, which has just been charged */
static s64 liquid_launch_time(const struct liquid_gate *gate, struct sk_buff *skb)
{
	u64 ns = liquid_wire_ns(&gate->link.rate, liquid_packet_bytes(gate, skb));

	return gate->link.vfinish - (s64)ns + gate->tai_offset;
}

/*
 * Stamp @skb, which is released at @now. While the gate is open, nothing may have been charged, and
 * the clock may not have been checked for a step (tai_offset).
 */
void liquid_launch_stamp(const struct liquid_gate *gate, struct sk_buff *skb, s64 now)
{
	s64 time = gate->frame.mode == LIQUID_MODE_OPEN ? now + liquid_tai_offset() :
							  liquid_launch_time(gate, skb);

	liquid_assert_root_lock(gate);
	skb_set_delivery_time(skb, time, SKB_CLOCK_TAI);
}
