// SPDX-License-Identifier: GPL-2.0-only
/* Queues: drops, moves between queues, splitting of GSO packets */
#include <linux/rtnetlink.h>
#include <net/gso.h>

#include "packets/pass.h"
#include "packets/queue.h"
#include "packets/table.h"

/* Drop the first packet of @queue. */
void liquid_queue_drop(struct liquid_gate *gate, struct liquid_queue *queue, int stat,
		       enum skb_drop_reason reason)
{
	struct sk_buff *skb = liquid_queue_take(gate, queue);

	liquid_count(gate, queue, stat, 1);
	qdisc_qstats_drop(liquid_sch(gate));
	kfree_skb_reason(skb, reason);
}

/* Take all packets of @queue at once, and put them in front of @packets. */
void liquid_queue_cut(struct liquid_gate *gate, struct liquid_queue *queue,
		      struct liquid_packets *packets)
{
	if (!queue->qlen)
		return;
	queue->tail->next = packets->head;
	packets->head = queue->head;
	if (!packets->tail)
		packets->tail = queue->tail;
	liquid_backlog_cut(gate, queue);
	queue->head = NULL;
	queue->acks = NULL;
}

/*
 * Empty the gate because its device goes down. As in other qdiscs, that counts no drops. They are
 * freed when RTNL is released: the core holds the root lock until then.
 */
void liquid_gate_purge(struct liquid_gate *gate)
{
	struct liquid_packets packets = {};
	u32 id;

	ASSERT_RTNL();
	liquid_pass_stop(gate, ktime_get_ns());
	liquid_queue_cut(gate, &gate->link_control, &packets);
	liquid_queue_cut(gate, &gate->control, &packets);
	liquid_queue_cut(gate, &gate->unsched, &packets);
	liquid_queue_cut(gate, &gate->sorting.queue, &packets);
	gate->sorting.active = false;
	for (id = liquid_ready_next(gate, 0); id != LIQUID_NONE;
	     id = liquid_ready_next(gate, id + 1))
		liquid_queue_cut(gate, &liquid_own(gate, gate->table->dest[id])->queue, &packets);
	rtnl_kfree_skbs(packets.head, packets.tail);
}

/* First destination with a backlog, from id @from on, or LIQUID_NONE */
u32 liquid_ready_next(const struct liquid_gate *gate, u32 from)
{
	unsigned long word, bits;

	if (from >= LIQUID_DEST_MAX)
		return LIQUID_NONE;
	word = from / BITS_PER_LONG;
	bits = gate->ready[word] & (~0UL << (from % BITS_PER_LONG));
	if (!bits) {
		word = find_next_bit(gate->summary, LIQUID_READY_WORDS, word + 1);
		if (word >= LIQUID_READY_WORDS)
			return LIQUID_NONE;
		bits = gate->ready[word];
	}
	return word * BITS_PER_LONG + __ffs(bits);
}

/* Append all packets of @from to @to. The lengths of the gate as a whole do not change. */
void liquid_queue_move(struct liquid_gate *gate, struct liquid_queue *from,
		       struct liquid_queue *to)
{
	if (!from->qlen)
		return;
	if (to->head)
		to->tail->next = from->head;
	else
		to->head = from->head;
	to->tail = from->tail;
	from->acks = NULL;	/* behind what waits there they are like other packets */
	to->qlen += from->qlen;
	to->backlog += from->backlog;
	from->head = NULL;
	from->qlen = 0;
	from->backlog = 0;
	if (from->id != LIQUID_NONE)
		liquid_ready_clear(gate, from->id);
}

/* Insert the segments of the packet just taken from @queue at its head. */
static void liquid_queue_push(struct liquid_gate *gate, struct liquid_queue *queue,
			      struct sk_buff *segs, const struct liquid_skb_cb *cb)
{
	struct sk_buff *rest = queue->head, *last = queue->tail, *seg, *next;

	queue->head = NULL;
	skb_list_walk_safe(segs, seg, next) {
		qdisc_skb_cb(seg)->pkt_len = seg->len;
		*liquid_skb_cb(seg) = *cb;
		liquid_queue_add(gate, queue, seg);
	}
	if (rest) {
		queue->tail->next = rest;
		queue->tail = last;
	}
}

/*
 * Split the GSO packet at the head of @queue; false: that failed and the packet is dropped. It is
 * taken from the queue first, because it may be reused as its own first segment.
 */
bool liquid_queue_split(struct liquid_gate *gate, struct liquid_queue *queue)
{
	struct sk_buff *skb = liquid_queue_take(gate, queue), *segs;
	struct liquid_skb_cb cb = *liquid_skb_cb(skb);

	segs = skb_gso_segment(skb, netif_skb_features(skb) & ~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(segs)) {
		liquid_count(gate, queue, LIQUID_STATS_A_DROP_SPLIT, 1);
		qdisc_qstats_drop(liquid_sch(gate));
		kfree_skb_reason(skb, SKB_DROP_REASON_SKB_GSO_SEG);
		return false;
	}
	liquid_queue_push(gate, queue, segs, &cb);
	consume_skb(skb);
	gate->stat[LIQUID_STATS_A_SPLITS]++;
	return true;
}
