// SPDX-License-Identifier: GPL-2.0-only
/* get_ringparam() has two more arguments. */
#include <linux/ethtool.h>

void probe(struct net_device *dev, struct ethtool_ringparam *ring,
	   struct kernel_ethtool_ringparam *kernel_ring, struct netlink_ext_ack *extack);

const struct ethtool_ops probe_ops = {
	.get_ringparam = probe,
};
