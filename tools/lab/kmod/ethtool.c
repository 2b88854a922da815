// SPDX-License-Identifier: GPL-2.0-only
/* What ethtool shows of a port */
#include <linux/ethtool.h>
#include <linux/math64.h>

#include "fabric.h"

static const char lfab_strings[][ETH_GSTRING_LEN] = {
	"tx_packets", "tx_bytes", "rx_packets", "rx_bytes", "worms", "hol_ns", "stops",
	"free_tx_packets", "free_rx_packets", "drop_no_port", "drop_no_route", "drop_too_big",
	"drop_full", "drop_deadlock", "drop_down", "drop_peer_down", "drop_no_memory",
	"drop_rx_full", "drop_link_down",
};

static void lfab_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	strscpy(info->driver, LIQUID_LAB_KIND, sizeof(info->driver));
	strscpy(info->bus_info, priv->fabric->config.name, sizeof(info->bus_info));
}

static void lfab_get_channels(struct net_device *dev, struct ethtool_channels *channels)
{
	channels->max_rx = 1;
	channels->rx_count = 1;
	channels->max_tx = dev->num_tx_queues;
	channels->tx_count = dev->real_num_tx_queues;
}

/* As many drivers do, it makes its rings anew, and forgets what they were told. */
static int lfab_set_channels(struct net_device *dev, struct ethtool_channels *channels)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	if (channels->rx_count != 1 || !channels->tx_count)
		return -EINVAL;
	lfab_launch_forget(priv->fabric, priv->port);
	return netif_set_real_num_tx_queues(dev, channels->tx_count);
}

static int lfab_get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	/* whole Mbit/s */
	settings->base.speed = div_u64(priv->fabric->config.rate_bps, 1000000);
	settings->base.duplex = DUPLEX_FULL;
	settings->base.port = PORT_OTHER;
	return 0;
}

static void lfab_get_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			       struct kernel_ethtool_ringparam *kernel_ring,
			       struct netlink_ext_ack *extack)
{
	struct lfab_netdev *priv = netdev_priv(dev);

	ring->tx_max_pending = priv->fabric->config.ring;
	ring->tx_pending = priv->fabric->config.ring;
}

static int lfab_get_sset_count(struct net_device *dev, int set)
{
	return set == ETH_SS_STATS ? ARRAY_SIZE(lfab_strings) : -EOPNOTSUPP;
}

static void lfab_get_strings(struct net_device *dev, u32 set, u8 *data)
{
	if (set == ETH_SS_STATS)
		memcpy(data, lfab_strings, sizeof(lfab_strings));
}

static void lfab_get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	struct lfab_netdev *priv = netdev_priv(dev);
	struct lfab_fabric *fabric = priv->fabric;
	const struct lfab_slot *slot = &fabric->slot[priv->port];
	const struct lfab_port *port = &fabric->model.port[priv->port];
	int reason;

	BUILD_BUG_ON(ARRAY_SIZE(lfab_strings) != 9 + LFAB_DROP_REASONS);
	spin_lock_bh(&fabric->lock);
	*data++ = port->sent_packets;
	*data++ = port->sent_bytes;
	*data++ = slot->rx_packets;
	*data++ = slot->rx_bytes;
	*data++ = port->worms;
	*data++ = port->hol_ns;
	*data++ = slot->stops;
	*data++ = slot->free_tx;
	*data++ = slot->free_rx;
	for (reason = 0; reason < LFAB_DROP_REASONS; reason++)
		*data++ = slot->drops[reason];
	spin_unlock_bh(&fabric->lock);
}

const struct ethtool_ops lfab_ethtool_ops = {
#ifdef ETHTOOL_OP_NEEDS_RTNL_SCHANNELS	/* older kernels call all with RTNL */
	.op_needs_rtnl		= ETHTOOL_OP_NEEDS_RTNL_SCHANNELS | ETHTOOL_OP_NEEDS_RTNL_GLINK,
#endif
	.get_drvinfo		= lfab_get_drvinfo,
	.get_channels		= lfab_get_channels,
	.set_channels		= lfab_set_channels,
	.get_link		= ethtool_op_get_link,
	.get_link_ksettings	= lfab_get_link_ksettings,
	.get_ringparam		= lfab_get_ringparam,
	.get_sset_count		= lfab_get_sset_count,
	.get_strings		= lfab_get_strings,
	.get_ethtool_stats	= lfab_get_ethtool_stats,
};
