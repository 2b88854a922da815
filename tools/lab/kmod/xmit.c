// SPDX-License-Identifier: GPL-2.0-only
/* Socket buffers: from the sender's stack into the model, from there to the receiver's stack */
#include <linux/etherdevice.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <net/gro.h>

#include "fabric.h"

/* A slow driver, for tests of what releases to it */
#define LFAB_STALL_MAX	(10 * NSEC_PER_MSEC)
static unsigned int lfab_stall_ns;
module_param_named(stall_ns, lfab_stall_ns, uint, 0644);
MODULE_PARM_DESC(stall_ns, "ns that ndo_start_xmit takes longer, at most 10 ms");

/* --- callbacks of the model; the fabric's lock is held --- */

static struct lfab_fabric *lfab_of(struct lfab_model *model)
{
	return container_of(model, struct lfab_fabric, model);
}

/* Wake the TX queue when a quarter of its ring is free. */
static void lfab_wake(const struct lfab_fabric *fabric, const struct lfab_slot *slot, u32 queue,
		      struct netdev_queue *txq)
{
	u32 ring = fabric->config.ring;

	if (netif_tx_queue_stopped(txq) && slot->up &&
	    slot->ring[queue] <= ring - DIV_ROUND_UP(ring, 4))
		netif_tx_wake_queue(txq);
}

/* The packet leaves its sender: take it from the ring and from its socket. */
static void lfab_sent(struct lfab_model *model, struct lfab_packet *packet)
{
	struct lfab_fabric *fabric = lfab_of(model);
	struct lfab_slot *slot = &fabric->slot[packet->src];
	struct sk_buff *skb = packet->data;
	struct netdev_queue *txq;

	lockdep_assert_held(&fabric->lock);
	slot->ring[packet->queue]--;
	if (slot->dev) {
		txq = netdev_get_tx_queue(slot->dev, packet->queue);
		netdev_tx_completed_queue(txq, 1, packet->wire - model->overhead);
		lfab_wake(fabric, slot, packet->queue, txq);
	}
	skb_orphan(skb);
}

static void lfab_count_drop(struct lfab_fabric *fabric, u32 src, struct sk_buff *skb,
			    enum lfab_reason reason)
{
	fabric->slot[src].drops[reason]++;
	dev_kfree_skb_any(skb);
}

static void lfab_dropped(struct lfab_model *model, struct lfab_packet *packet,
			 enum lfab_reason reason)
{
	lfab_count_drop(lfab_of(model), packet->src, packet->data, reason);
	kfree(packet);
}

/* The receiver's time stamp is the model's time. */
static void lfab_stamp(struct sk_buff *skb, u64 time)
{
	if (!skb_cloned(skb))	/* a clone's original may want its own */
		skb_hwtstamps(skb)->hwtstamp = ktime_mono_to_any(ns_to_ktime(time), TK_OFFS_TAI);
}

static void lfab_receive(struct lfab_slot *slot, struct sk_buff *skb, u64 time)
{
	struct lfab_netdev *priv = netdev_priv(slot->dev);

	skb_scrub_packet(skb, true);
	skb->priority = 0;
	skb_set_queue_mapping(skb, 0);
	lfab_stamp(skb, time);
	skb_queue_tail(&priv->rx, skb);
	napi_schedule(&priv->napi);
}

/* Give @skb of @src to the stack of @dst; false: it was dropped. */
static bool lfab_give(struct lfab_fabric *fabric, u32 src, u32 dst, struct sk_buff *skb, u64 time)
{
	struct lfab_slot *slot = &fabric->slot[dst];
	struct lfab_netdev *priv;

	lockdep_assert_held(&fabric->lock);
	if (!slot->up) {
		lfab_count_drop(fabric, src, skb, LFAB_DROP_PEER_DOWN);
		return false;
	}
	priv = netdev_priv(slot->dev);
	if (skb_queue_len_lockless(&priv->rx) >= LFAB_RX_MAX) {
		lfab_count_drop(fabric, src, skb, LFAB_DROP_RX_FULL);
		return false;
	}
	lfab_receive(slot, skb, time);
	return true;
}

static void lfab_delivered(struct lfab_model *model, struct lfab_packet *packet, u64 time)
{
	struct lfab_fabric *fabric = lfab_of(model);
	struct lfab_slot *slot = &fabric->slot[packet->dst];

	if (lfab_give(fabric, packet->src, packet->dst, packet->data, time)) {
		slot->rx_packets++;
		slot->rx_bytes += packet->wire - model->overhead;
		slot->last_rx = time;
	}
	kfree(packet);
}

const struct lfab_ops lfab_model_ops = {
	.sent		= lfab_sent,
	.deliver	= lfab_delivered,
	.drop		= lfab_dropped,
};

/* --- packets from the stack --- */

/* Deliver outside of the fabric: at once, without links. */
static void lfab_free_one(struct lfab_fabric *fabric, u32 src, u32 dst, struct sk_buff *skb,
			  u64 now)
{
	fabric->slot[src].free_tx++;
	skb_orphan(skb);
	if (lfab_give(fabric, src, dst, skb, now))
		fabric->slot[dst].free_rx++;
}

static void lfab_free_all(struct lfab_fabric *fabric, u32 src, struct sk_buff *skb, u64 now)
{
	struct sk_buff *copy;
	u32 dst;

	fabric->slot[src].free_tx++;
	for (dst = 0; dst < fabric->model.ports; dst++) {
		if (dst == src || !fabric->slot[dst].up)
			continue;
		copy = skb_clone(skb, GFP_ATOMIC);
		if (!copy) {
			fabric->slot[src].drops[LFAB_DROP_NO_MEMORY]++;
			continue;
		}
		if (lfab_give(fabric, src, dst, copy, now))
			fabric->slot[dst].free_rx++;
	}
	dev_consume_skb_any(skb);
}

static void lfab_send(struct lfab_fabric *fabric, struct lfab_packet *packet, struct sk_buff *skb,
		      u64 now)
{
	struct lfab_slot *slot = &fabric->slot[packet->src];
	struct netdev_queue *txq = netdev_get_tx_queue(slot->dev, packet->queue);

	packet->data = skb;
	netdev_tx_sent_queue(txq, skb->len);
	if (++slot->ring[packet->queue] >= fabric->config.ring) {
		netif_tx_stop_queue(txq);
		slot->stops++;
	}
	if (lfab_launch_hold(fabric, packet, skb, now))
		return;
	lfab_model_send(&fabric->model, packet, now);
	lfab_model_run(&fabric->model, now, LFAB_WORK_MAX);
}

/* Of @path it has room for as many links as it needs: then most packets take 256 bytes. */
static struct lfab_packet *lfab_new_packet(const u32 *path)
{
	size_t head = offsetof(struct lfab_packet, path), bytes = lfab_path_bytes(path);
	struct lfab_packet *packet = kmalloc(head + bytes, GFP_ATOMIC);

	if (!packet)
		return NULL;
	memset(packet, 0, head);
	memcpy(packet->path, path, bytes);
	return packet;
}

/* A packet from one port to another: over the links of its path, beside them, or dropped */
static void lfab_unicast(struct lfab_fabric *fabric, u32 src, u32 dst, struct sk_buff *skb,
			 u64 now)
{
	const struct lfab_model *model = &fabric->model;
	const u32 *path = lfab_path(fabric, src, dst);
	struct lfab_packet *packet;
	u32 wire = skb->len + model->overhead;

	if (!path && fabric->config.unrouted == LIQUID_LAB_UNROUTED_FREE) {
		lfab_free_one(fabric, src, dst, skb, now);
		return;
	}
	if (!path) {
		lfab_count_drop(fabric, src, skb, LFAB_DROP_NO_ROUTE);
		return;
	}
	if (model->switching == LFAB_CUT_THROUGH && wire > model->buffer_bytes) {
		lfab_count_drop(fabric, src, skb, LFAB_DROP_TOO_BIG);
		return;
	}
	packet = lfab_new_packet(path);
	if (!packet) {
		lfab_count_drop(fabric, src, skb, LFAB_DROP_NO_MEMORY);
		return;
	}
	packet->wire = wire;
	packet->src = src;
	packet->dst = dst;
	packet->queue = skb_get_queue_mapping(skb);
	lfab_send(fabric, packet, skb, now);
}

static void lfab_route(struct lfab_fabric *fabric, u32 src, struct sk_buff *skb, u64 now)
{
	const struct ethhdr *header = (const struct ethhdr *)skb->data;
	u32 dst;

	if (is_multicast_ether_addr(header->h_dest))
		lfab_free_all(fabric, src, skb, now);
	else if (lfab_is_port_address(fabric, header->h_dest, &dst))
		lfab_unicast(fabric, src, dst, skb, now);
	else
		lfab_count_drop(fabric, src, skb, LFAB_DROP_NO_PORT);
}

/* Take as long as a test has asked for. */
static void lfab_stall(void)
{
	u64 until = ktime_get_ns() + min_t(u64, READ_ONCE(lfab_stall_ns), LFAB_STALL_MAX);

	while (ktime_get_ns() < until)
		cpu_relax();
}

netdev_tx_t lfab_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct lfab_netdev *priv = netdev_priv(dev);
	struct lfab_fabric *fabric = priv->fabric;
	u64 now;

	skb_tx_timestamp(skb);
	if (unlikely(READ_ONCE(lfab_stall_ns)))
		lfab_stall();
	spin_lock(&fabric->lock);
	now = lfab_enter(fabric);
	if (!fabric->slot[priv->port].up)
		lfab_count_drop(fabric, priv->port, skb, LFAB_DROP_DOWN);
	else if (!pskb_may_pull(skb, ETH_HLEN))
		lfab_count_drop(fabric, priv->port, skb, LFAB_DROP_TOO_BIG);
	else
		lfab_route(fabric, priv->port, skb, now);
	lfab_leave(fabric);
	spin_unlock(&fabric->lock);
	return NETDEV_TX_OK;
}
