// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gate: the qdisc's slow path, and its life
 *
 * Principles:
 *
 * 1. Time is divided into frames. A frame belongs to one destination or to none. A packet is
 *    released only in a frame of its destination, and only if its transmission ends before the
 *    guard at the end of the frame begins.
 *
 * 2. The gate keeps the time at which the link will have transmitted all released packets
 *    (vfinish), and charges every packet to it. It releases packets only a little ahead of that
 *    time, so that the ring of the device never holds a whole frame.
 *
 * 3. The current frame is derived from the clock by division. The gate sleeps until the next frame
 *    that its backlog can use (wake), but for 10 ms at most: it notices a step of the clock only
 *    when it reads the clock.
 *
 * 4. Control packets go first, in the guard as well, within a budget of bytes a frame. Without them
 *    clocks drift, neighbours are forgotten, and connections wait for cycles to be opened.
 *    Unscheduled packets may use idle frames, and a reserve in other frames. Acknowledgements of
 *    TCP are no control packets where their destination has frames: beside the frames they would
 *    meet the data of other nodes' frames, and hold it up.
 *
 * 5. The core sends packets that it requeued without asking the gate again. Therefore nothing is
 *    released to a stopped device queue, a run has packets of one device queue only, and a requeued
 *    packet that leaves after its frame is counted as late.
 *
 * 6. The cost of a packet does not depend on the number of destinations. A packet touches its place
 *    in the hash table, its destination and the gate.
 *
 * 7. The usual packet finds the gate empty and takes the short path (pass.c). All others are
 *    handled here.
 */
#include <linux/slab.h>

#include "ack-queue.h"
#include "classify.h"
#include "config.h"
#include "destination.h"
#include "lease.h"
#include "lock.h"
#include "notify.h"
#include "packet.h"
#include "pass.h"
#include "qdisc.h"
#include "queue.h"
#include "schedule.h"
#include "table.h"
#include "trace.h"
#include "usual.h"
#include "wake.h"

#define LIQUID_DROP_BATCH	64	/* most packets dropped in one dequeue */
#define LIQUID_RUN_PACKETS	9	/* packets a run, if the device has several queues */

/* What dequeue has chosen */
struct liquid_pick {
	s64 now;		/* ns of CLOCK_MONOTONIC */
	struct liquid_queue *queue; /* its first packet goes next */
	u64 bytes;		/* wire size */
	u64 ns;			/* wire time */
	u32 txq;		/* device queue */
	u32 dropped;		/* packets dropped in this dequeue */
	bool stopped;		/* a device queue was stopped: the core will call again */
	bool again;		/* end the run and be called again: the next packet is for another
				 * device queue, or enough packets were dropped
				 */
};

/* --- enqueue --- */

/* Counter of the limit that another @len bytes in @queue would exceed; 0: none */
static int liquid_over_limit(const struct liquid_gate *gate, const struct liquid_queue *queue,
			     u32 len)
{
	const struct liquid_config *config = &gate->config;

	if (unlikely(queue->qlen >= gate->dest_limit_packets ||
		     queue->backlog + len > gate->dest_limit_bytes))
		return LIQUID_STATS_A_DROP_LIMIT;
	/* A backlog of data must not block control packets. */
	if (unlikely(gate->qlen >= config->limit_packets ||
		     gate->backlog + len > config->limit_bytes) && queue != &gate->control)
		return LIQUID_STATS_A_DROP_TOTAL_LIMIT;
	return 0;
}

static int liquid_refuse(struct liquid_gate *gate, struct liquid_queue *queue, int stat,
			 struct sk_buff *skb, struct sk_buff **to_free)
{
	if (stat == LIQUID_STATS_A_DROP_LIMIT)
		liquid_count(gate, queue, stat, 1);
	else
		gate->stat[stat]++;
	return qdisc_drop(skb, liquid_sch(gate), to_free);
}

/* Bring a schedule into force that is due. Without packets to release, dequeue has not done so. */
static bool liquid_catch_up(struct liquid_gate *gate)
{
	if (!rcu_access_pointer(gate->admin))
		return false;
	liquid_gate_advance(gate, ktime_get_ns());
	return !rcu_access_pointer(gate->admin);
}

/*
 * Queue for @skb, as by liquid_classify(). The address of a usual packet suffices to find it,
 * unless its destination has no frames.
 */
static __always_inline struct liquid_queue *liquid_sort(struct liquid_gate *gate,
							struct sk_buff *skb, bool *ack)
{
	const struct liquid_sched *oper = liquid_oper(gate);
	struct liquid_dest *dest;

	if (likely(gate->pass.len && liquid_is_usual(gate, skb, true))) {
		dest = liquid_usual_dest(gate, skb);
		if (likely(dest && (!oper || liquid_sched_has(oper, dest->queue.id)))) {
			liquid_skb_cb(skb)->id = dest->queue.id;
			*ack = false;
			return &dest->queue;
		}
	}
	return liquid_classify(gate, skb, ack);
}

/* Enqueue any packet. */
int liquid_enqueue_slow(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct liquid_queue *queue;
	s64 now = ktime_get_ns();
	bool ack;
	int stat;

	liquid_flush_passing(gate, now);
again:
	queue = liquid_sort(gate, skb, &ack);
	liquid_skb_cb(skb)->queued = now;
	ack = ack && queue != &gate->control;
	if (unlikely(ack) && liquid_ack_thin(gate, queue, skb))
		goto queued;
	stat = queue ? liquid_over_limit(gate, queue, qdisc_pkt_len(skb)) :
		       LIQUID_STATS_A_DROP_POLICY;
	if (unlikely(stat)) {
		if (liquid_catch_up(gate))	/* the new schedule may allow the packet */
			goto again;
		return liquid_refuse(gate, queue, stat, skb, to_free);
	}
	if (unlikely(ack))
		liquid_ack_add(gate, queue, skb);
	else
		liquid_queue_add(gate, queue, skb);
	gate->last = queue;
	if (gate->qlen == 1)
		gate->wait.wake = 0;
	else if (queue->qlen == 1 && gate->wait.wake)
		liquid_wake_earlier(gate, queue, now);
queued:
	trace_liquid_enqueue(sch, skb, queue->id, gate->qlen);
	return NET_XMIT_SUCCESS;
}

/* --- dequeue: choose a packet --- */

static inline bool liquid_is_stale(const struct liquid_gate *gate, struct sk_buff *skb, s64 now)
{
	s64 horizon = gate->expiry.horizon;

	return horizon && unlikely(now - liquid_skb_cb(skb)->queued > horizon);
}

/* Drop the first packet of @queue; false: enough were dropped in this dequeue. */
static bool liquid_drop_first(struct liquid_gate *gate, struct liquid_queue *queue, int stat,
			      enum skb_drop_reason reason, struct liquid_pick *pick)
{
	if (pick->dropped++ == LIQUID_DROP_BATCH) {
		pick->again = true;
		return false;
	}
	liquid_queue_drop(gate, queue, stat, reason);
	return true;
}

/* The first packet of @queue, after dropping those that have waited too long. */
static struct sk_buff *liquid_head(struct liquid_gate *gate, struct liquid_queue *queue,
				   struct liquid_pick *pick)
{
	while (queue->qlen && liquid_is_stale(gate, queue->head, pick->now)) {
		if (!liquid_drop_first(gate, queue, LIQUID_STATS_A_DROP_HORIZON,
				       SKB_DROP_REASON_QDISC_DROP, pick))
			return NULL;
	}
	return queue->qlen ? queue->head : NULL;
}

/* Drop packets that were queued before the policy became to drop them. */
static void liquid_drop_unsched(struct liquid_gate *gate, struct liquid_pick *pick)
{
	while (gate->unsched.qlen) {
		if (!liquid_drop_first(gate, &gate->unsched, LIQUID_STATS_A_DROP_POLICY,
				       SKB_DROP_REASON_QDISC_DROP, pick))
			return;
	}
}

/*
 * Drop packets that have waited too long in any queue: once a jiffy, a batch of destinations.
 * Queues whose frame never comes need this.
 */
static void liquid_expire(struct liquid_gate *gate, struct liquid_pick *pick)
{
	u32 count, id = gate->expiry.next;

	if (!gate->expiry.horizon || !time_after(jiffies, gate->expiry.checked))
		return;
	gate->expiry.checked = jiffies;
	for (count = 0; count < LIQUID_DROP_BATCH && !pick->again; count++) {
		id = liquid_ready_next(gate, id);
		if (id == LIQUID_NONE)
			break;
		liquid_head(gate, &gate->table->dest[id]->queue, pick);
		id++;
	}
	gate->expiry.next = id == LIQUID_NONE ? 0 : id;
}

/* A packet for device queue @txq may be released in this run. */
static bool liquid_txq_takes(struct liquid_gate *gate, u32 txq, struct liquid_pick *pick)
{
	struct net_device *dev = qdisc_dev(liquid_sch(gate));

	if (unlikely(gate->run.txq >= 0 && gate->run.txq != txq)) {
		pick->again = true;
		return false;
	}
	if (unlikely(netif_xmit_frozen_or_stopped(netdev_get_tx_queue(dev, txq)))) {
		gate->stat[LIQUID_STATS_A_QUEUE_STOPPED]++;
		pick->stopped = true;
		return false;
	}
	return true;
}

static bool liquid_too_big(struct liquid_gate *gate, struct liquid_queue *queue,
			   struct liquid_pick *pick)
{
	return liquid_drop_first(gate, queue, LIQUID_STATS_A_DROP_TOO_BIG,
			      SKB_DROP_REASON_PKT_TOO_BIG, pick);
}

/* Split the first packet of @queue, at most once a frame; true: the queue has changed. */
static bool liquid_split(struct liquid_gate *gate, struct liquid_queue *queue)
{
	if (gate->frame.split == gate->frame.number)
		return false;
	gate->frame.split = gate->frame.number;
	liquid_queue_split(gate, queue);
	return true;
}

/*
 * The first packet of @queue does not fit into the rest of the frame. Drop it if it fits into no
 * frame, split it if a segment fits now; true: the queue has changed.
 */
static bool liquid_make_fit(struct liquid_gate *gate, struct liquid_queue *queue, s64 now,
			    struct liquid_pick *pick)
{
	struct sk_buff *skb = queue->head;
	u64 ns;

	if (gate->frame.mode == LIQUID_MODE_OPEN)
		return false;
	if (!skb_is_gso(skb))
		return pick->ns > gate->frame.room && liquid_too_big(gate, queue, pick);
	ns = liquid_segment_ns(gate, skb);
	if (ns > gate->frame.room)
		return liquid_too_big(gate, queue, pick);
	return liquid_fits(gate, now, ns) && liquid_split(gate, queue);
}

/* @bytes may be charged to @budget (NULL: unlimited). A packet of full size may overdraw it. */
static bool liquid_affords(const struct liquid_gate *gate, const struct liquid_budget *budget,
			   u64 bytes)
{
	return !budget || bytes <= gate->link.packet_bytes || (s64)bytes <= budget->credit;
}

/* Choose the first packet of @queue if the frame and @budget have room for it. */
static bool liquid_offer(struct liquid_gate *gate, struct liquid_queue *queue,
			 const struct liquid_budget *budget, s64 now, struct liquid_pick *pick)
{
	struct sk_buff *skb;

	while ((skb = liquid_head(gate, queue, pick))) {
		pick->bytes = liquid_packet_bytes(gate, skb);
		pick->ns = liquid_wire_ns(&gate->link.rate, pick->bytes);
		if (skb_is_gso(skb) && !liquid_affords(gate, budget, pick->bytes)) {
			if (!liquid_split(gate, queue))
				break;
		} else if (likely(liquid_fits(gate, now, pick->ns))) {
			pick->queue = queue;
			pick->txq = 0;
			return true;
		} else if (!liquid_make_fit(gate, queue, now, pick)) {
			break;
		}
	}
	return false;
}

/* Choose a control packet. It only needs budget: control packets are sent in the guard as well. */
static bool liquid_offer_control(struct liquid_gate *gate, struct liquid_pick *pick)
{
	const struct liquid_budget *budget = &gate->control_budget;
	struct sk_buff *skb;

	if (gate->frame.mode == LIQUID_MODE_OPEN)
		budget = NULL;
	else if (budget->credit <= 0)
		return false;
	while ((skb = liquid_head(gate, &gate->control, pick))) {
		pick->bytes = liquid_packet_bytes(gate, skb);
		if (!skb_is_gso(skb) || liquid_affords(gate, budget, pick->bytes))
			break;
		if (!liquid_split(gate, &gate->control))
			return false;
	}
	if (!skb || !liquid_txq_takes(gate, gate->control_txq, pick))
		return false;
	pick->ns = liquid_wire_ns(&gate->link.rate, pick->bytes);
	pick->queue = &gate->control;
	pick->txq = gate->control_txq;
	return true;
}

/* An idle frame, or any frame after the end of a schedule with LIQUID_THEN_HOLD */
static bool liquid_frame_is_idle(const struct liquid_gate *gate)
{
	return gate->frame.mode != LIQUID_MODE_OPEN && gate->frame.id == LIQUID_NONE;
}

static bool liquid_unsched_allowed(const struct liquid_gate *gate)
{
	bool idle = liquid_frame_is_idle(gate);

	switch (gate->config.policy) {
	case LIQUID_POLICY_SHARE:
		return idle || gate->reserve.credit > 0;
	case LIQUID_POLICY_IDLE:
		return idle;
	case LIQUID_POLICY_ALWAYS:
		return true;
	default:
		return false;
	}
}

/* Without a schedule: destinations round robin, and unscheduled packets once a round. */
static bool liquid_offer_round_robin(struct liquid_gate *gate, s64 now, struct liquid_pick *pick)
{
	struct liquid_queue *queue;
	u32 id;

	while (gate->qlen > gate->control.qlen) {
		id = liquid_ready_next(gate, gate->cursor);
		if (id != LIQUID_NONE) {
			queue = &gate->table->dest[id]->queue;
		} else if (gate->unsched.qlen) {
			queue = &gate->unsched;
		} else {
			gate->cursor = 0;
			continue;
		}
		if (liquid_offer(gate, queue, NULL, now, pick)) {
			gate->cursor = id == LIQUID_NONE ? 0 : id + 1;
			return true;
		}
		if (queue->qlen || pick->again)
			return false;
	}
	return false;
}

/* Choose an unscheduled packet, within the reserve if the policy says so. */
static bool liquid_offer_unsched(struct liquid_gate *gate, s64 now, struct liquid_pick *pick)
{
	const struct liquid_budget *budget = NULL;

	if (gate->config.policy == LIQUID_POLICY_SHARE && !liquid_frame_is_idle(gate))
		budget = &gate->reserve;
	return liquid_offer(gate, &gate->unsched, budget, now, pick);
}

static bool liquid_offer_data(struct liquid_gate *gate, s64 now, struct liquid_pick *pick)
{
	if (gate->frame.mode == LIQUID_MODE_OPEN)
		return liquid_offer_round_robin(gate, now, pick);
	if (gate->unsched.qlen && liquid_unsched_allowed(gate) &&
	    liquid_offer_unsched(gate, now, pick))
		return true;
	return gate->frame.dest && liquid_offer(gate, &gate->frame.dest->queue, NULL, now, pick);
}

/* Choose the next packet to release. */
static bool liquid_choose(struct liquid_gate *gate, s64 now, struct liquid_pick *pick)
{
	if (gate->control.qlen) {
		if (liquid_offer_control(gate, pick))
			return true;
		if (pick->again)
			return false;
	}
	if (gate->unsched.qlen && gate->config.policy == LIQUID_POLICY_DROP)
		liquid_drop_unsched(gate, pick);
	if (gate->qlen == gate->control.qlen || !liquid_txq_takes(gate, 0, pick))
		return false;
	return liquid_offer_data(gate, now, pick);
}

/* --- dequeue: release it --- */

static inline void liquid_count_dest_release(struct liquid_gate *gate, struct liquid_queue *queue,
					     u32 len, s64 queued, s64 now)
{
	struct liquid_dest *dest = container_of(queue, struct liquid_dest, queue);

	dest->packets++;
	dest->bytes += len;
	if (gate->frame.mode == LIQUID_MODE_OPEN)
		return;
	if (!gate->frame.used) {
		gate->frame.used = true;
		liquid_count(gate, queue, LIQUID_STATS_A_FRAMES_USED, 1);
		if (queued < gate->frame.start)
			liquid_hist_note(&gate->lag, now - gate->frame.start, 1);
	}
}

static inline void liquid_count_release(struct liquid_gate *gate, struct liquid_queue *queue,
					struct sk_buff *skb, s64 now)
{
	s64 queued = liquid_skb_cb(skb)->queued;
	u32 len = qdisc_pkt_len(skb);

	liquid_count_wait(gate, queue, max(now - queued, 0LL));
	if (likely(queue->id != LIQUID_NONE)) {
		liquid_count_dest_release(gate, queue, len, queued, now);
	} else if (queue == &gate->control) {
		gate->stat[LIQUID_STATS_A_CONTROL_PACKETS]++;
		gate->stat[LIQUID_STATS_A_CONTROL_BYTES] += len;
	} else {
		gate->stat[LIQUID_STATS_A_UNSCHED_PACKETS]++;
		gate->stat[LIQUID_STATS_A_UNSCHED_BYTES] += len;
	}
}

/*
 * How much the core dequeues in one run, by its own rules. A device with one queue: bytes, and at
 * least one packet. A device with several queues: the first packet and eight more.
 */
static inline s64 liquid_run_room(const struct liquid_gate *gate)
{
	if (liquid_sch(gate)->flags & TCQ_F_ONETXQUEUE)
		return qdisc_avail_bulklimit(gate->txq);
	return LIQUID_RUN_PACKETS;
}

/* Add a packet to the run, or start one: the core does not tell when a run ends. */
static inline void liquid_join_run(struct liquid_gate *gate, u32 txq, u64 ns)
{
	if (gate->run.txq < 0 || gate->run.room <= 0) {
		gate->run.ns = 0;
		gate->run.bytes = 0;
		gate->run.room = liquid_run_room(gate);
	}
	gate->run.txq = txq;
	gate->run.ns += ns;
}

/* Release the first packet of @queue. */
static __always_inline struct sk_buff *liquid_release(struct liquid_gate *gate,
						      struct liquid_queue *queue, s64 now)
{
	struct sk_buff *skb = liquid_queue_take(gate, queue);

	gate->run.bytes += qdisc_pkt_len(skb);
	gate->run.room -= liquid_sch(gate)->flags & TCQ_F_ONETXQUEUE ? skb->len : 1;
	gate->release_id = queue->id;
	gate->release_end = gate->frame.mode == LIQUID_MODE_GATED ? gate->frame.end :
								     LIQUID_TIME_NEVER;
	liquid_count_release(gate, queue, skb, now);
	liquid_count_sch(gate, qdisc_pkt_len(skb), liquid_segments(skb));
	skb_set_queue_mapping(skb, gate->run.txq);
	trace_liquid_dequeue(liquid_sch(gate), skb, queue->id, gate->link.vfinish);
	return skb;
}

static void liquid_charge(struct liquid_gate *gate, const struct liquid_pick *pick, s64 now)
{
	gate->link.vfinish = liquid_vfinish(now, gate->link.vfinish, pick->ns);
	if (gate->frame.mode == LIQUID_MODE_OPEN)
		return;
	if (pick->queue == &gate->control)
		gate->control_budget.credit -= pick->bytes;
	else if (pick->queue == &gate->unsched && gate->frame.id != LIQUID_NONE)
		gate->reserve.credit -= pick->bytes;
}

/* Choose from all queues, or go to sleep; @clocked: a schedule is in force or waiting. */
static noinline struct liquid_queue *liquid_next_of_all(struct liquid_gate *gate, s64 now,
							bool clocked)
{
	struct liquid_pick pick = { .now = now };

	if (liquid_choose(gate, now, &pick)) {
		if (clocked)
			liquid_charge(gate, &pick, now);
		liquid_join_run(gate, pick.txq, pick.ns);
		return pick.queue;
	}
	liquid_expire(gate, &pick);
	if (pick.again)
		__netif_schedule(liquid_sch(gate));
	else if (clocked && gate->qlen)
		liquid_sleep(gate, now, pick.stopped);
	return NULL;
}

/* The checks of device queue and packet that suffice in the common cases below */
static inline bool liquid_can_release(const struct liquid_gate *gate, struct sk_buff *skb, s64 now)
{
	return gate->run.txq <= 0 && !netif_xmit_frozen_or_stopped(gate->txq) &&
	       !liquid_is_stale(gate, skb, now);
}

/* The queue of the frame's destination, if nothing of higher priority waits */
static inline struct liquid_queue *liquid_frame_queue(const struct liquid_gate *gate, s64 now)
{
	struct liquid_dest *dest = gate->frame.dest;

	if (unlikely(!dest || !dest->queue.qlen || gate->control.qlen || gate->unsched.qlen ||
		     !liquid_can_release(gate, dest->queue.head, now)))
		return NULL;
	return &dest->queue;
}

static inline struct liquid_queue *liquid_next(struct liquid_gate *gate, s64 now)
{
	struct liquid_queue *queue;
	u64 ns;

	liquid_gate_advance(gate, now);
	if (liquid_is_asleep(gate, now))
		return NULL;
	queue = liquid_frame_queue(gate, now);
	if (likely(queue)) {
		ns = liquid_wire_ns(&gate->link.rate, liquid_packet_bytes(gate, queue->head));
		if (likely(liquid_fits(gate, now, ns))) {
			gate->link.vfinish = liquid_vfinish(now, gate->link.vfinish, ns);
			liquid_join_run(gate, 0, ns);
			if (gate->qlen == 1)	/* the next packet may find the gate empty */
				liquid_pass_start(gate, queue->head, now);
			return queue;
		}
	}
	return liquid_next_of_all(gate, now, true);
}

/* No schedule in force or waiting: there are no frames. */
static inline struct liquid_queue *liquid_next_ungated(struct liquid_gate *gate, s64 now)
{
	struct liquid_queue *queue = gate->last;

	if (likely(queue && queue->qlen == gate->qlen && queue != &gate->control &&
		   liquid_can_release(gate, queue->head, now))) {
		liquid_join_run(gate, 0, 0);
		gate->run.ns = 0;
		liquid_pass_start_open(gate);
		return queue;
	}
	return liquid_next_of_all(gate, now, false);
}

/*
 * The core has requeued packets of the last run, and has sent them before it called dequeue again.
 * They may still be on the wire, at worst the whole run: charge it again.
 */
static noinline void liquid_count_requeues(struct liquid_gate *gate, s64 now)
{
	u32 count = liquid_sch(gate)->qstats.requeues - gate->requeues;
	struct liquid_dest *dest;

	gate->requeues += count;
	gate->run.txq = -1;
	gate->run.one = true;
	gate->stat[LIQUID_STATS_A_REQUEUES] += count;
	gate->link.vfinish = liquid_vfinish(now, gate->link.vfinish, gate->run.ns);
	gate->run.ns = 0;
	if (now <= gate->release_end)
		return;
	gate->stat[LIQUID_STATS_A_LATE] += count;
	liquid_notify(gate, LIQUID_EVENT_LATE, count, 0);
	dest = liquid_dest_by_id(gate->table, gate->release_id);
	liquid_hist_note(&gate->times.late, now - gate->release_end, count);
	if (!dest)
		return;
	dest->stat[LIQUID_STATS_A_LATE] += count;
	liquid_hist_note(&dest->times.late, now - gate->release_end, count);
}

/*
 * On a device with several queues the core dequeues up to nine packets a run, even if its queue has
 * room for fewer, and requeues the rest. Therefore end a run at the byte limits of the device
 * queue, as the core does on other devices; and after one packet, once the core has requeued.
 */
static bool liquid_run_is_full(struct liquid_gate *gate)
{
	struct Qdisc *sch = liquid_sch(gate);

	if (gate->frame.mode == LIQUID_MODE_OPEN || (sch->flags & TCQ_F_ONETXQUEUE) ||
	    gate->run.room <= 0)
		return false;
	return gate->run.one || (s64)gate->run.bytes >=
	       qdisc_avail_bulklimit(netdev_get_tx_queue(qdisc_dev(sch), gate->run.txq));
}

/* Dequeue any packet. */
struct sk_buff *liquid_dequeue_slow(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct liquid_queue *queue = NULL;
	s64 now = ktime_get_ns();

	liquid_pass_stop(gate, now);
	if (unlikely(sch->qstats.requeues != gate->requeues))
		liquid_count_requeues(gate, now);
	if (gate->qlen && gate->run.txq >= 0 && liquid_run_is_full(gate)) {
		__netif_schedule(sch);
	} else if (gate->qlen) {
		if (rcu_access_pointer(gate->oper) || rcu_access_pointer(gate->admin))
			queue = liquid_next(gate, now);
		else
			queue = liquid_next_ungated(gate, now);
	}
	if (queue)
		return liquid_release(gate, queue, now);
	gate->run.txq = -1;
	return NULL;
}

/* --- the life of the qdisc --- */

struct liquid_gate *liquid_gate_of(const struct net_device *dev)
{
	struct Qdisc *sch = rtnl_dereference(dev->qdisc);

	return sch && sch->ops == &liquid_qdisc_ops ? qdisc_priv(sch) : NULL;
}

/* A change may allow packets to be released. */
void liquid_gate_kick(struct liquid_gate *gate)
{
	ASSERT_RTNL();
	if (READ_ONCE(gate->qlen))
		__netif_schedule(liquid_sch(gate));
}

static void liquid_set_txqs(struct Qdisc *sch, unsigned int queues)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	liquid_lock_flush(gate);
	gate->control_txq = queues > 1 ? 1 : 0;
	liquid_unlock(gate);
}

static int liquid_check_place(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	if (sch->parent != TC_H_ROOT) {
		NL_SET_ERR_MSG(extack,
			       "a gate must be a root qdisc: add it at the root of the device");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int liquid_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	int err;

	gate->control.id = LIQUID_NONE;
	gate->unsched.id = LIQUID_NONE;
	gate->frame.id = LIQUID_NONE;
	gate->txq = netdev_get_tx_queue(qdisc_dev(sch), 0);
	gate->run.txq = -1;
	liquid_pass_init(gate);
	gate->release_end = LIQUID_TIME_NEVER;
	gate->tai_offset = liquid_tai_offset();
	gate->link.limit = LIQUID_TIME_NEVER;
	gate->table_seq = 1;
	gate->expiry.checked = jiffies;
	qdisc_watchdog_init(&gate->wait.timer, sch);
	liquid_lease_init(gate);
	liquid_notify_init(gate);
	err = liquid_check_place(sch, extack);
	if (err)
		return err;
	gate->ready = kvcalloc(LIQUID_READY_WORDS, sizeof(long), LIQUID_GFP);
	gate->table = liquid_table_alloc();
	if (!gate->ready || !gate->table)
		return -ENOMEM;
	liquid_gate_restart(gate);
	liquid_set_txqs(sch, qdisc_dev(sch)->real_num_tx_queues);
	liquid_config_init(&gate->config, qdisc_dev(sch));
	return liquid_config_set(gate, opt, extack);
}

static int liquid_change(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	int err = liquid_config_set(gate, opt, extack);

	if (!err)
		liquid_gate_kick(gate);
	return err;
}

/*
 * The device goes down: drop the packets, keep everything else. The core also resets a qdisc that
 * it is about to destroy, but without the root lock, while the lease timer and the event work may
 * run. In that case do nothing: ->destroy() stops these first.
 */
static void liquid_reset(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	if (!refcount_read(&sch->refcnt))
		return;
	liquid_assert_root_lock(gate);
	qdisc_watchdog_cancel(&gate->wait.timer);
	liquid_gate_purge(gate);
	gate->wait.armed = 0;
	gate->link.vfinish = 0;
	gate->run.txq = -1;
	gate->run.one = false;
	gate->wait.wake = 0;
	gate->last = NULL;
}

/*
 * The device no longer uses the qdisc, so the data path does not run. Stop the timers first, so
 * that they do not start it again; then events; then transactions, which point here; then queues
 * and destinations. Schedules go last, after a grace period, since dumps read them under RCU.
 */
static void liquid_destroy(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct liquid_sched *sched;

	qdisc_watchdog_cancel(&gate->wait.timer);
	liquid_lease_destroy(gate);
	liquid_notify_destroy(gate);
	liquid_stage_release_gate(gate);
	if (gate->table && gate->ready)
		liquid_gate_purge(gate);
	liquid_table_destroy(gate);
	kvfree(gate->ready);
	gate->ready = NULL;
	sched = rcu_replace_pointer(gate->oper, NULL, lockdep_rtnl_is_held());
	if (sched)
		kvfree_rcu(sched, rcu);
	sched = rcu_replace_pointer(gate->admin, NULL, lockdep_rtnl_is_held());
	if (sched)
		kvfree_rcu(sched, rcu);
}

/*
 * Options in the form that ->change() accepts. None if all are defaults: tc calls any options of a
 * qdisc that it does not know "unknown".
 */
static int liquid_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct liquid_config config, defaults;
	struct nlattr *nest;

	liquid_lock_flush(gate);
	config = gate->config;
	liquid_unlock(gate);
	liquid_config_init(&defaults, qdisc_dev(sch));
	if (!memcmp(&config, &defaults, sizeof(defaults)))
		return 0;
	nest = nla_nest_start(skb, TCA_OPTIONS);
	if (!nest || liquid_config_fill(skb, &config))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

struct Qdisc_ops liquid_qdisc_ops __read_mostly = {
	.id			= LIQUID_QDISC_KIND,
	.priv_size		= sizeof(struct liquid_gate),
	.enqueue		= liquid_enqueue,
	.dequeue		= liquid_dequeue,
	.peek			= qdisc_peek_dequeued,
	.init			= liquid_init,
	.reset			= liquid_reset,
	.destroy		= liquid_destroy,
	.change			= liquid_change,
	.change_real_num_tx	= liquid_set_txqs,
	.dump			= liquid_dump,
	.owner			= THIS_MODULE,
};
