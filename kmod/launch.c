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
 */
#include <linux/netdevice.h>
#include <net/pkt_sched.h>

#include "clock.h"
#include "launch.h"
#include "packet.h"

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

/* Let all TX queues of @dev that are in use take launch times. */
int liquid_launch_begin(struct net_device *dev, struct netlink_ext_ack *extack)
{
	u32 queue;

	ASSERT_RTNL();
	for (queue = 0; queue < dev->real_num_tx_queues; queue++) {
		if (!liquid_launch_set(dev, queue, true))
			continue;
		liquid_launch_clear(dev, queue);
		NL_SET_ERR_MSG(extack,
			       "a TX queue of the device takes no launch times: leave out launch");
		return -EOPNOTSUPP;
	}
	return 0;
}

void liquid_launch_end(struct net_device *dev)
{
	ASSERT_RTNL();
	liquid_launch_clear(dev, dev->real_num_tx_queues);
}

/* The gate releases packets @ns before they are due, from now on. That is no step of the clock. */
void liquid_launch_change(struct liquid_gate *gate, u32 ns)
{
	s64 more = (s64)ns - gate->link.launch;

	liquid_assert_root_lock(gate);
	gate->link.launch = ns;
	gate->tai_offset += more;
	if (gate->family.root == gate)	/* the last step was seen with the old time */
		atomic64_add(more, &gate->shared->tai_offset);
}

/* TAI at which the transmission of @skb begins, which has just been charged */
static s64 liquid_launch_time(const struct liquid_gate *gate, struct sk_buff *skb)
{
	u64 ns = liquid_wire_ns(&gate->link.rate, liquid_packet_bytes(gate, skb));

	return gate->link.vfinish - (s64)ns + gate->tai_offset;
}

/*
 * Stamp @skb, which is released at @now. While the gate is open, nothing may have been charged, and
 * nobody has looked for a step of the clock (tai_offset).
 */
void liquid_launch_stamp(const struct liquid_gate *gate, struct sk_buff *skb, s64 now)
{
	s64 time = gate->frame.mode == LIQUID_MODE_OPEN ? now + liquid_tai_offset() :
							  liquid_launch_time(gate, skb);

	liquid_assert_root_lock(gate);
	skb_set_delivery_time(skb, time, SKB_CLOCK_TAI);
}
