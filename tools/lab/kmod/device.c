// SPDX-License-Identifier: GPL-2.0-only
/* A port's net device */
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>
#include <net/rtnetlink.h>

#include "fabric.h"

/* 02:6c:66, the fabric, the port */
#define LFAB_ADDRESS	{ 0x02, 0x6c, 0x66 }
#define LFAB_FEATURES	(NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA)

bool lfab_is_port_address(const struct lfab_fabric *fabric, const u8 *address, u32 *port)
{
	const u8 own[] = LFAB_ADDRESS;

	if (memcmp(address, own, sizeof(own)) || address[3] != fabric->id)
		return false;
	*port = address[4] << 8 | address[5];
	return *port < fabric->model.ports;
}

static void lfab_set_address(struct net_device *dev, const struct lfab_fabric *fabric, u32 port)
{
	u8 address[ETH_ALEN] = LFAB_ADDRESS;

	address[3] = fabric->id;
	address[4] = port >> 8;
	address[5] = port;
	eth_hw_addr_set(dev, address);
}

static struct lfab_slot *lfab_slot_of(struct net_device *dev)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	return &priv->fabric->slot[priv->port];
}

/* Without the fabric's lock: the stack may answer a packet at once. */
static int lfab_poll(struct napi_struct *napi, int budget)
{
	struct lfab_netdev *priv = container_of(napi, struct lfab_netdev, napi);
	struct sk_buff *skb;
	int done = 0;

	while (done < budget) {
		skb = skb_dequeue(&priv->rx);
		if (!skb)
			break;
		skb->protocol = eth_type_trans(skb, napi->dev);
		napi_gro_receive(napi, skb);
		done++;
	}
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

/*
 * A worm goes on only if the next packet is in the ring when one ends. So the byte limits let two
 * of the longest packets into the ring, from the first packet on.
 */
static void lfab_set_byte_limits(struct net_device *dev)
{
	unsigned int two = 2 * (dev->mtu + ETH_HLEN), i;

	for (i = 0; i < dev->num_tx_queues; i++) {
		struct netdev_queue *txq = netdev_get_tx_queue(dev, i);

		netdev_queue_set_dql_min_limit(txq, two);
		/* Its limit follows when bytes are completed, if only one. */
		netdev_tx_sent_queue(txq, 1);
		netdev_tx_completed_queue(txq, 1, 1);
	}
}

static int lfab_open(struct net_device *dev)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	lfab_set_byte_limits(dev);
	napi_enable_locked(&priv->napi);
	spin_lock_bh(&priv->fabric->lock);
	lfab_slot_of(dev)->launch = 0;	/* as drivers do that make new rings */
	lfab_slot_of(dev)->up = true;
	spin_unlock_bh(&priv->fabric->lock);
	netif_tx_start_all_queues(dev);
	netif_carrier_on(dev);
	return 0;
}

/* Drop the packets that wait to leave, and those that the stack has not taken yet. */
static int lfab_stop(struct net_device *dev)
{
	struct lfab_netdev *priv = netdev_priv(dev);
	struct lfab_fabric *fabric = priv->fabric;
	struct sk_buff *skb;
	u64 now;
	u32 i;

	netif_carrier_off(dev);
	netif_tx_disable(dev);
	spin_lock_bh(&fabric->lock);
	now = lfab_enter(fabric);
	lfab_slot_of(dev)->up = false;
	lfab_launch_flush(fabric, priv->port, now);
	lfab_model_down(&fabric->model, priv->port, now);
	lfab_leave(fabric);
	for (i = 0; i < dev->num_tx_queues; i++)
		netdev_tx_reset_queue(netdev_get_tx_queue(dev, i));
	spin_unlock_bh(&fabric->lock);
	napi_disable_locked(&priv->napi);
	while ((skb = skb_dequeue(&priv->rx))) {
		dev_core_stats_rx_dropped_inc(dev);
		kfree_skb(skb);
	}
	return 0;
}

/* The fabric outlives its devices. */
static int lfab_init(struct net_device *dev)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	lfab_fabric_get(priv->fabric);
	spin_lock_bh(&priv->fabric->lock);
	lfab_slot_of(dev)->dev = dev;
	spin_unlock_bh(&priv->fabric->lock);
	return 0;
}

static void lfab_uninit(struct net_device *dev)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	spin_lock_bh(&priv->fabric->lock);
	lfab_slot_of(dev)->dev = NULL;
	spin_unlock_bh(&priv->fabric->lock);
	lfab_fabric_put(priv->fabric);
}

static void lfab_get_stats64(struct net_device *dev, struct rtnl_link_stats64 *stats)
{
	struct lfab_netdev *priv = netdev_priv(dev);
	const struct lfab_slot *slot = lfab_slot_of(dev);
	const struct lfab_port *port;
	int reason;

	spin_lock_bh(&priv->fabric->lock);
	port = &priv->fabric->model.port[priv->port];
	stats->tx_packets = port->sent_packets + slot->free_tx;
	stats->tx_bytes = port->sent_bytes;
	stats->rx_packets = slot->rx_packets + slot->free_rx;
	stats->rx_bytes = slot->rx_bytes;
	for (reason = 0; reason < LFAB_DROP_REASONS; reason++)
		stats->tx_dropped += slot->drops[reason];
	spin_unlock_bh(&priv->fabric->lock);
}

/* As drivers do that keep a TX queue for packets with hardware time stamps: here PTP's, the last */
static u16 lfab_select_queue(struct net_device *dev, struct sk_buff *skb, struct net_device *sb_dev)
{
	u16 last = dev->real_num_tx_queues - 1;

	if (!last || skb->protocol == htons(ETH_P_1588))
		return last;
	return netdev_pick_tx(dev, skb, sb_dev) % last;
}

static const struct net_device_ops lfab_netdev_ops = {
	.ndo_init		= lfab_init,
	.ndo_uninit		= lfab_uninit,
	.ndo_open		= lfab_open,
	.ndo_stop		= lfab_stop,
	.ndo_start_xmit		= lfab_start_xmit,
	.ndo_select_queue	= lfab_select_queue,
	.ndo_setup_tc		= lfab_setup_tc,
	.ndo_get_stats64	= lfab_get_stats64,
	.ndo_validate_addr	= eth_validate_addr,
};

static void lfab_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &lfab_netdev_ops;
	dev->ethtool_ops = &lfab_ethtool_ops;
#ifdef CONFIG_DCB
	dev->dcbnl_ops = &lfab_dcb_ops;
#endif
	dev->rtnl_link_ops = &lfab_link_ops;
	dev->needs_free_netdev = true;
	liquid_request_ops_lock(dev);	/* as drivers of network cards do */
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	/* Netpoll may send from a hard interrupt, but the fabric's lock only keeps softirqs off. */
	dev->priv_flags |= IFF_DISABLE_NETPOLL;
	dev->features |= LFAB_FEATURES;
	dev->hw_features |= LFAB_FEATURES;
	dev->vlan_features |= LFAB_FEATURES;
	dev->min_mtu = LIQUID_LAB_MTU_MIN;
	dev->max_mtu = LIQUID_LAB_MTU_MAX;
}

static void lfab_dellink(struct net_device *dev, struct list_head *head)
{
	unregister_netdevice_queue(dev, head);
}

/* Ports are made with their fabric. One can be deleted alone, also with its namespace. */
struct rtnl_link_ops lfab_link_ops __read_mostly = {
	.kind		= LIQUID_LAB_KIND,
	.dellink	= lfab_dellink,
};

struct net_device *lfab_device_make(struct lfab_fabric *fabric, u32 port, struct net *net,
				    struct netlink_ext_ack *extack)
{
	struct lfab_netdev *priv;
	struct net_device *dev;
	int err;

	ASSERT_RTNL();
	dev = alloc_netdev_mqs(sizeof(*priv), fabric->slot[port].ifname, NET_NAME_USER, lfab_setup,
			       fabric->config.queues, 1);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev_net_set(dev, net);
	dev->mtu = fabric->config.mtu;
	lfab_set_address(dev, fabric, port);
	priv = netdev_priv(dev);
	priv->fabric = fabric;
	priv->port = port;
	skb_queue_head_init(&priv->rx);
	netif_napi_add(dev, &priv->napi, lfab_poll);
	netif_carrier_off(dev);
	netif_tx_stop_all_queues(dev);
	err = register_netdevice(dev);
	if (!err)
		return dev;
	if (err == -EEXIST)
		NL_SET_ERR_MSG(extack,
			       "a port's interface name is in use in its namespace: use another");
	free_netdev(dev);
	return ERR_PTR(err);
}
