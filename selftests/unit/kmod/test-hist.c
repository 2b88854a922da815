// SPDX-License-Identifier: GPL-2.0-only
/* The gate's histograms of times (kmod/pure/hist.h), against a search through the bounds. */
#include "pure/hist.h"
#include "tap.h"

/* As the uapi header says it; @factor: between two bounds */
static u32 bucket_by_bounds(u64 ns, u32 factor)
{
	u64 bound = LIQUID_HIST_NS;
	u32 bucket;

	for (bucket = 0; bucket < LIQUID_HIST_BUCKETS - 1; bucket++, bound *= factor)
		if (ns <= bound)
			return bucket;
	return bucket;
}

static void test_bounds(void)
{
	u64 bound = LIQUID_HIST_NS;
	bool all = true;
	u32 bucket;

	ok(!liquid_hist_bucket(0) && !liquid_hist_bucket(1), "nothing and a nanosecond");
	for (bucket = 0; bucket < LIQUID_HIST_BUCKETS - 1; bucket++, bound *= 4)
		all = all && liquid_hist_bucket(bound - 1) == bucket &&
		      liquid_hist_bucket(bound) == bucket &&
		      liquid_hist_bucket(bound + 1) == bucket + 1;
	ok(all, "a bound belongs to its bucket, what is longer to the next");
	ok(bound / 4 == 4194304000ULL, "the last bound is more than 4 s");
	bound = LIQUID_HIST_NS;
	for (bucket = 0; bucket < LIQUID_HIST_BUCKETS - 1; bucket++, bound *= 2)
		all = all && liquid_hist_fine_bucket(bound) == bucket &&
		      liquid_hist_fine_bucket(bound + 1) == bucket + 1;
	ok(all && bound / 2 == 2048000, "so do the bounds of a fine histogram, up to 2 ms");
	ok(liquid_hist_bucket(U64_MAX) == LIQUID_HIST_BUCKETS - 1, "the longest time");
}

static void test_sweep(void)
{
	u64 seed = 1;
	bool all = true;
	u32 i;

	for (i = 0; i < 200000 && all; i++) {
		u64 ns;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		ns = seed >> i % 64;
		all = liquid_hist_bucket(ns) == bucket_by_bounds(ns, 4) &&
		      liquid_hist_fine_bucket(ns) == bucket_by_bounds(ns, 2);
	}
	ok(all, "200,000 random times are between their bounds");
}

static void test_note(void)
{
	struct liquid_hist hist = { 0 };

	liquid_hist_note(&hist, 1000, 1);
	liquid_hist_note(&hist, 5000, 3);
	ok(hist.bucket[0] == 1 && hist.bucket[2] == 3 && hist.sum == 16000, "times and their sum");
	liquid_hist_note(&hist, U64_MAX, 2);
	ok(hist.bucket[LIQUID_HIST_BUCKETS - 1] == 2 && hist.sum == 15998,
	   "a sum that is full begins anew, and the counts stay");
}

static void test_sum(void)
{
	struct liquid_times sum = { 0 }, times = { 0 };

	liquid_hist_note(&times.wait, 1000, 2);
	liquid_hist_note(&times.late, 5000, 1);
	liquid_times_add(&sum, &times);
	liquid_times_add(&sum, &times);
	ok(sum.wait.bucket[0] == 4 && sum.wait.sum == 4000 && sum.late.bucket[2] == 2 &&
	   sum.late.sum == 10000 && !sum.wait.bucket[2], "times of two queues are added");
}

int main(void)
{
	test_bounds();
	test_sweep();
	test_note();
	test_sum();
	return tap_exit();
}
