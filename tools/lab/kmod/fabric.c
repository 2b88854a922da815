// SPDX-License-Identifier: GPL-2.0-only
/* Making and freeing fabrics, and the clock that drives the model */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "fabric.h"

/* --- the clock --- */

static u64 lfab_advance(struct lfab_fabric *fabric, u32 budget)
{
	u64 now = ktime_get_ns(), time;
	bool launched;

	lockdep_assert_held(&fabric->lock);
	launched = lfab_launch_run(fabric, now, budget);
	time = lfab_model_run(&fabric->model, now, launched ? budget : 0);
	if (!launched)
		lfab_launch_next(fabric, &time);
	fabric->late = time < now;
	return time;
}

/*
 * Only the timer drives a late model on: receivers that answer would drive it faster than they
 * receive.
 */
u64 lfab_enter(struct lfab_fabric *fabric)
{
	return lfab_advance(fabric, fabric->late ? 0 : LFAB_WORK_MAX);
}

void lfab_leave(struct lfab_fabric *fabric)
{
	u64 next = U64_MAX;
	bool model = lfab_model_next(&fabric->model, &next);

	lockdep_assert_held(&fabric->lock);
	if (!lfab_launch_next(fabric, &next) && !model)
		return;
	/* A timer in the past would run again and again within the same softirq. */
	next = max(next, ktime_get_ns());
	if (hrtimer_is_queued(&fabric->timer) &&
	    hrtimer_get_expires(&fabric->timer) <= ns_to_ktime(next))
		return;
	hrtimer_start(&fabric->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart lfab_timer(struct hrtimer *timer)
{
	struct lfab_fabric *fabric = container_of(timer, struct lfab_fabric, timer);

	spin_lock(&fabric->lock);
	lfab_advance(fabric, LFAB_WORK_MAX);
	lfab_leave(fabric);
	spin_unlock(&fabric->lock);
	return HRTIMER_NORESTART;
}

/* --- lifetime --- */

const u32 *lfab_path(const struct lfab_fabric *fabric, u32 src, u32 dst)
{
	u32 at;

	lockdep_assert_held(&fabric->lock);
	at = fabric->path_at[(size_t)src * fabric->model.ports + dst];
	return at ? &fabric->path_pool[at - 1 + LFAB_POOL_COUNT] : NULL;
}

static void lfab_fabric_free(struct lfab_fabric *fabric)
{
	u32 i;

	for (i = 0; fabric->slot && i < fabric->model.ports; i++) {
		kfree(fabric->slot[i].host);
		kfree(fabric->slot[i].netns);
	}
	for (i = 0; fabric->label && i < fabric->model.links; i++)
		kfree(fabric->label[i]);
	kvfree(fabric->label);
	kvfree(fabric->slot);
	kvfree(fabric->rings);
	kvfree(fabric->queues);
	kvfree(fabric->lanes);
	kvfree(fabric->model.port);
	kvfree(fabric->model.link);
	kvfree(fabric->path_at);
	kvfree(fabric->path_pool);
	kfree(fabric);
}

static void lfab_fabric_release(struct kref *refs)
{
	struct lfab_fabric *fabric = container_of(refs, struct lfab_fabric, refs);

	spin_lock_bh(&fabric->lock);
	lfab_model_purge(&fabric->model);
	spin_unlock_bh(&fabric->lock);
	hrtimer_cancel(&fabric->timer);
	lfab_fabric_free(fabric);
}

void lfab_fabric_get(struct lfab_fabric *fabric)
{
	kref_get(&fabric->refs);
}

/* May sleep: it may free the fabric. */
void lfab_fabric_put(struct lfab_fabric *fabric)
{
	kref_put(&fabric->refs, lfab_fabric_release);
}

void lfab_fabric_close(struct lfab_fabric *fabric, struct list_head *kill)
{
	u32 i;

	ASSERT_RTNL();
	for (i = 0; i < fabric->model.ports; i++) {
		if (fabric->slot[i].dev)
			unregister_netdevice_queue(fabric->slot[i].dev, kill);
	}
}

/* --- making --- */

static int lfab_fabric_alloc(struct lfab_fabric *fabric, const struct lfab_stage *stage)
{
	size_t queues = (size_t)stage->ports * stage->config.queues;

	fabric->slot = kvcalloc(stage->ports, sizeof(*fabric->slot), GFP_KERNEL_ACCOUNT);
	fabric->rings = kvcalloc(queues, sizeof(*fabric->rings), GFP_KERNEL_ACCOUNT);
	fabric->queues = kvcalloc(queues, sizeof(*fabric->queues), GFP_KERNEL_ACCOUNT);
	fabric->lanes = kvcalloc(stage->lanes, sizeof(*fabric->lanes), GFP_KERNEL_ACCOUNT);
	fabric->label = kvcalloc(stage->links, sizeof(*fabric->label), GFP_KERNEL_ACCOUNT);
	fabric->model.port = kvcalloc(stage->ports, sizeof(*fabric->model.port),
				      GFP_KERNEL_ACCOUNT);
	fabric->model.link = kvcalloc(stage->links, sizeof(*fabric->model.link),
				      GFP_KERNEL_ACCOUNT);
	if (!fabric->slot || !fabric->rings || !fabric->queues || !fabric->lanes ||
	    !fabric->label || !fabric->model.port || !fabric->model.link)
		return -ENOMEM;
	return 0;
}

static int lfab_fabric_number(struct lfab_fabric *fabric, const struct net *net,
			      struct netlink_ext_ack *extack)
{
	DECLARE_BITMAP(used, LIQUID_LAB_FABRICS_MAX + 1) = { 1 };
	const struct lfab_fabric *other;
	u32 id;

	ASSERT_RTNL();
	list_for_each_entry(other, &lfab_net_of(net)->fabrics, list)
		__set_bit(other->id, used);
	id = find_first_zero_bit(used, LIQUID_LAB_FABRICS_MAX + 1);
	if (id > LIQUID_LAB_FABRICS_MAX) {
		NL_SET_ERR_MSG(extack, "too many fabrics in this network namespace: remove one");
		return -ENOSPC;
	}
	fabric->id = id;
	return 0;
}

static void lfab_fabric_set_model(struct lfab_fabric *fabric, const struct lfab_stage *stage)
{
	const struct lfab_config *config = &stage->config;
	struct lfab_model *model = &fabric->model;
	u32 i;

	model->ops = &lfab_model_ops;
	model->switching = config->switching;
	model->voq = config->switch_queues == LIQUID_LAB_VOQ;
	model->fifo = config->switch_queues == LIQUID_LAB_FIFO;
	model->rate_bps = config->rate_bps;
	model->overhead = config->overhead;
	model->hop_ns = config->hop_ns;
	model->worm_bytes = config->worm_bytes;
	model->buffer_bytes = config->buffer_bytes;
	model->queues = config->queues;
	for (i = 0; i < stage->links; i++) {
		model->link[i].capacity = stage->link[i].capacity;
		model->link[i].to_switch = stage->link[i].to_switch;
	}
	model->ports = stage->ports;
	model->links = stage->links;
	lfab_model_init(model, fabric->queues, fabric->lanes);
}

/* Move the paths and texts of the transaction to the fabric; a second call moves them back. */
static void lfab_fabric_take(struct lfab_fabric *fabric, struct lfab_stage *stage)
{
	u32 i;

	swap(fabric->path_at, stage->path_at);
	swap(fabric->path_pool, stage->pool);
	for (i = 0; i < stage->links; i++)
		swap(fabric->label[i], stage->link[i].label);
	for (i = 0; i < stage->ports; i++) {
		swap(fabric->slot[i].host, stage->port[i].host);
		swap(fabric->slot[i].netns, stage->port[i].netns);
	}
}

/*
 * Packets have copies of their paths, so nothing reads the old ones any more once the lock is given
 * back. The model is not touched: it sees what is sent from now on.
 */
void lfab_fabric_reroute(struct lfab_fabric *fabric, struct lfab_stage *stage)
{
	ASSERT_RTNL();
	spin_lock_bh(&fabric->lock);
	swap(fabric->path_at, stage->path_at);
	swap(fabric->path_pool, stage->pool);
	spin_unlock_bh(&fabric->lock);
	swap(fabric->paths, stage->paths);
}

static int lfab_fabric_make_devices(struct lfab_fabric *fabric, const struct lfab_stage *stage,
				    struct netlink_ext_ack *extack)
{
	LIST_HEAD(kill);
	u32 i;

	for (i = 0; i < stage->ports; i++) {
		struct lfab_slot *slot = &fabric->slot[i];
		struct net_device *dev;

		slot->ring = fabric->rings + (size_t)i * stage->config.queues;
		memcpy(slot->ifname, stage->port[i].ifname, IFNAMSIZ);
		dev = lfab_device_make(fabric, i, stage->port[i].net, extack);
		if (IS_ERR(dev)) {
			lfab_fabric_close(fabric, &kill);
			unregister_netdevice_many(&kill);
			return PTR_ERR(dev);
		}
	}
	return 0;
}

struct lfab_fabric *lfab_fabric_make(struct net *net, struct lfab_stage *stage,
				     struct netlink_ext_ack *extack)
{
	struct lfab_fabric *fabric = kzalloc(sizeof(*fabric), GFP_KERNEL_ACCOUNT);
	int err;

	ASSERT_RTNL();
	if (!fabric)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&fabric->lock);
	INIT_LIST_HEAD(&fabric->held);
	kref_init(&fabric->refs);
	hrtimer_setup(&fabric->timer, lfab_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	fabric->config = stage->config;
	fabric->born = ktime_get_ns();
	fabric->paths = stage->paths;
	err = lfab_fabric_number(fabric, net, extack);
	if (!err)
		err = lfab_fabric_alloc(fabric, stage);
	if (err) {
		lfab_fabric_free(fabric);
		return ERR_PTR(err);
	}
	lfab_fabric_set_model(fabric, stage);
	lfab_fabric_take(fabric, stage);
	err = lfab_fabric_make_devices(fabric, stage, extack);
	if (err) {
		lfab_fabric_take(fabric, stage);	/* back */
		lfab_fabric_put(fabric);
		return ERR_PTR(err);
	}
	return fabric;
}
