// SPDX-License-Identifier: GPL-2.0-only
/* __ethtool_get_link_ksettings() takes the device's lock; this one is for who holds it. */
#include <linux/ethtool.h>

int probe(struct net_device *dev, struct ethtool_link_ksettings *settings);
int probe(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	return netif_get_link_ksettings(dev, settings);
}
