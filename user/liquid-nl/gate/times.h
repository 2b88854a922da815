/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of times: counts, quantiles, differences. */
#ifndef LIQUID_NL_TIMES_H
#define LIQUID_NL_TIMES_H

#include "gate/gate.h"

#define TIMES_NONE	(-2)	/* the quantile of an empty histogram */
#define TIMES_ZERO	(-1)	/* a quantile of 0 ns */
#define TIMES_TEXT	48

/* How far apart the bounds of a histogram's buckets are: factors of 4, or of 2 */
enum times_scale { TIMES_FINE = 1, TIMES_COARSE = 2 };

uint64_t times_count(const struct gate_hist *hist);
/* The upper bound of @bucket, ns; UINT64_MAX for the last one, which has none */
uint64_t times_bound_ns(enum times_scale scale, unsigned int bucket);
/* The number of the @packets released that were in no queue, and so have waited 0 ns */
uint64_t times_passed(const struct gate_hist *wait, uint64_t packets);
/*
 * The bucket of the quantile @permille of the times and of @zeros more times of 0 ns; TIMES_ZERO
 * if those are enough, TIMES_NONE if there are no times.
 */
int times_quantile(const struct gate_hist *hist, uint64_t zeros, unsigned int permille);
/* A quantile as the bound of its bucket: "0", "256 us", ">4.194304 s", "-" */
const char *times_format(enum times_scale scale, int bucket, char text[TIMES_TEXT]);
/* What at least one in 1000 of the times exceeds, ns: the lower bound of its bucket */
uint64_t times_exceeded_ns(const struct gate_hist *fine);
/* The times in @after that are not in @before. A count that is smaller is of a new gate: from 0. */
struct gate_hist times_since(const struct gate_hist *before, const struct gate_hist *after);

#endif
