/* SPDX-License-Identifier: GPL-2.0-only */
/* The root lock, for all but the data path */
#ifndef LIQUID_LOCK_H
#define LIQUID_LOCK_H

#include "clock.h"
#include "gate.h"
#include "pass.h"

/*
 * Take the root lock outside of the data path. Stops the short path, so that every packet is in a
 * queue.
 */
static inline void liquid_lock_flush(struct liquid_gate *gate)
{
	spin_lock_bh(qdisc_lock(liquid_sch(gate)));
	liquid_pass_stop(gate, ktime_get_ns());
}

static inline void liquid_unlock(struct liquid_gate *gate)
{
	spin_unlock_bh(qdisc_lock(liquid_sch(gate)));
}

/* The same, and a schedule that is due by now has come into force. */
static inline void liquid_lock_advance(struct liquid_gate *gate)
{
	liquid_lock_flush(gate);
	liquid_gate_check(gate, ktime_get_ns());
}

#endif /* LIQUID_LOCK_H */
