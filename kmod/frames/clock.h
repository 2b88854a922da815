/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock: which schedule is in force, and which frame it is */
#ifndef LIQUID_CLOCK_H
#define LIQUID_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "gate.h"

#define LIQUID_CHECK_NS		NSEC_PER_MSEC /* longest time until a clock step is noticed */

/* CLOCK_TAI - CLOCK_MONOTONIC */
static inline s64 liquid_tai_offset(void)
{
	return ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_TAI));
}

void liquid_gate_check(struct liquid_gate *gate, s64 now);
void liquid_gate_restart(struct liquid_gate *gate);
void liquid_gate_set_skip(struct liquid_gate *gate);
void liquid_gate_recompute(struct liquid_gate *gate);
void liquid_gate_set_rate(struct liquid_gate *gate, u64 bps);
s32 liquid_tai_utc(void);

/* The frame must be derived again, from the clock, the schedule and the destinations. */
static inline void liquid_frame_forget(struct liquid_gate *gate)
{
	gate->frame.valid_until = S64_MIN;
	gate->frame.checked_until = S64_MIN;
	gate->handover.from = LIQUID_TIME_NEVER;
}

/* Bring the gate to @now: schedule in force, frame, budgets. */
static inline void liquid_gate_advance(struct liquid_gate *gate, s64 now)
{
	if (unlikely(now >= gate->frame.checked_until))
		liquid_gate_check(gate, now);
}

#endif /* LIQUID_CLOCK_H */
