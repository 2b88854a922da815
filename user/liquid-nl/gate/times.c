// SPDX-License-Identifier: GPL-2.0-only
/* Histograms of times: counts, quantiles, differences. */
#include <stdio.h>

#include "gate/times.h"
#include "util/units.h"

uint64_t times_count(const struct gate_hist *hist)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++)
		count += hist->bucket[i];
	return count;
}

uint64_t times_bound_ns(enum times_scale scale, unsigned int bucket)
{
	return bucket < LIQUID_HIST_BUCKETS - 1 ? LIQUID_HIST_NS << scale * bucket : UINT64_MAX;
}

uint64_t times_passed(const struct gate_hist *wait, uint64_t packets)
{
	uint64_t count = times_count(wait);

	return packets > count ? packets - count : 0;
}

/* @permille of @count, rounded up, and at least one */
static uint64_t rank_of(uint64_t count, unsigned int permille)
{
	uint64_t rank = count / 1000 * permille + (count % 1000 * permille + 999) / 1000;

	return rank ? rank : 1;
}

int times_quantile(const struct gate_hist *hist, uint64_t zeros, unsigned int permille)
{
	uint64_t count = times_count(hist) + zeros, rank = rank_of(count, permille);
	uint64_t below = zeros;

	if (!count)
		return TIMES_NONE;
	if (below >= rank)
		return TIMES_ZERO;
	for (int i = 0; i < (int)LIQUID_HIST_BUCKETS; i++) {
		below += hist->bucket[i];
		if (below >= rank)
			return i;
	}
	return LIQUID_HIST_BUCKETS - 1;
}

uint64_t times_exceeded_ns(const struct gate_hist *fine)
{
	int bucket = times_quantile(fine, 0, 999);

	return bucket > 0 ? times_bound_ns(TIMES_FINE, bucket - 1) : 0;
}

const char *times_format(enum times_scale scale, int bucket, char text[TIMES_TEXT])
{
	char time[UNIT_TEXT];

	if (bucket == TIMES_NONE)
		snprintf(text, TIMES_TEXT, "-");
	else if (bucket == TIMES_ZERO)
		snprintf(text, TIMES_TEXT, "0");
	else if (bucket < (int)LIQUID_HIST_BUCKETS - 1)
		snprintf(text, TIMES_TEXT, "%s", format_time(times_bound_ns(scale, bucket), time));
	else
		snprintf(text, TIMES_TEXT, ">%s",
			 format_time(times_bound_ns(scale, bucket - 1), time));
	return text;
}

struct gate_hist times_since(const struct gate_hist *before, const struct gate_hist *after)
{
	struct gate_hist since = *after;

	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++)
		if (after->bucket[i] < before->bucket[i])
			return since;
	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++)
		since.bucket[i] -= before->bucket[i];
	since.sum_ns -= before->sum_ns;
	return since;
}
