/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets in and out of queues, and their counters; root lock throughout */
#ifndef LIQUID_QUEUE_H
#define LIQUID_QUEUE_H

#include "gate.h"

/* Packets that were taken from queues, to be freed without the root lock */
struct liquid_packets {
	struct sk_buff *head;	/* linked by skb->next */
	struct sk_buff *tail;
};

static inline struct liquid_dest *liquid_queue_dest(struct liquid_queue *queue)
{
	return queue->id == LIQUID_NONE ? NULL : container_of(queue, struct liquid_dest, queue);
}

static inline bool liquid_is_control(const struct liquid_gate *gate,
				     const struct liquid_queue *queue)
{
	return queue == &gate->control || queue == &gate->link_control;
}

/* Control packets that wait */
static inline u32 liquid_control_qlen(const struct liquid_gate *gate)
{
	return gate->link_control.qlen + gate->control.qlen;
}

/* Bytes that a class may send now; it may overdraw them by one packet */
static inline s64 liquid_budget_left(const struct liquid_budget *budget)
{
	return atomic64_read(budget->credit) - budget->keep;
}

/* Add to a counter that exists for the gate and for each destination. */
static inline void liquid_count(struct liquid_gate *gate, struct liquid_queue *queue, int stat,
				u64 count)
{
	struct liquid_dest *dest = liquid_queue_dest(queue);

	BUILD_BUG_ON(__builtin_constant_p(stat) && stat >= (int)ARRAY_SIZE(dest->stat));
	gate->stat[stat] += count;
	if (dest)
		dest->stat[stat] += count;
}

/* The first packet of @queue is released after waiting for @ns. */
static inline void liquid_count_wait(struct liquid_gate *gate, struct liquid_queue *queue, u64 ns)
{
	struct liquid_dest *dest = liquid_queue_dest(queue);
	u32 bucket = liquid_hist_bucket(ns);

	liquid_hist_add(&gate->times.wait, bucket, 1, ns);
	if (dest)
		liquid_hist_add(&dest->times.wait, bucket, 1, ns);
}

static inline void liquid_ready_set(struct liquid_gate *gate, u32 id)
{
	__set_bit(id, gate->ready);
	__set_bit(id / BITS_PER_LONG, gate->summary);
}

static inline void liquid_ready_clear(struct liquid_gate *gate, u32 id)
{
	__clear_bit(id, gate->ready);
	if (!gate->ready[id / BITS_PER_LONG])
		__clear_bit(id / BITS_PER_LONG, gate->summary);
}

/* The only functions that change lengths and backlogs of the gate */
static inline void liquid_backlog_add(struct liquid_gate *gate, struct liquid_queue *queue,
				      u32 len)
{
	struct Qdisc *sch = liquid_sch(gate);

	if (!queue->qlen++ && queue->id != LIQUID_NONE)
		liquid_ready_set(gate, queue->id);
	queue->backlog += len;
	gate->qlen++;
	gate->backlog += len;
	sch->q.qlen++;
	sch->qstats.backlog += len;
}

/* Packets that the core drops although the device is up */
static inline void liquid_count_reset(struct liquid_gate *gate, u32 count)
{
	gate->stat[LIQUID_STATS_A_DROP_RESET] += count;
	liquid_sch(gate)->qstats.drops += count;
}

/* The core had set the lengths to 0 that it sees (liquid_family_keep()). */
static inline void liquid_count_kept(struct liquid_gate *gate)
{
	struct Qdisc *sch = liquid_sch(gate);

	sch->q.qlen += gate->kept_qlen;
	sch->qstats.backlog += gate->kept_backlog;
	gate->kept_qlen = 0;
	gate->kept_backlog = 0;
}

static inline void liquid_backlog_sub(struct liquid_gate *gate, struct liquid_queue *queue,
				      u32 len)
{
	struct Qdisc *sch = liquid_sch(gate);

	if (!--queue->qlen && queue->id != LIQUID_NONE)
		liquid_ready_clear(gate, queue->id);
	queue->backlog -= len;
	gate->qlen--;
	gate->backlog -= len;
	sch->q.qlen--;
	sch->qstats.backlog -= len;
}

/* All packets of @queue leave it. */
static inline void liquid_backlog_cut(struct liquid_gate *gate, struct liquid_queue *queue)
{
	struct Qdisc *sch = liquid_sch(gate);

	if (queue->id != LIQUID_NONE)
		liquid_ready_clear(gate, queue->id);
	gate->qlen -= queue->qlen;
	gate->backlog -= queue->backlog;
	sch->q.qlen -= queue->qlen;
	sch->qstats.backlog -= queue->backlog;
	queue->qlen = 0;
	queue->backlog = 0;
}

static inline void liquid_queue_add(struct liquid_gate *gate, struct liquid_queue *queue,
				    struct sk_buff *skb)
{
	skb->next = NULL;
	if (queue->head)
		queue->tail->next = skb;
	else
		queue->head = skb;
	queue->tail = skb;
	liquid_backlog_add(gate, queue, qdisc_pkt_len(skb));
}

static inline struct sk_buff *liquid_queue_take(struct liquid_gate *gate,
						struct liquid_queue *queue)
{
	struct sk_buff *skb = queue->head;

	queue->head = skb->next;
	if (unlikely(queue->acks == skb))
		queue->acks = NULL;
	skb_mark_not_on_list(skb);
	liquid_backlog_sub(gate, queue, qdisc_pkt_len(skb));
	return skb;
}

/*
 * The TX queue of @skb is stopped. Where the core uses one for the qdisc, it does not call the
 * qdisc then.
 */
static __always_inline bool liquid_txq_is_stopped(const struct Qdisc *sch,
						  const struct sk_buff *skb)
{
	return !(sch->flags & TCQ_F_ONETXQUEUE) &&
	       netif_xmit_frozen_or_stopped(skb_get_tx_queue(qdisc_dev(sch), skb));
}

/* Count a released packet in the qdisc's counters, which count segments. */
static __always_inline void liquid_count_sch(struct liquid_gate *gate, u32 len, u32 segs)
{
	_bstats_update(&liquid_sch(gate)->bstats, len, segs);
	if (unlikely(segs != 1))
		gate->stat[LIQUID_STATS_A_PACKETS] += 1 - (s64)segs;
}

void liquid_queue_drop(struct liquid_gate *gate, struct liquid_queue *queue, int stat,
		       enum skb_drop_reason reason);
void liquid_queue_cut(struct liquid_gate *gate, struct liquid_queue *queue,
		      struct liquid_packets *packets);
void liquid_queue_move(struct liquid_gate *gate, struct liquid_queue *from,
		       struct liquid_queue *to);
void liquid_gate_purge(struct liquid_gate *gate);
bool liquid_queue_split(struct liquid_gate *gate, struct liquid_queue *queue);
u32 liquid_ready_next(const struct liquid_gate *gate, u32 from);

#endif /* LIQUID_QUEUE_H */
