/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Slot arithmetic: pure, safe from overflow, shared with the tests on the host
 *
 * Times are ns of CLOCK_TAI as s64 and never negative; a frame lasts at most
 * LIQUID_FRAME_NS_MAX. The index of a frame always comes from a division of the
 * time since the base time, never from counting, so that neither a step of the
 * clock nor a long uptime can shift it. Before the base time the arithmetic goes
 * on downwards (floor), so that a clock stepped back leaves a gate gated.
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

/* "Forever", and the end of what s64 can say. */
#define LIQUID_TIME_NEVER	S64_MAX

/**
 * struct liquid_slot - where in a schedule a moment lies
 * @frame: frames since the base time; negative before it
 * @index: the frame's index in its cycle
 * @start: when the frame began
 * @end: when it ends
 */
struct liquid_slot {
	s64 frame;
	u32 index;
	s64 start;
	s64 end;
};

/* a + b, held at the end of time; a >= 0 or b small. */
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

/* Length of @cycles cycles; false if it does not fit s64. */
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
 * When a schedule ends: @cycles cycles after @base, never for 0 cycles; false if
 * that moment, or the end of its first cycle, is beyond what s64 can say.
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

/* The first boundary of a cycle at @now or later, not before @base. */
static inline s64 liquid_next_boundary(s64 now, s64 base, u64 cycle_ns)
{
	u64 rest;

	if (now <= base)
		return base;
	div64_u64_rem((u64)(now - base), cycle_ns, &rest);
	return rest ? liquid_time_add(now, cycle_ns - rest) : now;
}

/* A budget refilled by @budget for each of @frames frames, held at @cap. */
static inline s64 liquid_credit_refill(s64 credit, u64 frames, u64 budget, s64 cap)
{
	if (credit >= cap || !budget)
		return credit < cap ? credit : cap;
	if (frames > div64_u64((u64)(cap - credit), budget))
		return cap;
	return credit + (s64)(frames * budget);
}

/* How many frames' @budget make @credit positive; U64_MAX: none ever does. */
static inline u64 liquid_credit_frames(s64 credit, u64 budget)
{
	if (credit > 0)
		return 0;
	if (!budget)
		return U64_MAX;
	return div64_u64((u64)-credit, budget) + 1;
}

#endif /* LIQUID_SLOT_H */
