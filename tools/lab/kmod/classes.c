// SPDX-License-Identifier: GPL-2.0-only
/*
 * Traffic classes, as dcb(8) sets them: packets of a priority use the TX queues of its class. All
 * TX queues but the last, which is for PTP, are divided among the classes.
 */
#include <linux/netdevice.h>
#include <net/dcbnl.h>

#include "fabric.h"

static int lfab_get_ets(struct net_device *dev, struct ieee_ets *ets)
{
	u8 prio;

	ets->ets_cap = IEEE_8021QAZ_MAX_TCS;
	for (prio = 0; prio < IEEE_8021QAZ_MAX_TCS; prio++)
		ets->prio_tc[prio] = netdev_get_prio_tc_map(dev, prio);
	return 0;
}

static int lfab_set_ets(struct net_device *dev, struct ieee_ets *ets)
{
	u16 queues = dev->real_num_tx_queues - 1;
	u8 classes = 1, prio, i;

	ASSERT_RTNL();
	for (prio = 0; prio < IEEE_8021QAZ_MAX_TCS; prio++)
		classes = max_t(u8, classes, ets->prio_tc[prio] + 1);
	if (classes > queues || classes > IEEE_8021QAZ_MAX_TCS)
		return -EINVAL;
	netdev_set_num_tc(dev, classes);
	for (i = 0; i < classes; i++)
		netdev_set_tc_queue(dev, i, queues / classes, i * (queues / classes));
	for (prio = 0; prio < IEEE_8021QAZ_MAX_TCS; prio++)
		netdev_set_prio_tc_map(dev, prio, ets->prio_tc[prio]);
	return 0;
}

const struct dcbnl_rtnl_ops lfab_dcb_ops = {
	.ieee_getets	= lfab_get_ets,
	.ieee_setets	= lfab_set_ets,
};
