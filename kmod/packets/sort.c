// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting packets and a new schedule
 *
 * A destination may have got frames, or lost them: its packets then wait in the wrong queue. There
 * may be very many, so they are sorted into their queues in batches, one each time the core asks
 * for a packet. First come the destinations that have no frames any more: their packets are no
 * longer scheduled. Then come the packets that were not scheduled, and all that have arrived since,
 * which wait behind them. So no packet overtakes an older one of its destination. Meanwhile,
 * packets that are in its queue already may be released.
 */
#include "packets/qdisc.h"
#include "packets/queue.h"
#include "frames/schedule.h"
#include "packets/sort.h"
#include "packets/table.h"

#define LIQUID_SORT_BATCH	64	/* packets or destinations */

/* A schedule has come into force. */
void liquid_sort_begin(struct liquid_gate *gate)
{
	struct liquid_sorting *sorting = &gate->sorting;

	liquid_assert_root_lock(gate);
	/* The rest of the last time is younger than the sorted packets. */
	liquid_queue_move(gate, &sorting->queue, &gate->unsched);
	liquid_queue_move(gate, &gate->unsched, &sorting->queue);
	sorting->next = 0;
	sorting->active = gate->qlen > liquid_control_qlen(gate);
}

/* Without a schedule all destinations send. */
static bool liquid_may_send(const struct liquid_gate *gate, u32 id)
{
	const struct liquid_sched *oper = liquid_oper(gate);

	return !oper || liquid_sched_has(oper, id);
}

/*
 * Sort the packets of the next destination; false: all destinations are sorted. Bare ACKs of TCP
 * bypass the gate where their destination has no frames, as later ones do, one in each call.
 */
static bool liquid_sort_dest(struct liquid_gate *gate)
{
	u32 id = liquid_ready_next(gate, gate->sorting.next);
	struct liquid_queue *queue;

	gate->sorting.next = id;
	if (id == LIQUID_NONE)
		return false;
	queue = &liquid_own(gate, gate->table->dest[id])->queue;
	if (liquid_may_send(gate, id)) {
		gate->sorting.next++;
	} else if (queue->acks && gate->config.control) {
		liquid_queue_add(gate, &gate->control, liquid_queue_take(gate, queue));
	} else {
		liquid_queue_move(gate, queue, &gate->unsched);
		gate->sorting.next++;
	}
	return true;
}

static void liquid_sort_packet(struct liquid_gate *gate)
{
	struct sk_buff *skb = liquid_queue_take(gate, &gate->sorting.queue);
	bool ack;

	liquid_queue_add(gate, liquid_classify_slow(gate, skb, &ack) ?: &gate->unsched, skb);
}

/* Sort a batch; false: nothing is left to sort. */
bool liquid_sort_batch(struct liquid_gate *gate)
{
	u32 left = LIQUID_SORT_BATCH;

	liquid_assert_root_lock(gate);
	while (left && liquid_sort_dest(gate))
		left--;
	for (; left && gate->sorting.queue.qlen; left--)
		liquid_sort_packet(gate);
	gate->sorting.active = !left;
	return gate->sorting.active;
}
