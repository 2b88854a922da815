/* SPDX-License-Identifier: GPL-2.0-only */
/* How long it takes until the driver has the released packets */
#ifndef LIQUID_HANDOVER_H
#define LIQUID_HANDOVER_H

#include "gate.h"

void liquid_handover_near(struct liquid_gate *gate, s64 limit, u64 guard);
void liquid_handover_begin(struct liquid_gate *gate, u32 txq, s64 now);
void liquid_handover_add(struct liquid_gate *gate);
void liquid_handover_look(struct liquid_gate *gate);
void liquid_handover_end(struct liquid_gate *gate);
void liquid_count_late(struct liquid_gate *gate, u32 id, u64 ns, u64 count);
u32 liquid_bql_queued(const struct netdev_queue *txq);
u32 liquid_in_flight(const struct netdev_queue *txq);

/*
 * A packet is queued. If the core does not send at this moment, it has stopped in the middle of the
 * run that is being measured, and the time is unknown.
 */
static inline void liquid_handover_enqueue(struct liquid_gate *gate)
{
	if (unlikely(gate->handover.start) && !qdisc_is_running(liquid_sch(gate)))
		liquid_handover_end(gate);
}

#endif /* LIQUID_HANDOVER_H */
