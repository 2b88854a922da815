// SPDX-License-Identifier: GPL-2.0-only
/* netif_napi_add() takes a weight no longer. */
#include <linux/netdevice.h>

void probe(struct net_device *dev, struct napi_struct *napi,
	   int (*poll)(struct napi_struct *napi, int budget));
void probe(struct net_device *dev, struct napi_struct *napi,
	   int (*poll)(struct napi_struct *napi, int budget))
{
	netif_napi_add(dev, napi, poll);
}
