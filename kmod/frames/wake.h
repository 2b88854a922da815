/* SPDX-License-Identifier: GPL-2.0-only */
/* The timer that wakes the gate */
#ifndef LIQUID_WAKE_H
#define LIQUID_WAKE_H

#include "packets/packet.h"

#define LIQUID_TIMER_CAP_NS	(10 * NSEC_PER_MSEC) /* longest sleep: to notice a clock step */

void liquid_arm_timer(struct liquid_gate *gate, s64 now, s64 time);
s64 liquid_wait_busy(const struct liquid_gate *gate, s64 now);
void liquid_sleep(struct liquid_gate *gate, s64 now, bool stopped);
void liquid_wait_for_wire(struct liquid_gate *gate, s64 now, s64 last);
void liquid_join_frame(struct liquid_gate *gate);
void liquid_wake_earlier(struct liquid_gate *gate, struct liquid_queue *queue, s64 now);

/* There is nothing to do yet; the timer is then set. */
static inline bool liquid_is_asleep(struct liquid_gate *gate, s64 now)
{
	s64 last = liquid_wire_end(gate);

	if (likely(gate->wait.wake <= now)) {
		if (likely(last <= now + gate->link.window || liquid_has_reserved(gate))) {
			gate->wait.wake = 0;
			return false;
		}
		liquid_wait_for_wire(gate, now, last);
	}
	liquid_arm_timer(gate, now, gate->wait.wake);
	return true;
}

#endif /* LIQUID_WAKE_H */
