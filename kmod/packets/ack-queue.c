// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bare acknowledgements of TCP in a destination's queue. They go before data, or each would
 * wait for all frames that the data before it need. Newer ones replace older ones by the rules of
 * ack.h.
 */
#include "packets/ack-queue.h"
#include "pure/ack.h"
#include "packets/queue.h"

#define LIQUID_ACKS_SEARCHED	8	/* acknowledgements of a queue */

static bool liquid_ack_of(struct liquid_ack *ack, const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);

	return offset >= 0 && offset <= skb_headlen(skb) &&
	       liquid_ack_read(ack, skb->protocol, skb->data + offset, skb_headlen(skb) - offset);
}

static bool liquid_same_vlan(const struct sk_buff *a, const struct sk_buff *b)
{
	return skb_vlan_tag_present(a) == skb_vlan_tag_present(b) &&
	       (!skb_vlan_tag_present(a) || (a->vlan_proto == b->vlan_proto &&
					     skb_vlan_tag_get(a) == skb_vlan_tag_get(b)));
}

/* Put @skb into the place of @old, which was neither released nor lost. */
static void liquid_replace(struct liquid_gate *gate, struct liquid_queue *queue,
			   struct sk_buff *old, struct sk_buff *skb)
{
	skb->next = old->next;
	skb->prev = old->prev;
	if (queue->head == old)
		queue->head = skb;
	else
		old->prev->next = skb;
	if (queue->acks == old)
		queue->acks = skb;
	else
		old->next->prev = skb;
	if (queue->tail == old)
		queue->tail = skb;
	skb_mark_not_on_list(old);
	/* In this order, or readers without the lock might see an empty gate. */
	liquid_backlog_add(gate, queue, qdisc_pkt_len(skb));
	liquid_backlog_sub(gate, queue, qdisc_pkt_len(old));
	gate->stat[LIQUID_STATS_A_ACKS_THINNED]++;
	consume_skb(old);
}

/*
 * If the bare ACK @skb makes one that waits in @queue superfluous, take its place. Only the last
 * ones are looked at, and none before one of the same flow or one that the rules keep. So @skb
 * overtakes none of its own flow.
 */
bool liquid_ack_thin(struct liquid_gate *gate, struct liquid_queue *queue, struct sk_buff *skb)
{
	struct sk_buff *place = queue->acks;
	struct liquid_ack ack, old;
	int left;

	liquid_assert_root_lock(gate);
	if (!place || !liquid_ack_of(&ack, skb))
		return false;
	for (left = LIQUID_ACKS_SEARCHED; left; left--, place = place->prev) {
		if (!liquid_ack_of(&old, place))
			return false;
		if (liquid_same_vlan(skb, place) && liquid_ack_same_flow(&ack, &old)) {
			if (!liquid_ack_replaces(&ack, &old))
				return false;
			liquid_replace(gate, queue, place, skb);
			return true;
		}
		if (place == queue->head)
			return false;
	}
	return false;
}

/* Put the bare ACK @skb behind the others in @queue, and before data. */
void liquid_ack_add(struct liquid_gate *gate, struct liquid_queue *queue, struct sk_buff *skb)
{
	struct sk_buff **link = queue->acks ? &queue->acks->next : &queue->head;

	liquid_assert_root_lock(gate);
	if (!queue->head || queue->tail == queue->acks)
		queue->tail = skb;
	skb->next = *link;
	skb->prev = queue->acks;
	*link = skb;
	queue->acks = skb;
	liquid_backlog_add(gate, queue, qdisc_pkt_len(skb));
}
