/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The differences between kernels, so that the module's own code reads as for the newest.
 *
 * Each file of compat/probes is compiled with the kernel that the module is built for; probed.h has
 * a LIQUID_HAVE_NAME for each that compiles. Version numbers are not asked: vendors backport.
 * Headers that a kernel lacks are in compat/include. Kbuild includes this file before every source.
 */
#ifndef LIQUID_COMPAT_H
#define LIQUID_COMPAT_H

#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/gen_stats.h>
#include <net/gso.h>
#include <net/netdev_lock.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>

#include "probed.h"

/* Kernels without the macro load a qdisc by this alias. */
#ifndef MODULE_ALIAS_NET_SCH
#define MODULE_ALIAS_NET_SCH(id) MODULE_ALIAS("sch_" id)
#endif

#ifndef LIQUID_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *timer),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/* Where this is the only one, it takes no lock. */
#ifndef LIQUID_HAVE_NETIF_GET_LINK_KSETTINGS
#define netif_get_link_ksettings __ethtool_get_link_ksettings
#endif

/* With such a lock a driver says that it holds it. */
#ifdef LIQUID_HAVE_REQUEST_OPS_LOCK
#define liquid_request_ops_lock(dev) ((dev)->request_ops_lock = true)
#else
#define liquid_request_ops_lock(dev) do { } while (0)
#define napi_enable_locked napi_enable
#define napi_disable_locked napi_disable
#endif

#ifndef LIQUID_HAVE_DROP_REASON
enum skb_drop_reason {
	SKB_DROP_REASON_NOT_SPECIFIED,
};

#define kfree_skb_reason(skb, reason) kfree_skb(skb)
#endif

#ifndef LIQUID_HAVE_DROP_REASON_NAMES
#define SKB_DROP_REASON_QDISC_DROP SKB_DROP_REASON_NOT_SPECIFIED
#define SKB_DROP_REASON_PKT_TOO_BIG SKB_DROP_REASON_NOT_SPECIFIED
#define SKB_DROP_REASON_SKB_GSO_SEG SKB_DROP_REASON_NOT_SPECIFIED
#endif

/* There, a qdisc's counters are read and written under its lock alone. */
#ifndef LIQUID_HAVE_GNET_STATS_BASIC_SYNC
#define gnet_stats_copy_basic(dump, cpu, stats, running) \
	gnet_stats_copy_basic(NULL, dump, cpu, stats)
#define gnet_stats_basic_sync gnet_stats_basic_packed
#define u64_stats_read(counter) (*(counter))
#define u64_stats_set(counter, value) (*(counter) = (value))
#endif

#ifndef LIQUID_HAVE_NLA_STRSCPY
#define nla_strscpy nla_strlcpy
#endif

#ifndef LIQUID_HAVE_DEV_CORE_STATS
#define dev_core_stats_rx_dropped_inc(dev) atomic_long_inc(&(dev)->rx_dropped)
#endif

/* 5.10 exports no count; with RTNL a module may look at the device itself. */
#ifndef LIQUID_HAVE_XDP_PROG_COUNT
static inline u8 dev_xdp_prog_count(struct net_device *dev)
{
	u8 count = 0;
	int mode;

	for (mode = 0; mode < __MAX_XDP_MODE; mode++)
		if (dev->xdp_state[mode].prog || dev->xdp_state[mode].link)
			count++;
	return count;
}
#endif

#ifndef LIQUID_HAVE_DQL_MIN_LIMIT
static inline void netdev_queue_set_dql_min_limit(struct netdev_queue *txq, unsigned int limit)
{
#ifdef CONFIG_BQL
	txq->dql.min_limit = limit;
#endif
}
#endif

/* There, a delivery time is of CLOCK_MONOTONIC or not, or it has no clock at all. */
#ifndef LIQUID_HAVE_SKB_CLOCK_TAI
#define SKB_CLOCK_TAI false
#ifndef LIQUID_HAVE_SKB_DELIVERY_TIME
#define skb_set_delivery_time(skb, ns, clock) ((skb)->tstamp = (ns))
#endif
#endif

#ifndef LIQUID_HAVE_NAPI_ADD
#define netif_napi_add(dev, napi, poll) netif_napi_add(dev, napi, poll, NAPI_POLL_WEIGHT)
#endif

/* The definition loses two parameters; a pointer to the function is not touched by this. */
#ifndef LIQUID_HAVE_RINGPARAM_EXTACK
#define lfab_get_ringparam(dev, ring, kernel_ring, extack) lfab_get_ringparam(dev, ring)
#endif

#endif /* LIQUID_COMPAT_H */
