// SPDX-License-Identifier: GPL-2.0-only
/* Module: registration, and notifiers */
#include <linux/module.h>

#include "frames/clock.h"
#include "netlink/config.h"
#include "frames/launch.h"
#include "lock.h"
#include "netlink/netlink.h"
#include "packets/qdisc.h"
#include "frames/schedule.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* The link has come up or changed: use its rate, unless a rate is configured. */
static void liquid_link_changed(struct net_device *dev, struct liquid_gate *root)
{
	struct liquid_gate *gate;
	u64 rate;

	if (root->config.rate_bps)
		return;
	rate = liquid_link_rate(dev);
	if (!rate)	/* unknown: keep the last rate */
		return;
	liquid_lock_flush(root);
	for (gate = root; gate; gate = gate->family.next)
		liquid_gate_set_rate(gate, rate);
	liquid_unlock(root);
}

/* Budgets and limits depend on the size of a full packet. */
static void liquid_mtu_changed(struct liquid_gate *root)
{
	struct liquid_gate *gate;

	liquid_lock_flush(root);
	for (gate = root; gate; gate = gate->family.next)
		liquid_gate_recompute(gate);
	liquid_unlock(root);
	liquid_gate_kick(root);
}

static int liquid_netdev_event(struct notifier_block *block, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct liquid_gate *gate;

	if (event != NETDEV_UP && event != NETDEV_CHANGE && event != NETDEV_CHANGEMTU &&
	    event != NETDEV_DOWN)
		return NOTIFY_DONE;
	gate = liquid_gate_of(dev);
	if (!gate)
		return NOTIFY_DONE;
	if (event == NETDEV_DOWN)
		liquid_launch_pause(gate);
	else if (event == NETDEV_CHANGEMTU)
		liquid_mtu_changed(gate);
	else
		liquid_link_changed(dev, gate);
	if (event == NETDEV_UP)
		liquid_launch_renew(gate);
	return NOTIFY_DONE;
}

/* A socket was closed: drop its transactions. */
static int liquid_netlink_event(struct notifier_block *block, unsigned long event, void *ptr)
{
	struct netlink_notify *notify = ptr;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC)
		liquid_stage_release(notify->net, notify->portid);
	return NOTIFY_DONE;
}

static struct notifier_block liquid_netdev_notifier = {
	.notifier_call = liquid_netdev_event,
};

static struct notifier_block liquid_netlink_notifier = {
	.notifier_call = liquid_netlink_event,
};

/* Notifiers before the qdisc, which needs them; the family last, as it needs the qdisc. */
static int __init liquid_module_init(void)
{
	int err;

	err = register_netdevice_notifier(&liquid_netdev_notifier);
	if (err)
		return err;
	err = netlink_register_notifier(&liquid_netlink_notifier);
	if (err)
		goto netdev;
	err = register_qdisc(&liquid_qdisc_ops);
	if (err)
		goto netlink;
	err = liquid_netlink_init();
	if (!err)
		return 0;
	unregister_qdisc(&liquid_qdisc_ops);
netlink:
	netlink_unregister_notifier(&liquid_netlink_notifier);
netdev:
	unregister_netdevice_notifier(&liquid_netdev_notifier);
	return err;
}

/* No gate is left: each holds the module. Pending RCU callbacks only free memory. */
static void __exit liquid_module_exit(void)
{
	liquid_netlink_exit();
	unregister_qdisc(&liquid_qdisc_ops);
	netlink_unregister_notifier(&liquid_netlink_notifier);
	unregister_netdevice_notifier(&liquid_netdev_notifier);
}

module_init(liquid_module_init);
module_exit(liquid_module_exit);

MODULE_DESCRIPTION("Per-destination timeframes for transmit queues");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.2.0");
MODULE_ALIAS_NET_SCH(LIQUID_QDISC_KIND);
