// SPDX-License-Identifier: GPL-2.0-only
/* The core shows modules how many XDP programs a device has. */
#include <linux/netdevice.h>

u8 probe(struct net_device *dev);
u8 probe(struct net_device *dev)
{
	return dev_xdp_prog_count(dev);
}
