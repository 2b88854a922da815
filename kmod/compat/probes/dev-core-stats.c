// SPDX-License-Identifier: GPL-2.0-only
/* The counters that the core keeps of a device are per processor. */
#include <linux/netdevice.h>

void probe(struct net_device *dev);
void probe(struct net_device *dev)
{
	dev_core_stats_rx_dropped_inc(dev);
}
