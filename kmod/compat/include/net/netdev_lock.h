/* SPDX-License-Identifier: GPL-2.0-only */
/* For kernels without this header: no driver's operations are called under a lock of the device */
#ifndef LIQUID_COMPAT_NET_NETDEV_LOCK_H
#define LIQUID_COMPAT_NET_NETDEV_LOCK_H

#include <linux/netdevice.h>

static inline void netdev_lock_ops(struct net_device *dev)
{
}

static inline void netdev_unlock_ops(struct net_device *dev)
{
}

#endif /* LIQUID_COMPAT_NET_NETDEV_LOCK_H */
