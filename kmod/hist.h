/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of times: pure, shared with the tests on the host */
#ifndef LIQUID_HIST_H
#define LIQUID_HIST_H

#include <linux/liquid.h>

#include "slot.h"

#ifdef __KERNEL__
#include <linux/bitops.h>
#else
static inline u32 fls64(u64 word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}
#endif

/**
 * struct liquid_hist - times, each counted in a bucket, see &enum liquid_hist_attr
 * @sum: of the times, ns; it begins anew when it is full
 * @bucket: how many times
 */
struct liquid_hist {
	u64 sum;
	u64 bucket[LIQUID_HIST_BUCKETS];
};

/**
 * struct liquid_times - see &enum liquid_times_attr
 * @wait: of packets in a queue
 * @late: of packets that left after their frame
 */
struct liquid_times {
	struct liquid_hist wait;
	struct liquid_hist late;
};

/* The bucket of @ns: bounds are powers of 4, two bits each; what equals a bound is below it. */
static inline u32 liquid_hist_bucket(u64 ns)
{
	u32 bucket = (fls64(div64_u64(ns - !!ns, LIQUID_HIST_NS)) + 1) / 2;

	return bucket < LIQUID_HIST_BUCKETS ? bucket : LIQUID_HIST_BUCKETS - 1;
}

/* @count times of @ns, which lies in @bucket. */
static inline void liquid_hist_add(struct liquid_hist *hist, u32 bucket, u64 count, u64 ns)
{
	hist->sum += count * ns;
	hist->bucket[bucket] += count;
}

/* @count times of @ns. */
static inline void liquid_hist_note(struct liquid_hist *hist, u64 ns, u64 count)
{
	liquid_hist_add(hist, liquid_hist_bucket(ns), count, ns);
}

#endif /* LIQUID_HIST_H */
