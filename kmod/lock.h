/* SPDX-License-Identifier: GPL-2.0-only */
/* The root lock, for all but the data path */
#ifndef LIQUID_LOCK_H
#define LIQUID_LOCK_H

#include "frames/clock.h"
#include "gate.h"
#include "packets/pass.h"

/*
 * Take the lock of one gate of a device outside of the data path, to read its counters.
 * Readers take the locks one after the other, so that no TX queue waits for another's.
 */
static inline void liquid_lock_gate(struct liquid_gate *gate)
{
	spin_lock_bh(qdisc_lock(liquid_sch(gate)));
	liquid_pass_stop(gate, ktime_get_ns());
}

static inline void liquid_unlock_gate(struct liquid_gate *gate)
{
	spin_unlock_bh(qdisc_lock(liquid_sch(gate)));
}

/* The same, and in this gate a schedule that is due by now has come into force. */
static inline void liquid_lock_gate_advance(struct liquid_gate *gate)
{
	liquid_lock_gate(gate);
	liquid_gate_check(gate, ktime_get_ns());
}

/*
 * Take the root lock outside of the data path: the locks of all gates of the device, the root's
 * first. Stops the short path, so that every packet is in a queue.
 */
static inline void liquid_lock_flush(struct liquid_gate *root)
{
	struct liquid_gate *gate;

	spin_lock_bh(qdisc_lock(liquid_sch(root)));
	for (gate = root->family.next; gate; gate = gate->family.next) {
		spin_lock_nest_lock(qdisc_lock(liquid_sch(gate)), qdisc_lock(liquid_sch(root)));
		__release(lock);	/* sparse cannot count locks of a loop */
	}
	for (gate = root; gate; gate = gate->family.next)
		liquid_pass_stop(gate, ktime_get_ns());
}

static inline void liquid_unlock(struct liquid_gate *root)
{
	struct liquid_gate *gate;

	for (gate = root->family.next; gate; gate = gate->family.next) {
		__acquire(lock);
		spin_unlock(qdisc_lock(liquid_sch(gate)));
	}
	spin_unlock_bh(qdisc_lock(liquid_sch(root)));
}

/* The same, and a schedule that is due by now has come into force. */
static inline void liquid_lock_advance(struct liquid_gate *root)
{
	struct liquid_gate *gate;
	s64 now;

	liquid_lock_flush(root);
	now = ktime_get_ns();
	for (gate = root; gate; gate = gate->family.next)
		liquid_gate_check(gate, now);
}

#endif /* LIQUID_LOCK_H */
