// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hand-over: how long it takes until the driver has the released packets
 *
 * The core dequeues a run of packets, hands all of it to the driver without the root lock, and
 * calls dequeue again. So that call shows that the driver has the run. The time since the run's
 * first dequeue is the release lag, for which the guard must suffice (XMIT); and if the frame is
 * over by then, the run is late.
 *
 * The call shows it only if it follows the hand-over at once. It does not if the TX queue was
 * stopped, or if the core had done its share of work: then it comes from a softirq, or from the
 * task that enqueues next, much later. Such a run is not counted. The signs are:
 *
 * 1. The core calls on another processor, or after another round of NET_TX softirqs on this one:
 *    something has scheduled the qdisc.
 *
 * 2. A packet was enqueued while the core was not sending (liquid_handover_enqueue()). A packet
 *    that may pass is enqueued without that question, so one that is stashed is such a sign too.
 *
 * 3. The core has requeued.
 *
 * Which call is the one after the hand-over? If the driver reports to BQL: the first at
 * which BQL has counted more. Without BQL the gate knows how many packets the core dequeues in a
 * run (liquid_run_room()).
 *
 * Not every run is measured, and none of the short path, which would pay for it. Before the end of
 * a frame comes near, one run in 250 us suffices for a histogram. Near the end, all of them are:
 * no packet takes the short path there (pass.limit). Near means: less time than twice the guard is
 * left.
 */
#include <linux/kernel_stat.h>

#include "packets/handover.h"
#include "netlink/notify.h"
#include "frames/schedule.h"
#include "packets/table.h"

#define LIQUID_HANDOVER_NS	(250 * NSEC_PER_USEC) /* shortest time between two runs measured */
#define LIQUID_GUARD_RUNS	10000	/* runs after which the guard is checked */
#define LIQUID_GUARD_ABOVE	10	/* of these, how many may exceed the guard */

/* The processor, and the number of times that it has handled NET_TX softirqs */
static u64 liquid_handover_context(void)
{
	unsigned int cpu = smp_processor_id();

	return (u64)cpu << 32 | kstat_softirqs_cpu(NET_TX_SOFTIRQ, cpu);
}

#ifdef CONFIG_BQL
/* Bytes that the driver has ever reported to BQL; 0: it does not use BQL */
u32 liquid_bql_queued(const struct netdev_queue *txq)
{
	return READ_ONCE(txq->dql.num_queued);
}

/* Bytes that the device has not reported as sent */
u32 liquid_in_flight(const struct netdev_queue *txq)
{
	return READ_ONCE(txq->dql.num_queued) - READ_ONCE(txq->dql.num_completed);
}
#else
u32 liquid_bql_queued(const struct netdev_queue *txq)
{
	return 0;
}

u32 liquid_in_flight(const struct netdev_queue *txq)
{
	return 0;
}
#endif

/* A frame begins, in which transmissions must end by @limit. */
void liquid_handover_near(struct liquid_gate *gate, s64 limit, u64 guard)
{
	struct liquid_handover *run = &gate->handover;

	run->near = limit - (s64)min(guard, (u64)gate->frame.room / 16);
	run->from = min(run->near, run->next);
}

/* The core begins a run that is to be measured. */
void liquid_handover_begin(struct liquid_gate *gate, u32 txq, s64 now)
{
	struct liquid_handover *run = &gate->handover;

	run->next = now + LIQUID_HANDOVER_NS;
	run->from = min(run->near, run->next);
	run->start = now;
	run->context = liquid_handover_context();
	run->txq = netdev_get_tx_queue(qdisc_dev(liquid_sch(gate)), txq);
	run->queued = liquid_bql_queued(run->txq);
	run->packets = 0;
	gate->usual = ~gate->requeues;	/* so that dequeue calls liquid_handover_look() */
}

/* A packet that must leave in its frame joins the run. */
void liquid_handover_add(struct liquid_gate *gate)
{
	struct liquid_handover *run = &gate->handover;

	if (!run->packets)
		run->end = gate->release_end;
	run->packets += run->end == gate->release_end;
	run->id = gate->release_id;
}

void liquid_handover_end(struct liquid_gate *gate)
{
	gate->handover.start = 0;
	gate->usual = gate->requeues;
}

/* @count packets, the last of them for destination @id, were @ns late. */
void liquid_count_late(struct liquid_gate *gate, u32 id, u64 ns, u64 count)
{
	struct liquid_dest *dest = liquid_own(gate, liquid_dest_by_id(gate->table, id));

	gate->stat[LIQUID_STATS_A_LATE] += count;
	liquid_notify(gate, LIQUID_EVENT_LATE, count, 0);
	liquid_hist_note(&gate->times.late, ns, count);
	if (!dest)
		return;
	dest->stat[LIQUID_STATS_A_LATE] += count;
	liquid_hist_note(&dest->times.late, ns, count);
}

/* After many runs: did too many of them take longer than the guard? */
static void liquid_check_guard(struct liquid_gate *gate, u64 ns)
{
	const struct liquid_sched *oper = liquid_oper(gate);
	struct liquid_shared *shared = gate->shared;
	s64 above;

	if (oper && ns > oper->guard_ns + gate->link.launch / 2)
		atomic64_inc(&shared->runs_above);
	if (atomic64_inc_return(&shared->runs) != LIQUID_GUARD_RUNS)
		return;
	atomic64_set(&shared->runs, 0);
	above = atomic64_xchg(&shared->runs_above, 0);
	if (above >= LIQUID_GUARD_ABOVE)
		liquid_notify(gate, LIQUID_EVENT_GUARD_SHORT, above, 0);
}

static void liquid_handover_count(struct liquid_gate *gate)
{
	const struct liquid_handover *run = &gate->handover;
	s64 now = ktime_get_ns();

	liquid_hist_note_fine(&gate->delays.xmit, now - run->start);
	liquid_check_guard(gate, now - run->start);
	if (run->packets && now > run->end)
		liquid_count_late(gate, run->id, now - run->end, run->packets);
}

/* The core calls dequeue while a run is being measured. */
void liquid_handover_look(struct liquid_gate *gate)
{
	const struct liquid_handover *run = &gate->handover;
	bool more = gate->run.txq >= 0 && gate->run.room > 0;
	u32 queued;

	liquid_assert_root_lock(gate);
	if (!run->start)
		return;
	queued = liquid_bql_queued(run->txq);
	if (queued == run->queued && more)
		return;
	if (run->context == liquid_handover_context() && !gate->pass.skb &&
	    liquid_sch(gate)->qstats.requeues == gate->requeues &&
	    (queued != run->queued || !queued))
		liquid_handover_count(gate);
	liquid_handover_end(gate);
}
