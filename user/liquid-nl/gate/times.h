/* SPDX-License-Identifier: GPL-2.0-only */
/* Histograms of times: how many, which share, what has come since. */
#ifndef LIQUID_NL_TIMES_H
#define LIQUID_NL_TIMES_H

#include "gate/gate.h"

#define TIMES_NONE	(-2)	/* of a quantile: there are no times */
#define TIMES_ZERO	(-1)	/* of a quantile: 0 */
#define TIMES_TEXT	48

uint64_t times_count(const struct gate_hist *hist);
/* Bound of @bucket; the last one has none: UINT64_MAX */
uint64_t times_bound_ns(unsigned int bucket);
/* Of @packets released those that were in no queue: they have waited 0. */
uint64_t times_passed(const struct gate_hist *wait, uint64_t packets);
/*
 * The bucket in which @permille of the times end, @zeros times of 0 among them; TIMES_ZERO where
 * these are enough, TIMES_NONE where there is nothing.
 */
int times_quantile(const struct gate_hist *hist, uint64_t zeros, unsigned int permille);
/* A quantile as its bucket's bound: "0", "256 us", ">4.194304 s", "-" */
const char *times_format(int bucket, char text[TIMES_TEXT]);
/* What @after counts and @before did not; what has gone back (another gate) counts from 0. */
struct gate_hist times_since(const struct gate_hist *before, const struct gate_hist *after);

#endif
