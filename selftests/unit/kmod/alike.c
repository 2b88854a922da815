// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module's pure headers compute for many numbers, as a line for each function: processors
 * of 32 bits, or with another order of bytes, must print the same. That the numbers are right is
 * for the tests of these headers, which need integers of 128 bits.
 */
#include <stdio.h>

#include "pure/hist.h"
#include "pure/slot.h"
#include "pure/wire.h"

#define DRAWS 200000

static u64 state = 88172645463325252ULL;

/* xorshift64; of all sizes */
static u64 draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> (state >> 32 & 63);
}

/* 64-bit FNV-1a, a number at a time */
static void add(u64 *sum, u64 number)
{
	*sum = (*sum ^ number) * 1099511628211ULL;
}

static u64 slots(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < DRAWS; i++) {
		s64 now = (s64)(draw() >> 2), base = (s64)(draw() >> 2), end;
		u64 frame_ns = (draw() >> 20) + 1, cycles = draw() >> 30;
		u32 frames = (u32)(draw() >> 40) + 1;
		struct liquid_slot slot;

		base = i % 2 ? base : -base;
		slot = liquid_slot_at(now, base, frame_ns, frames);
		add(&sum, (u64)slot.frame);
		add(&sum, (u64)slot.start);
		add(&sum, (u64)slot.end);
		add(&sum, slot.index);
		add(&sum, (u64)liquid_next_boundary(now, base, frame_ns));
		if (liquid_end_time(base, frame_ns, frames, cycles, &end))
			add(&sum, (u64)end);
	}
	return sum;
}

static u64 credits(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < DRAWS; i++) {
		u64 budget = (draw() >> 20) + 1;
		s64 cap = (s64)(draw() >> 2), credit = cap - (s64)(draw() >> 2);
		u64 number = draw();

		add(&sum, (u64)liquid_credit_refill(credit, number, budget, cap));
		add(&sum, liquid_credit_frames(credit, budget));
	}
	return sum;
}

static u64 wires(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < DRAWS; i++) {
		struct liquid_rate rate;
		struct liquid_cost cost;
		u64 bps = (draw() >> 20) + 8000, number = draw();
		u32 len = (u32)(draw() >> 44), header = len % 120;

		liquid_rate_set(&rate, bps);
		add(&sum, rate.mult);
		add(&sum, rate.shift);
		add(&sum, liquid_wire_ns(&rate, number >> 8));
		liquid_cost_set(&cost, &rate, 24, 84);
		add(&sum, liquid_cost_ns(&cost, len));
		add(&sum, liquid_wire_bytes_in(bps, number >> 34));
		add(&sum, liquid_permille(number >> 12, number & 1023));
		add(&sum, liquid_wire_bytes_gso(len, header, 1 + len / 7, -14, 64));
	}
	return sum;
}

static u64 histograms(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < DRAWS; i++)
		add(&sum, liquid_hist_bucket(draw()));
	return sum;
}

int main(void)
{
	printf("slots %016llx\n", (unsigned long long)slots());
	printf("credits %016llx\n", (unsigned long long)credits());
	printf("wires %016llx\n", (unsigned long long)wires());
	printf("histograms %016llx\n", (unsigned long long)histograms());
	return 0;
}
