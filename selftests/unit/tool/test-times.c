// SPDX-License-Identifier: GPL-2.0-only
/* What the tool makes of histograms of times: quantiles, differences, text. */
#include <string.h>

#include "tap.h"
#include "gate/times.h"

#define LAST (LIQUID_HIST_BUCKETS - 1)

static void check_quantiles(void)
{
	struct gate_hist hist = { 0 };

	ok(times_quantile(&hist, 0, 500) == TIMES_NONE, "of nothing there is no median");
	ok(times_quantile(&hist, 7, 1000) == TIMES_ZERO, "nothing but zeros");
	hist.bucket[2] = 98;
	hist.bucket[5] = 1;
	hist.bucket[LAST] = 1;
	ok(times_count(&hist) == 100, "times are counted");
	ok(times_quantile(&hist, 0, 500) == 2 && times_quantile(&hist, 0, 980) == 2,
	   "98 of 100 are up to a bound");
	ok(times_quantile(&hist, 0, 981) == 5 && times_quantile(&hist, 0, 990) == 5,
	   "a part of a time counts whole");
	ok(times_quantile(&hist, 0, 1000) == LAST, "the longest");
	ok(times_quantile(&hist, 0, 0) == 2, "the shortest");
	ok(times_quantile(&hist, 100, 500) == TIMES_ZERO && times_quantile(&hist, 100, 501) == 2,
	   "times of 0 come first");
	hist = (struct gate_hist){ .bucket = { 1ULL << 62, 1ULL << 62 } };
	ok(times_quantile(&hist, 0, 500) == 0 && times_quantile(&hist, 0, 501) == 1,
	   "large counts do not overflow");
}

static void check_passed(void)
{
	struct gate_hist hist = { .bucket = { 3, 4 } };

	ok(times_passed(&hist, 10) == 3, "what was in no queue has passed");
	ok(times_passed(&hist, 5) == 0, "never less than none");
}

static void check_since(void)
{
	struct gate_hist before = { .sum_ns = UINT64_MAX - 1, .bucket = { 1, 2 } };
	struct gate_hist after = { .sum_ns = 8, .bucket = { 1, 5 } }, since;

	since = times_since(&before, &after);
	ok(!since.bucket[0] && since.bucket[1] == 3, "what has come since");
	ok(since.sum_ns == 10, "also where the sum has begun anew");
	since = times_since(&after, &before);
	ok(since.bucket[0] == 1 && since.bucket[1] == 2, "a histogram that began anew");
}

static void check_text(void)
{
	char text[TIMES_TEXT];

	ok(times_bound_ns(TIMES_COARSE, 0) == 1000 &&
	   times_bound_ns(TIMES_COARSE, LAST - 1) == 4194304000 &&
	   times_bound_ns(TIMES_COARSE, LAST) == UINT64_MAX, "bounds");
	ok(times_bound_ns(TIMES_FINE, 0) == 1000 &&
	   times_bound_ns(TIMES_FINE, LAST - 1) == 2048000 &&
	   times_bound_ns(TIMES_FINE, LAST) == UINT64_MAX, "bounds of a fine histogram");
	ok(!strcmp(times_format(TIMES_COARSE, TIMES_NONE, text), "-"), "none: %s", text);
	ok(!strcmp(times_format(TIMES_COARSE, TIMES_ZERO, text), "0"), "zero: %s", text);
	ok(!strcmp(times_format(TIMES_COARSE, 4, text), "256 us"), "a bound: %s", text);
	ok(!strcmp(times_format(TIMES_COARSE, LAST, text), ">4.194304 s"),
	   "more than all bounds: %s", text);
}

static void check_exceeded(void)
{
	struct gate_hist hist = { 0 };

	ok(!times_exceeded_ns(&hist), "nothing exceeds anything");
	hist.bucket[3] = 9991;
	hist.bucket[6] = 9;
	ok(times_exceeded_ns(&hist) == 4000, "9 of 10,000 are not one in 1000");
	hist.bucket[3] = 9989;
	hist.bucket[6] = 11;
	ok(times_exceeded_ns(&hist) == 32000, "11 of 10,000 are");
	hist = (struct gate_hist){ .bucket = { [LAST] = 1 } };
	ok(times_exceeded_ns(&hist) == 2048000, "longer than all bounds");
}

int main(void)
{
	check_quantiles();
	check_exceeded();
	check_passed();
	check_since();
	check_text();
	return tap_exit();
}
