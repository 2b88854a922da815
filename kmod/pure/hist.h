/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of times: pure, also compiled for tests on the host */
#ifndef LIQUID_HIST_H
#define LIQUID_HIST_H

#include <linux/liquid.h>

#include "pure/slot.h"

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

/* Of a gate only, see &enum liquid_times_attr */
struct liquid_delays {
	struct liquid_hist lag;	/* from frame start to first release of a waiting packet */
	struct liquid_hist xmit; /* from a run's first dequeue to its hand-over; fine */
	struct liquid_hist overrun; /* wire time of bytes in flight after a frame; fine */
};

/* Bucket of @ns. Upper bounds are powers of 4, and belong to their bucket. */
static inline u32 liquid_hist_bucket(u64 ns)
{
	u32 bucket = (fls64(div64_u64(ns - !!ns, LIQUID_HIST_NS)) + 1) / 2;

	return bucket < LIQUID_HIST_BUCKETS ? bucket : LIQUID_HIST_BUCKETS - 1;
}

/* Bucket of @ns in a fine histogram, whose bounds are powers of 2 */
static inline u32 liquid_hist_fine_bucket(u64 ns)
{
	u32 bucket = fls64(div64_u64(ns - !!ns, LIQUID_HIST_NS));

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

/* Count @ns in a fine histogram. */
static inline void liquid_hist_note_fine(struct liquid_hist *hist, u64 ns)
{
	liquid_hist_add(hist, liquid_hist_fine_bucket(ns), 1, ns);
}

static inline void liquid_hist_sum(struct liquid_hist *sum, const struct liquid_hist *hist)
{
	u32 i;

	sum->sum += hist->sum;
	for (i = 0; i < LIQUID_HIST_BUCKETS; i++)
		sum->bucket[i] += hist->bucket[i];
}

static inline void liquid_times_add(struct liquid_times *sum, const struct liquid_times *times)
{
	liquid_hist_sum(&sum->wait, &times->wait);
	liquid_hist_sum(&sum->late, &times->late);
}

static inline void liquid_delays_add(struct liquid_delays *sum, const struct liquid_delays *delays)
{
	liquid_hist_sum(&sum->lag, &delays->lag);
	liquid_hist_sum(&sum->xmit, &delays->xmit);
	liquid_hist_sum(&sum->overrun, &delays->overrun);
}

#endif /* LIQUID_HIST_H */
