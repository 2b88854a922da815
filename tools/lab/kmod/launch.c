// SPDX-License-Identifier: GPL-2.0-only
/*
 * Launch times: packets that wait in the ring until the time that their sender has stamped them
 * with
 *
 * As of network cards with the offload of sch_etf, but more exact: the model gets a packet at its
 * very launch time, however late the timer is.
 */
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/timekeeping.h>
#include <net/pkt_sched.h>

#include "fabric.h"

/* Some drivers take launch times on few TX queues. */
static unsigned int lfab_launch_queues = 64;
module_param_named(launch_queues, lfab_launch_queues, uint, 0644);
MODULE_PARM_DESC(launch_queues, "TX queues of a device that take launch times, at most 64");

void lfab_launch_forget(struct lfab_fabric *fabric, u32 port)
{
	spin_lock_bh(&fabric->lock);
	fabric->slot[port].launch = 0;
	spin_unlock_bh(&fabric->lock);
}

int lfab_setup_tc(struct net_device *dev, enum tc_setup_type type, void *data)
{
	const struct tc_etf_qopt_offload *etf = data;
	struct lfab_netdev *priv = netdev_priv(dev);
	struct lfab_fabric *fabric = priv->fabric;
	struct lfab_slot *slot = &fabric->slot[priv->port];

	if (type != TC_SETUP_QDISC_ETF)
		return -EOPNOTSUPP;
	if (etf->queue < 0 || etf->queue >= dev->num_tx_queues || etf->queue >= 64 ||
	    etf->queue >= READ_ONCE(lfab_launch_queues))
		return -EINVAL;
	spin_lock_bh(&fabric->lock);
	if (etf->enable)
		slot->launch |= BIT_ULL(etf->queue);
	else
		slot->launch &= ~BIT_ULL(etf->queue);
	spin_unlock_bh(&fabric->lock);
	return 0;
}

static struct lfab_packet *lfab_launch_first(struct lfab_fabric *fabric)
{
	return list_first_entry_or_null(&fabric->held, struct lfab_packet, node);
}

bool lfab_launch_hold(struct lfab_fabric *fabric, struct lfab_packet *packet, struct sk_buff *skb,
		      u64 now)
{
	s64 offset = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_TAI));
	s64 launch = ktime_to_ns(skb->tstamp) - offset;
	struct list_head *at = fabric->held.prev;

	lockdep_assert_held(&fabric->lock);
	if (!skb->tstamp || packet->queue >= 64 ||
	    !(fabric->slot[packet->src].launch & BIT_ULL(packet->queue)))
		return false;
	skb_set_delivery_time(skb, 0, SKB_CLOCK_TAI);
	if (launch <= (s64)now)
		return false;
	packet->launch = launch;
	while (at != &fabric->held && list_entry(at, struct lfab_packet, node)->launch > launch)
		at = at->prev;
	list_add(&packet->node, at);
	return true;
}

bool lfab_launch_run(struct lfab_fabric *fabric, u64 now, u32 budget)
{
	struct lfab_packet *packet;

	lockdep_assert_held(&fabric->lock);
	while ((packet = lfab_launch_first(fabric)) && packet->launch <= now) {
		if (!budget-- ||
		    lfab_model_run(&fabric->model, packet->launch, budget) < packet->launch)
			return false;
		list_del(&packet->node);
		lfab_model_send(&fabric->model, packet, packet->launch);
	}
	return true;
}

void lfab_launch_flush(struct lfab_fabric *fabric, u32 port, u64 now)
{
	struct lfab_packet *packet, *next;

	lockdep_assert_held(&fabric->lock);
	list_for_each_entry_safe(packet, next, &fabric->held, node) {
		if (packet->src != port)
			continue;
		list_del(&packet->node);
		lfab_model_send(&fabric->model, packet, now);
	}
}

bool lfab_launch_next(struct lfab_fabric *fabric, u64 *next)
{
	const struct lfab_packet *packet = lfab_launch_first(fabric);

	if (packet)
		*next = min(*next, packet->launch);
	return packet;
}
