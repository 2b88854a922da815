/* SPDX-License-Identifier: GPL-2.0-only */
/* The timer that wakes the gate */
#ifndef LIQUID_WAKE_H
#define LIQUID_WAKE_H

#include "gate.h"

#define LIQUID_TIMER_CAP_NS	(10 * NSEC_PER_MSEC) /* longest sleep: to notice a clock step */

void liquid_arm_timer(struct liquid_gate *gate, s64 now, s64 time);
void liquid_sleep(struct liquid_gate *gate, s64 now, bool stopped);
void liquid_wake_earlier(struct liquid_gate *gate, struct liquid_queue *queue, s64 now);

/* There is nothing to do yet; the timer is then set. */
static inline bool liquid_is_asleep(struct liquid_gate *gate, s64 now)
{
	const struct liquid_link *link = &gate->link;

	/* Let half of the released data drain, so that each wake-up releases several packets. */
	if (unlikely(gate->wait.wake <= now && link->vfinish > now + link->ahead))
		gate->wait.wake = min(link->vfinish - link->ahead / 2, now + LIQUID_TIMER_CAP_NS);
	if (likely(gate->wait.wake <= now)) {
		gate->wait.wake = 0;
		return false;
	}
	liquid_arm_timer(gate, now, gate->wait.wake);
	return true;
}

#endif /* LIQUID_WAKE_H */
