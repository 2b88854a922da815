/* SPDX-License-Identifier: GPL-2.0-only */
/* Dumps of histograms */
#ifndef LIQUID_TIMES_H
#define LIQUID_TIMES_H

#include "pure/hist.h"

struct sk_buff;

int liquid_times_fill(struct sk_buff *skb, int attr, const struct liquid_times *times,
		      const struct liquid_delays *delays);

#endif /* LIQUID_TIMES_H */
