/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of times: pure, also compiled for tests on the host */
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

/* A histogram of times, see &enum liquid_hist_attr */
struct liquid_hist {
	u64 sum;		/* of all times, ns; wraps */
	u64 bucket[LIQUID_HIST_BUCKETS]; /* number of times in each bucket */
};

/* See &enum liquid_times_attr */
struct liquid_times {
	struct liquid_hist wait; /* waiting times in a queue */
	struct liquid_hist late; /* lateness of packets sent after their frame */
};

/* Bucket of @ns. Upper bounds are powers of 4, and belong to their bucket. */
static inline u32 liquid_hist_bucket(u64 ns)
{
	u32 bucket = (fls64(div64_u64(ns - !!ns, LIQUID_HIST_NS)) + 1) / 2;

	return bucket < LIQUID_HIST_BUCKETS ? bucket : LIQUID_HIST_BUCKETS - 1;
}

/* Count @ns, which is in @bucket, @count times. */
static inline void liquid_hist_add(struct liquid_hist *hist, u32 bucket, u64 count, u64 ns)
{
	hist->sum += count * ns;
	hist->bucket[bucket] += count;
}

/* Count @ns @count times. */
static inline void liquid_hist_note(struct liquid_hist *hist, u64 ns, u64 count)
{
	liquid_hist_add(hist, liquid_hist_bucket(ns), count, ns);
}

#endif /* LIQUID_HIST_H */
