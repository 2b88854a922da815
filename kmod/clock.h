/* SPDX-License-Identifier: GPL-2.0-only */
/* The clock: which schedule is in force, and which frame it is */
#ifndef LIQUID_CLOCK_H
#define LIQUID_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "gate.h"

/* CLOCK_TAI - CLOCK_MONOTONIC */
static inline s64 liquid_tai_offset(void)
{
	return ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_TAI));
}

void __liquid_gate_advance(struct liquid_gate *gate, s64 now, s64 tai_offset);
void liquid_gate_restart(struct liquid_gate *gate);
void liquid_gate_recompute(struct liquid_gate *gate);
void liquid_gate_set_rate(struct liquid_gate *gate, u64 bps);
s32 liquid_tai_utc(void);

/* Bring the gate to @now: schedule in force, frame, budgets. */
static inline void liquid_gate_advance(struct liquid_gate *gate, s64 now)
{
	s64 offset = liquid_tai_offset();

	if (unlikely(now >= gate->frame.valid_until || offset != gate->tai_offset))
		__liquid_gate_advance(gate, now, offset);
}

#endif /* LIQUID_CLOCK_H */
