// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gates of a device with several TX queues
 *
 * The root is the device's qdisc: it has configuration, lease and events, and no packets. Each TX
 * queue has its own qdisc, a child, as with mq. A child is a gate: it has a lock, queues, a
 * timer and a short path, and finds frames by itself. Children share the table, the schedules, and
 * &struct liquid_shared. A device with one TX queue has a root alone.
 *
 * A packet stays in the TX queue that the core and the driver chose: the class of its traffic, a
 * queue with time stamps, or a CPU's own queue remain what they are, and so does the order of a
 * flow's packets. So a destination may have packets in any child. All of them send in its frames.
 */
#include <linux/slab.h>

#include "frames/clock.h"
#include "packets/family.h"
#include "packets/handover.h"
#include "frames/launch.h"
#include "lock.h"
#include "packets/qdisc.h"
#include "packets/queue.h"
#include "frames/schedule.h"
#include "packets/table.h"

/*
 * A destination has an element for each child: further TX queues share the children. More of them
 * than processors would gain little.
 */
#define LIQUID_CHILDREN_MAX	64
#define LIQUID_CHILDREN_FEW	8	/* children that any machine may have */

/*
 * The root's lock and its children's locks are taken together. Locks of one class with the root's
 * around them are one to lockdep, which could not follow as many as there may be.
 */
static struct lock_class_key liquid_child_lock;

/* What @gate shares while it sends is in @root. */
static void liquid_share(struct liquid_gate *gate, struct liquid_gate *root)
{
	gate->family.root = root;
	gate->shared = &root->own;
	gate->link_budget.credit = &root->own.control_credit;
	gate->control_budget.credit = &root->own.control_credit;
	gate->reserve.credit = &root->own.reserve_credit;
}

/* Initialize a gate that is its own root. */
int liquid_gate_init(struct liquid_gate *gate)
{
	gate->link_control.id = LIQUID_NONE;
	gate->control.id = LIQUID_NONE;
	gate->unsched.id = LIQUID_NONE;
	gate->sorting.queue.id = LIQUID_NONE;
	gate->frame.id = LIQUID_NONE;
	liquid_share(gate, gate);
	gate->run.txq = -1;
	liquid_pass_init(gate);
	gate->release_end = LIQUID_TIME_NEVER;
	gate->tai_offset = liquid_tai_offset();
	atomic64_set(&gate->own.tai_offset, gate->tai_offset);
	atomic64_set(&gate->own.refilled, S64_MIN);
	atomic64_set(&gate->own.used, S64_MIN);
	gate->link.limit = LIQUID_TIME_NEVER;
	gate->link.joined = S64_MIN;
	gate->link.turn = LIQUID_TIME_NEVER;
	gate->handover.from = LIQUID_TIME_NEVER;
	gate->frame.latest = LIQUID_TIME_NEVER;
	gate->expiry.checked = jiffies;
	qdisc_watchdog_init(&gate->wait.timer, liquid_sch(gate));
	gate->ready = kvcalloc(LIQUID_READY_WORDS, sizeof(long), LIQUID_GFP);
	return gate->ready ? 0 : -ENOMEM;
}

/* The data path does not run. Dumps may still read the schedules under RCU. */
void liquid_gate_destroy(struct liquid_gate *gate)
{
	qdisc_watchdog_cancel(&gate->wait.timer);
	if (gate->ready)
		liquid_gate_purge(gate);
	kvfree(gate->ready);
	gate->ready = NULL;
	liquid_sched_put(rcu_replace_pointer(gate->oper, NULL, lockdep_rtnl_is_held()));
	liquid_sched_put(rcu_replace_pointer(gate->admin, NULL, lockdep_rtnl_is_held()));
}

static int liquid_child_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	return liquid_gate_init(qdisc_priv(sch));
}

static void liquid_child_destroy(struct Qdisc *sch)
{
	liquid_gate_destroy(qdisc_priv(sch));
}

/* Not registered: only a root makes children. */
static struct Qdisc_ops liquid_child_ops __read_mostly = {
	.id			= LIQUID_QDISC_KIND,
	.priv_size		= sizeof(struct liquid_gate),
	.enqueue		= liquid_enqueue,
	.dequeue		= liquid_dequeue,
	.peek			= qdisc_peek_dequeued,
	.init			= liquid_child_init,
	.reset			= liquid_reset,
	.destroy		= liquid_child_destroy,
	.owner			= THIS_MODULE,
};

/* Make child @index of @root. */
static struct liquid_gate *liquid_child_make(struct liquid_gate *root, u32 index,
					     struct netlink_ext_ack *extack)
{
	struct Qdisc *sch = liquid_sch(root);
	u32 parent = TC_H_MAKE(TC_H_MAJ(sch->handle), TC_H_MIN(index + 1));
	struct liquid_gate *gate;

	sch = qdisc_create_dflt(netdev_get_tx_queue(qdisc_dev(sch), index), &liquid_child_ops,
				parent, extack);
	if (!sch)
		return NULL;
	sch->flags |= TCQ_F_NOPARENT;
	lockdep_set_class(qdisc_lock(sch), &liquid_child_lock);
	gate = qdisc_priv(sch);
	liquid_share(gate, root);
	gate->family.index = index;
	gate->table = root->table;
	liquid_gate_restart(gate);
	return gate;
}

/* Make the children of @root, if its device uses several TX queues. */
int liquid_family_make(struct liquid_gate *root, struct netlink_ext_ack *extack)
{
	struct net_device *dev = qdisc_dev(liquid_sch(root));
	struct liquid_family *family = &root->family;
	u32 children = clamp_t(u32, num_possible_cpus(), LIQUID_CHILDREN_FEW, LIQUID_CHILDREN_MAX);

	children = min_t(u32, children, dev->real_num_tx_queues);
	if (children < 2)
		return 0;
	while (children-- > 0) {
		struct liquid_gate *gate = liquid_child_make(root, children, extack);

		if (!gate)
			return -ENOMEM;
		gate->family.next = family->next;
		family->next = gate;
		family->children++;
	}
	liquid_family_set_txqs(liquid_sch(root), dev->real_num_tx_queues);
	return 0;
}

/* Give the TX queues of the device their qdiscs: a child each, in turn, or the root. */
void liquid_family_attach(struct Qdisc *sch)
{
	struct liquid_gate *root = qdisc_priv(sch);
	struct net_device *dev = qdisc_dev(sch);
	struct liquid_gate *gate = NULL;
	struct Qdisc *old;
	u32 i;

	for (i = 0; i < dev->num_tx_queues; i++) {
		gate = gate && gate->family.next ? gate->family.next : liquid_first(root);
		qdisc_refcount_inc(liquid_sch(gate));
		old = dev_graft_qdisc(netdev_get_tx_queue(dev, i), liquid_sch(gate));
		if (old)
			qdisc_put(old);
	}
	root->launch.attached = true;
	liquid_launch_update(root);
}

/*
 * Of @txqs TX queues the gate serves its own alone. One whose own is not used any more has packets
 * for another.
 */
static bool liquid_has_one_txq(const struct liquid_gate *gate, u32 txqs)
{
	return gate->family.index < txqs &&
	       gate->family.index + gate->family.root->family.children >= txqs;
}

/*
 * Packets of @queue for TX queues that are not the gate's among @txqs get one that is, or any, if
 * it has none.
 */
static void liquid_queue_set_txqs(const struct liquid_gate *gate, struct liquid_queue *queue,
				  u32 txqs)
{
	u32 children = max(gate->family.root->family.children, 1U), txq;
	struct sk_buff *skb;

	for (skb = queue->head; skb; skb = skb->next) {
		txq = skb_get_queue_mapping(skb);
		if (txq >= txqs || (gate->family.index < txqs &&
				    txq % children != gate->family.index))
			skb_set_queue_mapping(skb, gate->family.index % txqs);
	}
}

/* For all packets of the gate; and set the flag of the core if they have a TX queue in common. */
static void liquid_gate_set_txqs(struct liquid_gate *gate, u32 txqs)
{
	u32 id;

	liquid_assert_root_lock(gate);
	liquid_queue_set_txqs(gate, &gate->link_control, txqs);
	liquid_queue_set_txqs(gate, &gate->control, txqs);
	liquid_queue_set_txqs(gate, &gate->unsched, txqs);
	liquid_queue_set_txqs(gate, &gate->sorting.queue, txqs);
	for (id = liquid_ready_next(gate, 0); id != LIQUID_NONE;
	     id = liquid_ready_next(gate, id + 1))
		liquid_queue_set_txqs(gate, &liquid_own(gate, gate->table->dest[id])->queue, txqs);
	if (gate->family.root == gate)
		return;
	if (liquid_has_one_txq(gate, txqs))
		liquid_sch(gate)->flags |= TCQ_F_ONETXQUEUE;
	else
		liquid_sch(gate)->flags &= ~TCQ_F_ONETXQUEUE;
}

/*
 * The device uses @txqs TX queues from now on: a child may have several, or one. If it has had
 * several, packets may still arrive for those that go. The core waits until none does any more, and
 * resets the child then.
 */
void liquid_family_set_txqs(struct Qdisc *sch, unsigned int txqs)
{
	struct liquid_gate *root = qdisc_priv(sch);
	u32 before = qdisc_dev(sch)->real_num_tx_queues;
	struct liquid_gate *gate;

	liquid_lock_flush(root);
	for (gate = root->family.next; gate; gate = gate->family.next) {
		gate->run.txq = -1;
		if (!liquid_has_one_txq(gate, txqs))
			liquid_sch(gate)->flags &= ~TCQ_F_ONETXQUEUE;
		else if (txqs >= before)
			liquid_gate_set_txqs(gate, txqs);
	}
	liquid_unlock(root);
	liquid_launch_renew_later(root);
}

/*
 * The core resets the qdiscs of TX queues that are not used any more, but the device is up: keep
 * the packets. Requeued packets it drops, and then it sets the lengths that it sees to 0: the
 * next dequeue adds them again (kept). Until then no packet takes the short path.
 */
void liquid_family_keep(struct liquid_gate *gate)
{
	struct Qdisc *sch = liquid_sch(gate);

	liquid_assert_root_lock(gate);
	liquid_pass_stop(gate, ktime_get_ns());
	liquid_handover_end(gate);
	liquid_gate_set_txqs(gate, qdisc_dev(sch)->real_num_tx_queues);
	liquid_count_kept(gate);
	liquid_count_reset(gate, sch->q.qlen - gate->qlen);
	gate->run.txq = -1;
	gate->wait.wake = 0;
	gate->kept_qlen = gate->qlen;
	gate->kept_backlog = gate->backlog;
	gate->usual = ~gate->requeues;	/* so that dequeue calls liquid_dequeue_rare() */
	__netif_schedule(sch);
}

/* Make the root's own counters of tc the sums of its children's; one lock at a time. */
void liquid_family_sum(struct liquid_gate *root)
{
	struct gnet_stats_queue qstats = {};
	struct Qdisc *sch = liquid_sch(root);
	u64 packets = 0, bytes = 0;
	struct liquid_gate *gate;
	u32 qlen = 0;

	ASSERT_RTNL();
	for (gate = root->family.next; gate; gate = gate->family.next) {
		const struct Qdisc *child = liquid_sch(gate);

		liquid_lock_gate(gate);
		packets += u64_stats_read(&child->bstats.packets);
		bytes += u64_stats_read(&child->bstats.bytes);
		qlen += child->q.qlen;
		qstats.backlog += child->qstats.backlog;
		qstats.drops += child->qstats.drops;
		qstats.requeues += child->qstats.requeues;
		qstats.overlimits += child->qstats.overlimits;
		liquid_unlock_gate(gate);
	}
	liquid_lock_gate(root);
	if (root->family.children) {
		u64_stats_set(&sch->bstats.packets, packets);
		u64_stats_set(&sch->bstats.bytes, bytes);
		sch->q.qlen = qlen;
		sch->qstats = qstats;
	}
	liquid_unlock_gate(root);
}

/*
 * The root is being destroyed, but TX queues of the device, which is deactivated, may still refer
 * to children. Empty these, and let them refer to nothing of the root.
 */
void liquid_family_end(struct liquid_gate *root)
{
	struct liquid_gate *gate;

	while ((gate = root->family.next)) {
		root->family.next = gate->family.next;
		root->family.children--;
		spin_lock_bh(qdisc_lock(liquid_sch(gate)));
		liquid_gate_purge(gate);
		liquid_share(gate, gate);
		gate->family.next = NULL;
		gate->table = NULL;
		gate->requeues = liquid_sch(gate)->qstats.requeues;
		spin_unlock_bh(qdisc_lock(liquid_sch(gate)));
		qdisc_put(liquid_sch(gate));
	}
}
