// SPDX-License-Identifier: GPL-2.0-only
/* Module: registration, the fabrics of each network namespace, sockets that close */
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/rtnetlink.h>

#include "fabric.h"

static unsigned int lfab_net_id;

struct lfab_net *lfab_net_of(const struct net *net)
{
	return net_generic(net, lfab_net_id);
}

struct lfab_fabric *lfab_fabric_find(const struct net *net, const char *name)
{
	struct lfab_fabric *fabric;

	ASSERT_RTNL();
	list_for_each_entry(fabric, &lfab_net_of(net)->fabrics, list) {
		if (!strcmp(fabric->config.name, name))
			return fabric;
	}
	return NULL;
}

void lfab_fabric_list(const struct net *net, struct lfab_fabric *fabric)
{
	struct lfab_net *own = lfab_net_of(net);

	ASSERT_RTNL();
	list_add_tail(&fabric->list, &own->fabrics);
	own->seq++;
}

void lfab_fabric_delete(const struct net *net, struct lfab_fabric *fabric)
{
	LIST_HEAD(kill);

	ASSERT_RTNL();
	list_del(&fabric->list);
	lfab_net_of(net)->seq++;
	lfab_fabric_close(fabric, &kill);
	unregister_netdevice_many(&kill);
	lfab_fabric_put(fabric);
}

static int __net_init lfab_net_init(struct net *net)
{
	struct lfab_net *own = lfab_net_of(net);

	INIT_LIST_HEAD(&own->fabrics);
	INIT_LIST_HEAD(&own->stages);
	own->seq = 1;	/* a dump ignores 0 */
	return 0;
}

/*
 * A namespace's fabrics are removed with it, and their ports in all namespaces. At unload so are
 * transactions of sockets that are still open.
 */
static void __net_exit lfab_net_exit(struct net *net)
{
	struct lfab_net *own = lfab_net_of(net);
	struct lfab_fabric *fabric, *next;

	rtnl_lock();
	list_for_each_entry_safe(fabric, next, &own->fabrics, list)
		lfab_fabric_delete(net, fabric);
	rtnl_unlock();
	lfab_stage_release_all(net);
}

static struct pernet_operations lfab_net_ops = {
	.init	= lfab_net_init,
	.exit	= lfab_net_exit,
	.id	= &lfab_net_id,
	.size	= sizeof(struct lfab_net),
};

static int lfab_netlink_event(struct notifier_block *block, unsigned long event, void *ptr)
{
	struct netlink_notify *notify = ptr;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC)
		lfab_stage_release(notify->net, notify->portid);
	return NOTIFY_DONE;
}

static struct notifier_block lfab_netlink_notifier = {
	.notifier_call = lfab_netlink_event,
};

/* The family comes last, since requests may come as soon as it is there. */
static int __init lfab_module_init(void)
{
	int err = register_pernet_device(&lfab_net_ops);

	if (err)
		return err;
	err = rtnl_link_register(&lfab_link_ops);
	if (err)
		goto pernet;
	err = netlink_register_notifier(&lfab_netlink_notifier);
	if (err)
		goto link;
	err = lfab_netlink_init();
	if (!err)
		return 0;
	netlink_unregister_notifier(&lfab_netlink_notifier);
link:
	rtnl_link_unregister(&lfab_link_ops);
pernet:
	unregister_pernet_device(&lfab_net_ops);
	return err;
}

/* Fabrics hold no reference to the module: they are removed with it. */
static void __exit lfab_module_exit(void)
{
	lfab_netlink_exit();
	netlink_unregister_notifier(&lfab_netlink_notifier);
	unregister_pernet_device(&lfab_net_ops);
	rtnl_link_unregister(&lfab_link_ops);
}

module_init(lfab_module_init);
module_exit(lfab_module_exit);

MODULE_DESCRIPTION("Net devices joined by a simulated coarse-grained fabric");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.2.0");
MODULE_ALIAS_GENL_FAMILY(LIQUID_LAB_GENL_NAME);
