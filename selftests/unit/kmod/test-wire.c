// SPDX-License-Identifier: GPL-2.0-only
/* kmod/pure/wire.h: sizes on the wire, serialisation times, budgets */
#include "pure/wire.h"
#include "tap.h"

static unsigned __int128 exact_ns(u64 bytes, u64 bps)
{
	return ((unsigned __int128)bytes * LIQUID_BIT_NS + bps - 1) / bps;
}

static bool rate_holds(u64 bps, u64 bytes)
{
	struct liquid_rate rate;
	unsigned __int128 exact = exact_ns(bytes, bps), slack = (exact >> 30) + 1;
	u64 ns;

	liquid_rate_set(&rate, bps);
	ns = liquid_wire_ns(&rate, bytes);
	return ns >= exact && ns <= exact + slack;
}

static void test_rate(void)
{
	static const u64 rates[] = { 1000, 1001, 9600, 1000000, 10000000, 100000000, 999999999,
				     1000000000, 10000000000, 25781250000, 100000000000,
				     400000000000, 9999999999999, 10000000000000 };
	static const u64 sizes[] = { 0, 1, 60, 84, 1538, 9038, 65536, 524288, 0x7fffffff };
	struct liquid_rate rate;
	bool all = true;
	size_t i, j;

	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		for (j = 0; j < sizeof(sizes) / sizeof(*sizes); j++)
			all = rate_holds(rates[i], sizes[j]) && all;
	ok(all, "times are never less than exact, and hardly more");
	liquid_rate_set(&rate, 10000000000ULL);
	ok(liquid_wire_ns(&rate, 1538) == 1231, "1538 bytes at 10 Gbit/s");
	liquid_rate_set(&rate, 1000);
	ok(liquid_wire_ns(&rate, 1) == 8000000, "a byte at 1 kbit/s");
	ok(liquid_wire_ns(&rate, U64_MAX) == (u64)S64_MAX,
	   "all bytes at 1 kbit/s: held at the end of time");
	ok(liquid_wire_ns(&rate, 0x80000000ULL) >= exact_ns(0x80000000ULL, 1000),
	   "beyond 2^31 bytes: still not less than exact");
}

static void test_bytes(void)
{
	ok(liquid_wire_bytes(60, 24, 84) == 84, "the smallest Ethernet frame");
	ok(liquid_wire_bytes(1514, 24, 84) == 1538, "the largest");
	ok(liquid_wire_bytes(42, 24, 84) == 84, "padding");
	ok(liquid_wire_bytes(60, -64, 0) == 0, "an overhead that leaves nothing");
	ok(liquid_wire_bytes(60, -14, 0) == 46, "a negative overhead");
	ok(liquid_wire_bytes(0xffffffff, 0, 0) == 0xffffffff, "the largest length");
}

/* One multiplication says the same as bytes first and time second. */
static bool cost_holds(u64 bps, s32 overhead, u32 mpu)
{
	static const u32 lengths[] = { 0, 1, 42, 59, 60, 61, 64, 65, 1514, 9014, 65535, 65536,
				       0x3fffffff };
	struct liquid_rate rate;
	struct liquid_cost cost;
	bool all = true;
	size_t i;

	liquid_rate_set(&rate, bps);
	liquid_cost_set(&cost, &rate, overhead, mpu);
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		all = liquid_cost_ns(&cost, lengths[i]) ==
		      liquid_wire_ns(&rate, liquid_wire_bytes(lengths[i], overhead, mpu)) && all;
	return all;
}

static void test_cost(void)
{
	static const u64 rates[] = { 1000, 9600, 999999999, 10000000000, 25781250000,
				     10000000000000 };
	bool all = true;
	size_t i;

	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		all = cost_holds(rates[i], 24, 84) && cost_holds(rates[i], 0, 0) && all;
		all = cost_holds(rates[i], -64, 0) && cost_holds(rates[i], -64, 84) && all;
		all = cost_holds(rates[i], 1024, 65535) && cost_holds(rates[i], 1024, 0) && all;
	}
	ok(all, "the cost of a packet by one multiplication is its wire time");
}

static void test_gso(void)
{
	ok(liquid_wire_bytes_gso(54 + 2896, 54, 1448, 24, 84) == 2 * (54 + 1448 + 24),
	   "two full segments");
	ok(liquid_wire_bytes_gso(54 + 1449, 54, 1448, 24, 84) == 54 + 1448 + 24 + 84,
	   "a last segment of a byte is padded");
	ok(liquid_wire_bytes_gso(54, 54, 1448, 24, 84) == 84, "nothing but headers");
	ok(liquid_wire_bytes_gso(1514, 54, 0, 24, 84) == 1538, "no segment size: a packet");
	ok(liquid_wire_bytes_gso(20, 54, 1448, 24, 84) == 84, "headers longer than the packet");
	ok(liquid_wire_bytes_gso(0xffffffff, 0, 1, 1024, 0) == 0xffffffffULL * 1025, "no overflow");
}

static void test_budget(void)
{
	ok(liquid_wire_bytes_in(10000000000ULL, 1000000) == 1250000,
	   "a frame of 1 ms at 10 Gbit/s");
	ok(liquid_wire_bytes_in(10000000000000ULL, 10000000000ULL) == 12500000000000ULL,
	   "the largest frame at the highest rate");
	ok(liquid_wire_bytes_in(1000, 10000) == 0, "the smallest at the lowest");
	ok(liquid_permille(1250000, 20) == 25000, "a share");
	ok(liquid_permille(10, 20) == 1, "a share of little is not nothing");
	ok(liquid_permille(10, 0) == 0 && liquid_permille(0, 1000) == 0,
	   "nothing of it, or of nothing");
	ok(liquid_permille(12500000000000ULL, 1000) == 12500000000000ULL, "the whole");
}

static void test_vfinish(void)
{
	ok(liquid_vfinish(100, 50, 10) == 110, "an idle link starts now");
	ok(liquid_vfinish(100, 150, 10) == 160, "a busy link queues");
	ok(liquid_vfinish(S64_MAX - 1, 0, 10) == S64_MAX, "held at the end of time");
}

int main(void)
{
	test_rate();
	test_bytes();
	test_cost();
	test_gso();
	test_budget();
	test_vfinish();
	return tap_exit();
}
