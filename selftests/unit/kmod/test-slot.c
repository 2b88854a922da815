// SPDX-License-Identifier: GPL-2.0-only
/* kmod/pure/slot.h at its edges: floor division, cycles, ends, boundaries, credits */
#include "pure/slot.h"
#include "tap.h"

#define DAY_NS (86400LL * 1000000000LL)

static void test_floor(void)
{
	ok(liquid_floor_mod(7, 3) == 1, "rest of a positive number");
	ok(liquid_floor_mod(-7, 3) == 2, "rest of a negative number");
	ok(liquid_floor_mod(-3, 3) == 0, "rest of a negative multiple");
	ok(liquid_floor_mod(-1, 1000) == 999, "just below zero");
	ok(liquid_floor_mod(S64_MAX, 1000) == 807, "the largest number");
	ok(liquid_floor_mod(-S64_MAX - 1, 7) == (u32)(((-S64_MAX - 1) % 7 + 7) % 7),
	   "the smallest number");
}

static bool slot_holds(s64 now, s64 base, u64 frame_ns, u32 frames)
{
	struct liquid_slot slot = liquid_slot_at(now, base, frame_ns, frames);
	__int128 start = (__int128)base + (__int128)slot.frame * (__int128)frame_ns;
	__int128 index = (__int128)slot.frame % frames;

	if (index < 0)
		index += frames;
	return slot.start == start && slot.start <= now && slot.index == index &&
	       (slot.end == S64_MAX || (slot.end > now && slot.end == start + (__int128)frame_ns));
}

static void test_slot(void)
{
	struct liquid_slot slot = liquid_slot_at(1050, 1000, 100, 4);

	ok(slot.frame == 0 && slot.index == 0 && slot.start == 1000 && slot.end == 1100,
	   "in the first frame");
	slot = liquid_slot_at(1100, 1000, 100, 4);
	ok(slot.frame == 1 && slot.index == 1 && slot.start == 1100,
	   "a boundary belongs to what follows");
	slot = liquid_slot_at(1099, 1000, 100, 4);
	ok(slot.frame == 0 && slot.end == 1100, "the last moment of a frame");
	slot = liquid_slot_at(1400, 1000, 100, 4);
	ok(slot.frame == 4 && slot.index == 0, "the second cycle");
	slot = liquid_slot_at(999, 1000, 100, 4);
	ok(slot.frame == -1 && slot.index == 3 && slot.start == 900 && slot.end == 1000,
	   "trap 03: before the base time the cycle goes on downwards");
	ok(slot_holds(0, S64_MAX, 10000, 1048576), "now 0, base at the end of time");
	ok(slot_holds(S64_MAX, 0, 10000, 1048576), "now at the end of time");
	ok(slot_holds(S64_MAX - 1, S64_MAX, 10000000000ULL, 3), "both at the end of time");
	ok(liquid_slot_at(-5, 0, 100, 3).start == 0, "a negative clock counts as 0");
}

static void test_slot_sweep(void)
{
	u64 seed = 1, i;
	bool all = true;

	for (i = 0; i < 200000 && all; i++) {
		s64 now, base;
		u64 frame_ns;
		u32 frames;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		now = (s64)(seed >> (1 + i % 40));
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		base = (s64)(seed >> (1 + i % 37));
		frame_ns = 10000 + seed % 9999990001ULL;
		frames = 1 + (u32)(seed >> 44) % 1048576;
		all = slot_holds(now, base, frame_ns, frames);
	}
	ok(all, "200,000 random slots agree with 128-bit arithmetic");
}

static void test_uptime(void)
{
	struct liquid_slot slot = liquid_slot_at(1000 * DAY_NS + 25000, 0, 10000, 7);

	ok(slot.frame == 1000 * DAY_NS / 10000 + 2 && slot.start == 1000 * DAY_NS + 20000,
	   "trap 15: no overflow after 510 days, nor after 1000");
	slot = liquid_slot_at(600LL * 1000000000LL, 0, 10000, 3);
	ok(slot.frame == 60000000 && slot.index == 0, "trap 02: a step of 600 s is one division");
}

static void test_cycles(void)
{
	u64 ns = 0;

	ok(liquid_cycles_ns(10000, 4, 3, &ns) && ns == 120000, "length of three cycles");
	ok(liquid_cycles_ns(10000000000ULL, 1048576, 1, &ns) && ns == 10000000000ULL * 1048576,
	   "the longest cycle");
	ok(!liquid_cycles_ns(10000000000ULL, 1048576, 1000000, &ns), "cycles beyond all time");
	ok(!liquid_cycles_ns(10000, 1, U64_MAX, &ns), "the largest number of cycles");
	ok(!liquid_cycles_ns(U64_MAX, 2, 1, &ns), "a cycle beyond all time");
	ok(liquid_cycles_ns((u64)S64_MAX, 1, 1, &ns) && ns == (u64)S64_MAX, "all time at once");
}

static void test_end(void)
{
	s64 end = 0;

	ok(liquid_end_time(1000, 100, 4, 2, &end) && end == 1800, "the end of two cycles");
	ok(liquid_end_time(1000, 100, 4, 0, &end) && end == LIQUID_TIME_NEVER, "no end");
	ok(!liquid_end_time(S64_MAX - 399, 100, 4, 1, &end), "an end beyond all time");
	ok(!liquid_end_time(S64_MAX - 399, 100, 4, 0, &end), "a first cycle beyond all time");
	ok(liquid_end_time(S64_MAX - 400, 100, 4, 1, &end) && end == S64_MAX,
	   "an end at the end of time");
}

static void test_boundary(void)
{
	ok(liquid_next_boundary(500, 1000, 400) == 1000, "a base time to come");
	ok(liquid_next_boundary(1000, 1000, 400) == 1000, "a base time now");
	ok(liquid_next_boundary(1001, 1000, 400) == 1400, "a base time just past");
	ok(liquid_next_boundary(1400, 1000, 400) == 1400, "on a boundary");
	ok(liquid_next_boundary(1700000000000000000LL, 3, 1000000) == 1700000000000000003LL,
	   "a base time of 1970");
	ok(liquid_next_boundary(S64_MAX - 1, 0, 1ULL << 62) == S64_MAX,
	   "a boundary beyond all time");
}

static void test_add(void)
{
	ok(liquid_time_add(5, 7) == 12 && liquid_time_add(-5, 7) == 2, "times add");
	ok(liquid_time_add(S64_MAX, 1) == S64_MAX, "time stops at its end");
	ok(liquid_time_add(1, U64_MAX) == S64_MAX, "an addend beyond all time");
	ok(liquid_time_add(-5, (u64)S64_MAX) == S64_MAX - 5, "a negative time may add all");
}

static void test_credit(void)
{
	ok(liquid_credit_refill(-50, 1, 100, 100) == 50, "a frame's budget");
	ok(liquid_credit_refill(50, 1, 100, 100) == 100, "held at its cap");
	ok(liquid_credit_refill(-1000, 3, 100, 100) == -700, "debts are kept");
	ok(liquid_credit_refill(0, U64_MAX, U64_MAX / 2, S64_MAX) == S64_MAX, "no overflow");
	ok(liquid_credit_refill(-5, 10, 0, 0) == -5, "no budget, no refill");
	ok(liquid_credit_refill(200, 1, 100, 100) == 100, "a smaller cap takes credit away");
	ok(liquid_credit_frames(1, 10) == 0 && liquid_credit_frames(0, 10) == 1 &&
	   liquid_credit_frames(-10, 10) == 2 && liquid_credit_frames(-9, 10) == 1,
	   "frames until credit is positive");
	ok(liquid_credit_frames(0, 0) == U64_MAX, "without a budget it never is");
}

int main(void)
{
	test_floor();
	test_slot();
	test_slot_sweep();
	test_uptime();
	test_cycles();
	test_end();
	test_boundary();
	test_add();
	test_credit();
	return tap_exit();
}
