// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ways past the gate that can be seen on its device
 *
 * What does not enter the device's qdisc meets no gate. A gate cannot prevent that, but say it.
 */
#include <linux/bits.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/vxlan.h>
#include <net/xdp_sock_drv.h>
#include <linux/liquid.h>

#include "netlink/leaks.h"

#define LIQUID_OFFLOADS	(NETIF_F_HW_TC | NETIF_F_HW_ESP | NETIF_F_HW_MACSEC | \
			 NETIF_F_HW_L2FW_DOFFLOAD)

/* Bonds, teams, bridges, VLANs, macvlans and the like have lower devices; a tunnel need not. */
static bool liquid_is_stacked(const struct net_device *dev)
{
	return !list_empty(&dev->adj_list.lower) || netif_is_vxlan(dev);
}

/* An AF_XDP socket is bound to a queue of @dev. */
static bool liquid_has_xsk(struct net_device *dev)
{
	u32 queues = max(dev->real_num_rx_queues, dev->real_num_tx_queues), i;

	for (i = 0; i < queues; i++) {
		if (xsk_get_pool_from_qid(dev, i))
			return true;
	}
	return false;
}

/* Bits by &enum liquid_leak */
u32 liquid_leaks(struct net_device *dev)
{
	u32 leaks = 0;

	ASSERT_RTNL();
	if (liquid_is_stacked(dev))
		leaks |= BIT(LIQUID_LEAK_STACKED);
	if (dev_xdp_prog_count(dev))
		leaks |= BIT(LIQUID_LEAK_XDP);
	if (liquid_has_xsk(dev))
		leaks |= BIT(LIQUID_LEAK_XSK);
	if (dev->features & LIQUID_OFFLOADS)
		leaks |= BIT(LIQUID_LEAK_OFFLOAD);
	if (dev->type == ARPHRD_INFINIBAND)
		leaks |= BIT(LIQUID_LEAK_VERBS);
	return leaks;
}

/* Warn the user who attaches a gate of the gravest way past it. */
void liquid_leaks_note(struct net_device *dev, struct netlink_ext_ack *extack)
{
	u32 leaks = liquid_leaks(dev);

	if (leaks & BIT(LIQUID_LEAK_STACKED))
		NL_SET_ERR_MSG(extack, "the device sends through others, which have no frames: "
			       "attach gates there");
	else if (leaks & BIT(LIQUID_LEAK_XSK))
		NL_SET_ERR_MSG(extack, "AF_XDP sockets send past the gate");
	else if (leaks & BIT(LIQUID_LEAK_XDP))
		NL_SET_ERR_MSG(extack, "an XDP program may send past the gate");
	else if (leaks & BIT(LIQUID_LEAK_OFFLOAD))
		NL_SET_ERR_MSG(extack, "what the device forwards or encrypts by itself "
			       "passes the gate");
	else if (leaks & BIT(LIQUID_LEAK_VERBS))
		NL_SET_ERR_MSG(extack, "the gate holds IPoIB alone: what RDMA sends through the "
			       "same port passes it");
}
