// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device of IPoIB's shape for the guest, which has no InfiniBand: ARPHRD_INFINIBAND, addresses of
 * 20 bytes, and in front of each packet a header of 4 bytes behind a pseudo header of 20. It sends
 * nothing: packets are captured on their way to it.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_infiniband.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#define TYPE_BYTES	4
#define MTU		2044	/* of a datagram queue pair, with packets of 2 KiB */

static struct net_device *device;

static int ipoib_like_header(struct sk_buff *skb, struct net_device *dev, unsigned short type,
			     const void *to, const void *from, unsigned int bytes)
{
	__be16 *header = skb_push(skb, TYPE_BYTES);

	header[0] = htons(type);
	header[1] = 0;
	memcpy(skb_push(skb, INFINIBAND_ALEN), to ? to : dev->broadcast, INFINIBAND_ALEN);
	return TYPE_BYTES + INFINIBAND_ALEN;
}

static netdev_tx_t ipoib_like_xmit(struct sk_buff *skb, struct net_device *dev)
{
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct header_ops ipoib_like_headers = { .create = ipoib_like_header };
static const struct net_device_ops ipoib_like_ops = { .ndo_start_xmit = ipoib_like_xmit };

static void ipoib_like_setup(struct net_device *dev)
{
	static const u8 everybody[INFINIBAND_ALEN] = {
		0x00, 0xff, 0xff, 0xff, 0xff, 0x12, 0x40, 0x1b
	};
	static const u8 own[INFINIBAND_ALEN] = { 0x80, 0x00, 0x00, 0x01, 0xfe, 0x80 };

	dev->netdev_ops = &ipoib_like_ops;
	dev->header_ops = &ipoib_like_headers;
	dev->type = ARPHRD_INFINIBAND;
	dev->addr_len = INFINIBAND_ALEN;
	dev->hard_header_len = TYPE_BYTES + INFINIBAND_ALEN;
	dev->mtu = MTU;
	dev->max_mtu = MTU;
	dev->tx_queue_len = 256;
	dev->flags |= IFF_BROADCAST | IFF_MULTICAST;
	memcpy(dev->broadcast, everybody, INFINIBAND_ALEN);
	__dev_addr_set(dev, own, INFINIBAND_ALEN);
}

static int __init ipoib_like_init(void)
{
	int err;

	device = alloc_netdev(0, "lqib%d", NET_NAME_ENUM, ipoib_like_setup);
	if (!device)
		return -ENOMEM;
	err = register_netdev(device);
	if (err)
		free_netdev(device);
	return err;
}

static void __exit ipoib_like_exit(void)
{
	unregister_netdev(device);
	free_netdev(device);
}

module_init(ipoib_like_init);
module_exit(ipoib_like_exit);
MODULE_DESCRIPTION("A device of IPoIB's shape, for tests");
MODULE_LICENSE("GPL");
