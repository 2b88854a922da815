// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of slot.h and wire.h: frames by time, wire times, credits, at their edges */
#include <kunit/test.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/time64.h>

#include "pure/slot.h"
#include "pure/wire.h"

struct slot_case {
	const char *name;
	s64 now;
	s64 base;
	u64 frame_ns;
	u32 frames;
	struct liquid_slot slot;
};

static const struct slot_case slot_cases[] = {
	{ "in the first frame", 1050, 1000, 100, 4, { 0, 0, 1000, 1100 } },
	{ "a boundary belongs to what follows", 1100, 1000, 100, 4, { 1, 1, 1100, 1200 } },
	{ "the last moment of a frame", 1099, 1000, 100, 4, { 0, 0, 1000, 1100 } },
	{ "the second cycle", 1400, 1000, 100, 4, { 4, 0, 1400, 1500 } },
	{ "before the base time", 999, 1000, 100, 4, { -1, 3, 900, 1000 } },
	{ "a negative clock counts as 0", -5, 0, 100, 3, { 0, 0, 0, 100 } },
	{ "the end of time", S64_MAX, S64_MAX - 50, 100, 1, { 0, 0, S64_MAX - 50, S64_MAX } },
};

static void slot_case_name(const struct slot_case *slot, char *name)
{
	strscpy(name, slot->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(slot, slot_cases, slot_case_name);

static void test_slot_at(struct kunit *test)
{
	const struct slot_case *c = test->param_value;
	struct liquid_slot slot = liquid_slot_at(c->now, c->base, c->frame_ns, c->frames);

	KUNIT_EXPECT_EQ(test, slot.frame, c->slot.frame);
	KUNIT_EXPECT_EQ(test, slot.index, c->slot.index);
	KUNIT_EXPECT_EQ(test, slot.start, c->slot.start);
	KUNIT_EXPECT_EQ(test, slot.end, c->slot.end);
}

static void test_floor_mod(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, liquid_floor_mod(7, 3), 1);
	KUNIT_EXPECT_EQ(test, liquid_floor_mod(-7, 3), 2);
	KUNIT_EXPECT_EQ(test, liquid_floor_mod(-3, 3), 0);
	KUNIT_EXPECT_EQ(test, liquid_floor_mod(-1, 1000), 999);
	KUNIT_EXPECT_EQ(test, liquid_floor_mod(S64_MAX, 1000), 807);
	KUNIT_EXPECT_EQ(test, liquid_floor_mod(S64_MIN, 2), 0);
}

static void test_end_time(struct kunit *test)
{
	s64 end = 0;

	KUNIT_EXPECT_TRUE(test, liquid_end_time(1000, 100, 4, 2, &end));
	KUNIT_EXPECT_EQ(test, end, 1800);
	KUNIT_EXPECT_TRUE(test, liquid_end_time(1000, 100, 4, 0, &end));
	KUNIT_EXPECT_EQ(test, end, LIQUID_TIME_NEVER);
	KUNIT_EXPECT_TRUE(test, liquid_end_time(S64_MAX - 400, 100, 4, 1, &end));
	KUNIT_EXPECT_EQ(test, end, S64_MAX);
	KUNIT_EXPECT_FALSE(test, liquid_end_time(S64_MAX - 399, 100, 4, 1, &end));
	KUNIT_EXPECT_FALSE(test, liquid_end_time(0, U64_MAX, U32_MAX, U64_MAX, &end));
}

static void test_credits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, liquid_credit_refill(-10, 3, 5, 100), 5);
	KUNIT_EXPECT_EQ(test, liquid_credit_refill(-10, U64_MAX, 5, 100), 100);
	KUNIT_EXPECT_EQ(test, liquid_credit_refill(0, 1, 0, 100), 0);
	KUNIT_EXPECT_EQ(test, liquid_credit_frames(1, 5), 0);
	KUNIT_EXPECT_EQ(test, liquid_credit_frames(0, 5), 1);
	KUNIT_EXPECT_EQ(test, liquid_credit_frames(-5, 5), 2);
	KUNIT_EXPECT_EQ(test, liquid_credit_frames(-4, 5), 1);
	KUNIT_EXPECT_EQ(test, liquid_credit_frames(0, 0), U64_MAX);
}

static void test_wire_ns(struct kunit *test)
{
	static const u64 rates[] = {
		1000, 9600, 999999937, NSEC_PER_SEC, 100 * NSEC_PER_SEC, 10000 * NSEC_PER_SEC,
	};
	struct liquid_rate rate;
	u64 exact, ns;
	u32 i, bytes;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		liquid_rate_set(&rate, rates[i]);
		for (bytes = 1; bytes < 1000000; bytes = bytes * 3 + 1) {
			exact = mul_u64_u64_div_u64(bytes, LIQUID_BIT_NS, rates[i]);
			ns = liquid_wire_ns(&rate, bytes);
			/* never too short, and one part in 2^31 and a ns too long at most */
			KUNIT_EXPECT_GE(test, ns, exact);
			KUNIT_EXPECT_LE(test, ns, exact + 1 + (exact >> 30));
		}
	}
	KUNIT_EXPECT_LE(test, liquid_wire_ns(&rate, U64_MAX), S64_MAX);
}

static void test_wire_bytes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, liquid_wire_bytes(60, 24, 84), 84);
	KUNIT_EXPECT_EQ(test, liquid_wire_bytes(59, 24, 84), 84);
	KUNIT_EXPECT_EQ(test, liquid_wire_bytes(61, 24, 84), 85);
	KUNIT_EXPECT_EQ(test, liquid_wire_bytes(10, -64, 0), 0);
	/* 54 bytes of headers, 3000 of data: two segments of 1448 and one of 104 */
	KUNIT_EXPECT_EQ(test, liquid_wire_bytes_gso(3054, 54, 1448, 24, 84),
			2 * (54 + 1448 + 24) + 54 + 104 + 24);
	KUNIT_EXPECT_EQ(test, liquid_permille(1, 1), 1);
	KUNIT_EXPECT_EQ(test, liquid_permille(2000, 50), 100);
	KUNIT_EXPECT_EQ(test, liquid_wire_bytes_in(10 * NSEC_PER_SEC, NSEC_PER_MSEC), 1250000);
}

static void test_cost(struct kunit *test)
{
	struct liquid_cost cost;
	struct liquid_rate rate;
	u32 len;

	liquid_rate_set(&rate, 25 * NSEC_PER_SEC);
	liquid_cost_set(&cost, &rate, 24, 84);
	for (len = 0; len < 70000; len += 7)
		KUNIT_EXPECT_EQ(test, liquid_cost_ns(&cost, len),
				liquid_wire_ns(&rate, liquid_wire_bytes(len, 24, 84)));
}

static struct kunit_case liquid_cases[] = {
	KUNIT_CASE_PARAM(test_slot_at, slot_gen_params),
	KUNIT_CASE(test_floor_mod),
	KUNIT_CASE(test_end_time),
	KUNIT_CASE(test_credits),
	KUNIT_CASE(test_wire_ns),
	KUNIT_CASE(test_wire_bytes),
	KUNIT_CASE(test_cost),
	{}
};

static struct kunit_suite liquid_suite = {
	.name = "liquid",
	.test_cases = liquid_cases,
};
kunit_test_suite(liquid_suite);

MODULE_DESCRIPTION("KUnit tests of the arithmetic of liquid schedules");
MODULE_LICENSE("GPL");
