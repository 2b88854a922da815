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
 *    that its backlog can use (wake), but 10 ms at most: it notices a step of the clock only
 *    when it reads the clock.
 *
 * 4. Control packets go first, in the guard as well, within a budget of bytes a frame. Without them
 *    clocks drift, neighbours are forgotten, and connections wait for cycles to be opened.
 *    Unscheduled packets may use idle frames, and a reserve in other frames. Acknowledgements of
 *    TCP are not control packets where their destination has frames: outside of the frames they
 *    would meet the data of other nodes' frames, and hold it up.
 *
 * 5. The core sends packets that it requeued without asking the gate again. Therefore nothing is
 *    released to a stopped TX queue, a run has packets of one TX queue only, and a requeued packet
 *    that leaves after its frame is counted as late. So are packets of a run that the driver gets
 *    after its frame (handover.c).
 *
 * 6. The cost of a packet does not depend on the number of destinations. A packet touches its place
 *    in the hash table, its destination and the gate.
 *
 * 7. The usual packet finds the gate empty and takes the short path (pass.c). All others are
 *    handled here.
 *
 * 8. On a device with several TX queues each has its own gate, with its lock, timer and
 *    queues (family.c). A packet leaves through the TX queue that the core and the driver chose.
 *    These gates share the wire, which each of them reserves before it releases.
 */
#include <linux/slab.h>

#include "packets/ack-queue.h"
#include "packets/classify.h"
#include "netlink/config.h"
#include "netlink/destination.h"
#include "packets/family.h"
#include "packets/handover.h"
#include "frames/latency.h"
#include "frames/launch.h"
#include "netlink/leaks.h"
#include "frames/lease.h"
#include "lock.h"
#include "netlink/notify.h"
#include "packets/packet.h"
#include "packets/pass.h"
#include "packets/qdisc.h"
#include "packets/queue.h"
#include "frames/schedule.h"
#include "packets/sort.h"
#include "packets/table.h"
#include "trace.h"
#include "packets/usual.h"
#include "frames/wake.h"

#define LIQUID_DROP_BATCH	64	/* most packets dropped in one dequeue */
#define LIQUID_RUN_PACKETS	9	/* packets a run, if the device has several queues */

/* What dequeue has chosen */
struct liquid_pick {
	s64 now;		/* ns of CLOCK_MONOTONIC */
	struct liquid_queue *queue; /* its first packet goes next */
	u64 bytes;		/* wire size */
	u64 ns;			/* wire time */
	u32 dropped;		/* packets dropped in this dequeue */
	bool stopped;		/* a TX queue was stopped: the core will call again */
	bool again;		/* end the run and be called again: the next packet is for another
				 * TX queue, or enough packets were dropped
				 */
};

/* --- enqueue --- */

/* Counter of packets that the limits of @queue refuse */
static int liquid_limit_stat(const struct liquid_gate *gate, const struct liquid_queue *queue)
{
	if (queue == &gate->link_control)
		return LIQUID_STATS_A_DROP_LINK;
	return queue == &gate->control ? LIQUID_STATS_A_DROP_CONTROL : LIQUID_STATS_A_DROP_LIMIT;
}

/* Counter of the limit that another @len bytes in @queue would exceed; 0: none */
static int liquid_over_limit(const struct liquid_gate *gate, const struct liquid_queue *queue,
			     u32 len)
{
	const struct liquid_config *config = &gate->config;

	if (unlikely(queue->qlen >= gate->dest_limit_packets ||
		     queue->backlog + len > gate->dest_limit_bytes))
		return liquid_limit_stat(gate, queue);
	/* A backlog of data must not block control packets. */
	if (unlikely(gate->qlen >= config->limit_packets ||
		     gate->backlog + len > config->limit_bytes) && !liquid_is_control(gate, queue))
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

/* As liquid_classify(), which enqueue has inline */
struct liquid_queue *liquid_classify_slow(struct liquid_gate *gate, struct sk_buff *skb, bool *ack)
{
	return liquid_classify(gate, skb, ack);
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
	liquid_handover_enqueue(gate);
again:
	queue = liquid_sort(gate, skb, &ack);
	liquid_skb_cb(skb)->queued = now;
	ack = ack && !liquid_is_control(gate, queue) && !gate->sorting.active;
	if (unlikely(ack) && liquid_ack_thin(gate, queue, skb))
		goto queued;
	stat = queue ? liquid_over_limit(gate, queue, qdisc_pkt_len(skb)) :
		       LIQUID_STATS_A_DROP_POLICY;
	if (unlikely(stat)) {
		if (liquid_catch_up(gate))	/* the new schedule may allow the packet */
			goto again;
		return liquid_refuse(gate, queue, stat, skb, to_free);
	}
	if (unlikely(gate->sorting.active && !liquid_is_control(gate, queue)))
		queue = &gate->sorting.queue;
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
		liquid_head(gate, &liquid_own(gate, gate->table->dest[id])->queue, pick);
		id++;
	}
	gate->expiry.next = id == LIQUID_NONE ? 0 : id;
}

/* Its TX queue takes @skb in this run. */
static bool liquid_txq_takes(struct liquid_gate *gate, const struct sk_buff *skb,
			     struct liquid_pick *pick)
{
	if (unlikely(gate->run.txq >= 0 && gate->run.txq != skb_get_queue_mapping(skb))) {
		pick->again = true;
		return false;
	}
	if (unlikely(liquid_txq_is_stopped(liquid_sch(gate), skb))) {
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
	return !budget || bytes <= gate->link.packet_bytes ||
	       (s64)bytes <= liquid_budget_left(budget);
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
			return liquid_txq_takes(gate, skb, pick);
		} else if (!liquid_make_fit(gate, queue, now, pick)) {
			break;
		}
	}
	return false;
}

/*
 * Choose the first packet of @queue, which has control packets. It only needs budget: control
 * packets are sent in the guard as well.
 */
static bool liquid_offer_control(struct liquid_gate *gate, struct liquid_queue *queue,
				 const struct liquid_budget *budget, struct liquid_pick *pick)
{
	struct sk_buff *skb;

	if (gate->frame.mode == LIQUID_MODE_OPEN)
		budget = NULL;
	else if (liquid_budget_left(budget) <= 0)
		return false;
	while ((skb = liquid_head(gate, queue, pick))) {
		pick->bytes = liquid_packet_bytes(gate, skb);
		if (!skb_is_gso(skb) || liquid_affords(gate, budget, pick->bytes))
			break;
		if (!liquid_split(gate, queue))
			return false;
	}
	if (!skb || !liquid_txq_takes(gate, skb, pick))
		return false;
	pick->ns = liquid_wire_ns(&gate->link.rate, pick->bytes);
	pick->queue = queue;
	return true;
}

/* Choose a control packet; the link's go first. */
static bool liquid_offer_controls(struct liquid_gate *gate, struct liquid_pick *pick)
{
	if (liquid_offer_control(gate, &gate->link_control, &gate->link_budget, pick))
		return true;
	return !pick->again &&
	       liquid_offer_control(gate, &gate->control, &gate->control_budget, pick);
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
		return idle || liquid_budget_left(&gate->reserve) > 0;
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

	while (gate->qlen > liquid_control_qlen(gate)) {
		id = liquid_ready_next(gate, gate->cursor);
		if (id != LIQUID_NONE) {
			queue = &liquid_own(gate, gate->table->dest[id])->queue;
		} else if (gate->unsched.qlen) {
			queue = &gate->unsched;
		} else if (gate->cursor) {
			gate->cursor = 0;
			continue;
		} else {	/* all others are still to be sorted */
			return false;
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
	if (liquid_control_qlen(gate)) {
		if (liquid_offer_controls(gate, pick))
			return true;
		if (pick->again)
			return false;
	}
	if (gate->unsched.qlen && gate->config.policy == LIQUID_POLICY_DROP)
		liquid_drop_unsched(gate, pick);
	return gate->qlen > liquid_control_qlen(gate) && liquid_offer_data(gate, now, pick);
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
		/* Another gate of the device may have used it. */
		if (atomic64_xchg(&gate->shared->used, gate->frame.number) == gate->frame.number)
			return;
		liquid_count(gate, queue, LIQUID_STATS_A_FRAMES_USED, 1);
		if (queued < gate->frame.start)
			liquid_hist_note(&gate->delays.lag, now - gate->frame.start, 1);
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
	} else if (liquid_is_control(gate, queue)) {
		gate->stat[LIQUID_STATS_A_CONTROL_PACKETS]++;
		gate->stat[LIQUID_STATS_A_CONTROL_BYTES] += len;
	} else {
		gate->stat[LIQUID_STATS_A_UNSCHED_PACKETS]++;
		gate->stat[LIQUID_STATS_A_UNSCHED_BYTES] += len;
	}
}

/*
 * How much the core dequeues in one run, by its own rules. A qdisc of one TX queue: bytes, and at
 * least one packet. A qdisc of several TX queues: the first packet and eight more.
 */
static inline s64 liquid_run_room(const struct liquid_gate *gate)
{
	if (liquid_sch(gate)->flags & TCQ_F_ONETXQUEUE)
		return qdisc_avail_bulklimit(liquid_sch(gate)->dev_queue);
	return LIQUID_RUN_PACKETS;
}

/* Add a packet to the run, or start one: the core does not show when a run ends. */
static inline void liquid_join_run(struct liquid_gate *gate, u32 txq, s64 now, u64 ns)
{
	if (gate->run.txq < 0 || gate->run.room <= 0) {
		gate->run.ns = 0;
		gate->run.bytes = 0;
		gate->run.room = liquid_run_room(gate);
		if (unlikely(gate->link.vfinish > gate->handover.from))
			liquid_handover_begin(gate, txq, now);
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
	gate->release_end = gate->frame.latest;
	if (unlikely(gate->link.launch))
		liquid_launch_stamp(gate, skb, now);
	if (unlikely(gate->handover.start) && !liquid_is_control(gate, queue))
		liquid_handover_add(gate);
	liquid_count_release(gate, queue, skb, now);
	liquid_count_sch(gate, qdisc_pkt_len(skb), liquid_segments(skb));
	trace_liquid_dequeue(liquid_sch(gate), skb, queue->id, gate->link.vfinish);
	return skb;
}

/* Bytes that the core may still dequeue in this run, or in the one that begins */
static inline s64 liquid_room_left(const struct liquid_gate *gate)
{
	return gate->run.txq < 0 || gate->run.room <= 0 ? liquid_run_room(gate) : gate->run.room;
}

/* The core may dequeue more than the first packet of @queue in this run. */
static inline bool liquid_run_goes_on(const struct liquid_gate *gate,
				      const struct liquid_queue *queue)
{
	return queue->qlen > 1 && !gate->run.one && liquid_sch(gate)->flags & TCQ_F_ONETXQUEUE &&
	       liquid_room_left(gate) > qdisc_pkt_len(queue->head);
}

/* Wire time of the packets behind the first of @queue that the core may dequeue in this run */
static s64 liquid_rest_ns(const struct liquid_gate *gate, const struct liquid_queue *queue)
{
	s64 room;

	if (!liquid_run_goes_on(gate, queue))
		return 0;
	room = min_t(s64, liquid_room_left(gate), queue->backlog);
	return liquid_wire_ns(&gate->link.rate, room - qdisc_pkt_len(queue->head));
}

/* A child has reserved the wire until @reserved, for a packet of @ns that ends at @end. */
static inline void liquid_take_wire(struct liquid_link *link, s64 end, u64 ns, s64 reserved)
{
	link->vfinish = end;
	link->reserved = reserved;
	link->turn -= reserved - end + (s64)ns;
	if (unlikely(link->turn <= 0))
		link->window = link->ahead / 2;
}

/*
 * Of a child: reserve the wire for the rest of the run as well, but no further than packets may be
 * released ahead, and than its turn lasts. The unused part is lost, unless it was the last
 * to reserve.
 */
static noinline bool liquid_reserve_run(struct liquid_gate *gate, const struct liquid_queue *queue,
					s64 now, u64 ns, s64 limit)
{
	s64 last = liquid_wire_end(gate), end, reserved, rest, most;
	struct liquid_link *link = &gate->link;

	if (unlikely(link->joined != gate->frame.number))
		liquid_join_frame(gate);
	rest = min3(liquid_rest_ns(gate, queue), max(link->turn - (s64)ns, 0LL), link->ahead);
	most = min(limit, now + link->ahead);
	do {
		end = max(now, liquid_wire_from(gate, last)) + (s64)ns;
		if (unlikely(end > limit))
			return false;
		reserved = max(end, min(end + rest, most));
	} while (unlikely(!atomic64_try_cmpxchg(&gate->shared->vfinish, &last, reserved)));
	liquid_take_wire(link, end, ns, reserved);
	return true;
}

/*
 * Of a child: most packets find the wire reserved by the first of their run, or form a run by
 * themselves, as all do where the driver does not use BQL. For the first of a run of several
 * packets there is another function, which is called last, so that this one saves no registers.
 */
static noinline bool liquid_reserve_child(struct liquid_gate *gate,
					  const struct liquid_queue *queue, s64 now, u64 ns,
					  s64 limit)
{
	struct liquid_link *link = &gate->link;
	s64 last, end = max(now, link->vfinish) + (s64)ns;

	if (end <= min(link->reserved, limit)) {
		link->vfinish = end;
		return true;
	}
	if (unlikely(link->joined != gate->frame.number) || liquid_run_goes_on(gate, queue))
		return liquid_reserve_run(gate, queue, now, ns, limit);
	last = liquid_wire_end(gate);
	do {
		end = max(now, liquid_wire_from(gate, last)) + (s64)ns;
		if (unlikely(end > limit))
			return false;
	} while (unlikely(!atomic64_try_cmpxchg(&gate->shared->vfinish, &last, end)));
	liquid_take_wire(link, end, ns, end);
	return true;
}

/* Reserve the wire for the first packet of @queue, which takes @ns, until @limit at the latest. */
static inline bool liquid_reserve_first(struct liquid_gate *gate, const struct liquid_queue *queue,
					s64 now, u64 ns, s64 limit)
{
	now = liquid_wire_now(gate, now);
	if (likely(gate->family.root == gate))
		return liquid_reserve(gate, liquid_wire_end(gate), now, ns, limit);
	return liquid_reserve_child(gate, queue, now, ns, limit);
}

/* The run has ended: give back the unused part of its reservation. */
static inline void liquid_give_back(struct liquid_gate *gate)
{
	s64 last = gate->link.reserved;

	if (!liquid_has_reserved(gate))
		return;
	atomic64_try_cmpxchg(&gate->shared->vfinish, &last, gate->link.vfinish);
	gate->link.reserved = 0;
}

/*
 * Charge the chosen packet; false: another gate of the device has reserved the wire since the
 * packet was found to fit.
 */
static bool liquid_charge(struct liquid_gate *gate, const struct liquid_pick *pick, s64 now)
{
	bool control = liquid_is_control(gate, pick->queue);
	s64 limit = control ? LIQUID_TIME_NEVER : gate->link.limit;

	if (!liquid_reserve_first(gate, pick->queue, now, pick->ns, limit))
		return false;
	if (gate->frame.mode == LIQUID_MODE_OPEN)
		return true;
	if (control)
		atomic64_sub(pick->bytes, gate->control_budget.credit);
	else if (pick->queue == &gate->unsched && gate->frame.id != LIQUID_NONE)
		atomic64_sub(pick->bytes, gate->reserve.credit);
	else
		return true;
	gate->wait.charged = gate->frame.number;
	return true;
}

/* Choose from all queues, or go to sleep; @clocked: a schedule is in force or waiting. */
static noinline struct liquid_queue *liquid_next_of_all(struct liquid_gate *gate, s64 now,
							bool clocked)
{
	bool more = unlikely(gate->sorting.active) && liquid_sort_batch(gate);
	struct liquid_pick pick = { .now = now };

	while (liquid_choose(gate, now, &pick)) {
		if (clocked && !liquid_charge(gate, &pick, now))
			continue;
		liquid_join_run(gate, skb_get_queue_mapping(pick.queue->head), now, pick.ns);
		return pick.queue;
	}
	liquid_expire(gate, &pick);
	if (pick.again || more)
		__netif_schedule(liquid_sch(gate));
	else if (clocked && gate->qlen)
		liquid_sleep(gate, now, pick.stopped);
	return NULL;
}

/* The checks of device queue and packet that suffice in the common cases below */
static inline bool liquid_can_release(const struct liquid_gate *gate, struct sk_buff *skb, s64 now)
{
	return (gate->run.txq < 0 || gate->run.txq == skb_get_queue_mapping(skb)) &&
	       !liquid_txq_is_stopped(liquid_sch(gate), skb) && !liquid_is_stale(gate, skb, now);
}

/* The queue of the frame's destination, if nothing of higher priority waits */
static inline struct liquid_queue *liquid_frame_queue(const struct liquid_gate *gate, s64 now)
{
	struct liquid_dest *dest = gate->frame.dest;

	if (unlikely(!dest || !dest->queue.qlen || liquid_control_qlen(gate) ||
		     gate->unsched.qlen || gate->sorting.active ||
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
		if (likely(liquid_reserve_first(gate, queue, now, ns, gate->link.limit))) {
			liquid_join_run(gate, skb_get_queue_mapping(queue->head), now, ns);
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

	if (likely(queue && queue->qlen == gate->qlen && !liquid_is_control(gate, queue) &&
		   !gate->sorting.active && liquid_can_release(gate, queue->head, now))) {
		liquid_join_run(gate, skb_get_queue_mapping(queue->head), now, 0);
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

	gate->requeues += count;
	liquid_handover_end(gate);
	gate->run.txq = -1;
	gate->run.one = !(liquid_sch(gate)->flags & TCQ_F_ONETXQUEUE);
	gate->stat[LIQUID_STATS_A_REQUEUES] += count;
	liquid_reserve(gate, liquid_wire_end(gate), now, gate->run.ns, LIQUID_TIME_NEVER);
	gate->run.ns = 0;
	if (now > gate->release_end)
		liquid_count_late(gate, gate->release_id, now - gate->release_end, count);
}

/*
 * For a qdisc of several TX queues the core dequeues up to nine packets a run, even if the TX queue
 * has room for fewer, and requeues the rest. Therefore end a run at the byte limits of the TX
 * queue, as the core does otherwise; and after one packet, once the core has requeued.
 */
static bool liquid_run_is_full(struct liquid_gate *gate)
{
	struct Qdisc *sch = liquid_sch(gate);

	if (gate->frame.mode == LIQUID_MODE_OPEN || gate->run.room <= 0)
		return false;
	if (gate->run.one || (sch->flags & TCQ_F_ONETXQUEUE))
		return gate->run.one;
	return (s64)gate->run.bytes >=
	       qdisc_avail_bulklimit(netdev_get_tx_queue(qdisc_dev(sch), gate->run.txq));
}

/* Dequeue any packet. */
struct sk_buff *liquid_dequeue_slow(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);
	struct liquid_queue *queue = NULL;
	s64 now = ktime_get_ns();
	struct sk_buff *skb;

	if (unlikely(gate->wait.early))
		now = liquid_wait_busy(gate, now);
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
	if (queue) {
		skb = liquid_release(gate, queue, now);
		if (!gate->qlen)	/* liquid_dequeue() then ends the run itself */
			liquid_give_back(gate);
		return skb;
	}
	liquid_give_back(gate);
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
void liquid_gate_kick(struct liquid_gate *root)
{
	struct liquid_gate *gate;

	ASSERT_RTNL();
	for (gate = liquid_first(root); gate; gate = gate->family.next) {
		if (READ_ONCE(gate->qlen))
			__netif_schedule(liquid_sch(gate));
	}
}

#define LIQUID_NO_DEFAULT	"a gate cannot be net.core.default_qdisc: set another one"

/*
 * A default qdisc made by the core has no handle, so tc cannot delete it. The core makes it
 * for a device that comes up, where no request is answered: the log has the reason.
 */
static int liquid_check_place(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	if (!sch->handle) {
		NL_SET_ERR_MSG(extack, LIQUID_NO_DEFAULT);
		netdev_warn(qdisc_dev(sch), LIQUID_NO_DEFAULT "\n");
		return -EOPNOTSUPP;
	}
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

	liquid_lease_init(gate);
	liquid_latency_init(gate);
	liquid_launch_init(gate);
	liquid_notify_init(gate);
	gate->table_seq = 1;
	err = liquid_gate_init(gate) ?: liquid_check_place(sch, extack);
	if (err)
		return err;
	gate->table = liquid_table_alloc();
	if (!gate->table)
		return -ENOMEM;
	liquid_gate_restart(gate);
	err = liquid_family_make(gate, extack);
	if (err)
		return err;
	liquid_config_init(&gate->config, qdisc_dev(sch));
	err = liquid_config_set(gate, opt, extack);
	if (!err)
		liquid_leaks_note(qdisc_dev(sch), extack);
	return err;
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
 * The core has not taken the qdisc from the device: it resets it only because a TX queue that it
 * serves is not used any more.
 */
static bool liquid_is_active(const struct liquid_gate *gate)
{
	return gate->table && !test_bit(__QDISC_STATE_DEACTIVATED, &liquid_sch(gate)->state);
}

/*
 * The device goes down: drop the packets, keep everything else. The core also resets a qdisc that
 * it is about to destroy, but without the root lock, while the lease timer and the event work may
 * run. In that case do nothing: ->destroy() stops these first.
 */
void liquid_reset(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	if (!refcount_read(&sch->refcnt))
		return;
	liquid_assert_root_lock(gate);
	if (liquid_is_active(gate)) {
		liquid_family_keep(gate);
		return;
	}
	qdisc_watchdog_cancel(&gate->wait.timer);
	liquid_count_kept(gate);
	if (netif_running(qdisc_dev(sch)))	/* it has lost its carrier */
		liquid_count_reset(gate, sch->q.qlen);
	liquid_gate_purge(gate);
	gate->wait.armed = 0;
	if (gate->family.root == gate)	/* others still use the wire that a child has reserved */
		atomic64_set(&gate->shared->vfinish, 0);
	gate->link.vfinish = 0;
	gate->link.reserved = 0;
	gate->run.txq = -1;
	gate->run.one = false;
	liquid_handover_end(gate);
	gate->wait.wake = 0;
	gate->last = NULL;
}

/*
 * The device no longer uses the qdisc, so the data path does not run. Stop the timers first, so
 * that they do not start it again; then events; then transactions, which point here; then queues
 * and destinations. Schedules are freed after a grace period, since dumps read them under RCU.
 */
static void liquid_destroy(struct Qdisc *sch)
{
	struct liquid_gate *gate = qdisc_priv(sch);

	qdisc_watchdog_cancel(&gate->wait.timer);
	liquid_lease_destroy(gate);
	liquid_notify_destroy(gate);
	liquid_stage_release_gate(gate);
	liquid_latency_destroy(gate);
	liquid_launch_destroy(gate);
	liquid_family_end(gate);
	liquid_gate_destroy(gate);
	liquid_table_destroy(gate);
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

	liquid_family_sum(gate);
	config = gate->config;
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
	.cl_ops			= &liquid_class_ops,
	.priv_size		= sizeof(struct liquid_gate),
	.enqueue		= liquid_enqueue,
	.dequeue		= liquid_dequeue,
	.peek			= qdisc_peek_dequeued,
	.init			= liquid_init,
	.reset			= liquid_reset,
	.destroy		= liquid_destroy,
	.change			= liquid_change,
	.attach			= liquid_family_attach,
	.change_real_num_tx	= liquid_family_set_txqs,
	.dump			= liquid_dump,
	.owner			= THIS_MODULE,
};
