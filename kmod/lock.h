/* SPDX-License-Identifier: GPL-2.0-only */
/* The root lock, as configuration takes it */
#ifndef LIQUID_LOCK_H
#define LIQUID_LOCK_H

#include "clock.h"
#include "gate.h"
#include "pass.h"

/* Whoever takes the lock for configuration or for a look finds every packet in its queue. */
static inline void liquid_lock_flush(struct liquid_gate *gate)
{
	spin_lock_bh(qdisc_lock(liquid_sch(gate)));
	liquid_pass_stop(gate, ktime_get_ns());
}

static inline void liquid_unlock(struct liquid_gate *gate)
{
	spin_unlock_bh(qdisc_lock(liquid_sch(gate)));
}

/* For configuration: what is due by now has come into force. */
static inline void liquid_lock_advance(struct liquid_gate *gate)
{
	liquid_lock_flush(gate);
	liquid_gate_advance(gate, ktime_get_ns());
}

#endif /* LIQUID_LOCK_H */
