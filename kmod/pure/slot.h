/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slot arithmetic: pure, without overflow, also compiled for tests on the host
 *
 * Times are ns of CLOCK_TAI as s64, never negative. A frame lasts LIQUID_FRAME_NS_MAX at most. The
 * index of a frame is always computed by division of the time since the base time, never by
 * counting, so that neither a step of the clock nor a long uptime can shift it. Before the base
 * time frames have negative numbers, so that a gate stays gated when the clock is stepped back.
 */
#ifndef LIQUID_SLOT_H
#define LIQUID_SLOT_H

#ifdef __KERNEL__
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
#define S64_MAX ((s64)(~0ULL >> 1))
#define U64_MAX (~0ULL)
static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}
#endif

/* "Forever": the largest s64 */
#define LIQUID_TIME_NEVER	S64_MAX

/* The frame at a point in time */
struct liquid_slot {
	s64 frame;		/* frames since the base time; negative before it */
	u32 index;		/* in the cycle */
	s64 start;
	s64 end;
};

/* a + b, at most LIQUID_TIME_NEVER; a >= 0, or b is small. */
static inline s64 liquid_time_add(s64 a, u64 b)
{
	if (b > (u64)S64_MAX || (a > 0 && (u64)a > (u64)S64_MAX - b))
		return LIQUID_TIME_NEVER;
	return a + (s64)b;
}

/* a mod b, 0 ... b - 1, for any a */
static inline u32 liquid_floor_mod(s64 a, u32 b)
{
	u64 rest;

	if (a >= 0) {
		div64_u64_rem((u64)a, b, &rest);
		return (u32)rest;
	}
	div64_u64_rem((u64)(-1 - a), b, &rest);
	return b - 1 - (u32)rest;
}

/* The slot of @now in a schedule of @frames frames of @frame_ns that starts at @base. */
static inline struct liquid_slot liquid_slot_at(s64 now, s64 base, u64 frame_ns, u32 frames)
{
	struct liquid_slot slot;
	s64 since;
	u64 rest;

	if (now < 0)
		now = 0;
	since = now - base;
	if (since >= 0) {
		slot.frame = (s64)div64_u64_rem((u64)since, frame_ns, &rest);
	} else {
		slot.frame = -1 - (s64)div64_u64_rem((u64)(-1 - since), frame_ns, &rest);
		rest = frame_ns - 1 - rest;
	}
	slot.index = liquid_floor_mod(slot.frame, frames);
	slot.start = now - (s64)rest;
	slot.end = liquid_time_add(slot.start, frame_ns);
	return slot;
}

/* Length of @cycles cycles; false: it does not fit s64. */
static inline bool liquid_cycles_ns(u64 frame_ns, u32 frames, u64 cycles, u64 *ns)
{
	u64 cycle;

	if (frames && frame_ns > div64_u64((u64)S64_MAX, frames))
		return false;
	cycle = frame_ns * frames;
	if (cycle && cycles > div64_u64((u64)S64_MAX, cycle))
		return false;
	*ns = cycle * cycles;
	return true;
}

/*
 * End of a schedule: @cycles cycles after @base, LIQUID_TIME_NEVER for 0 cycles; false: that time,
 * or the end of the first cycle, does not fit s64.
 */
static inline bool liquid_end_time(s64 base, u64 frame_ns, u32 frames, u64 cycles, s64 *end)
{
	u64 ns;

	if (!liquid_cycles_ns(frame_ns, frames, cycles ? cycles : 1, &ns) ||
	    ns > (u64)S64_MAX - (u64)base)
		return false;
	*end = cycles ? base + (s64)ns : LIQUID_TIME_NEVER;
	return true;
}

/* The first start of a cycle at or after both @now and @base */
static inline s64 liquid_next_boundary(s64 now, s64 base, u64 cycle_ns)
{
	u64 rest;

	if (now <= base)
		return base;
	div64_u64_rem((u64)(now - base), cycle_ns, &rest);
	return rest ? liquid_time_add(now, cycle_ns - rest) : now;
}

/* @credit after @frames refills of @budget, at most @cap */
static inline s64 liquid_credit_refill(s64 credit, u64 frames, u64 budget, s64 cap)
{
	if (credit >= cap || !budget)
		return credit < cap ? credit : cap;
	if (frames > div64_u64((u64)(cap - credit), budget))
		return cap;
	return credit + (s64)(frames * budget);
}

/* Number of refills of @budget that make @credit positive; U64_MAX: infinite */
static inline u64 liquid_credit_frames(s64 credit, u64 budget)
{
	if (credit > 0)
		return 0;
	if (!budget)
		return U64_MAX;
	return div64_u64((u64)-credit, budget) + 1;
}

#endif /* LIQUID_SLOT_H */
