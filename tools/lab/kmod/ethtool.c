// SPDX-License-Identifier: GPL-2.0-only
/* What ethtool shows of a port */
#include <linux/ethtool.h>
#include <linux/math64.h>

#include "fabric.h"

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

/* As many drivers do, it makes its rings anew, and forgets their settings. */
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
};
