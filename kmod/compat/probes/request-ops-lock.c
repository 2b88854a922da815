// SPDX-License-Identifier: GPL-2.0-only
/* A driver may ask that its operations are called under the device's lock. */
#include <linux/netdevice.h>

void probe(struct net_device *dev, struct napi_struct *napi);
void probe(struct net_device *dev, struct napi_struct *napi)
{
	dev->request_ops_lock = true;
	napi_enable_locked(napi);
	napi_disable_locked(napi);
}
