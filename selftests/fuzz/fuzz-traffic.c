// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the reader of traffic files: what it takes adds up, and can be solved or is refused. */
#include <string.h>

#include "fuzz.h"
#include "liquidsched.h"

static struct liquid_fabric *papers(void)
{
	struct liquid_fabric *fabric;

	fuzz_check(!liquid_fabric_make("papers-5x5", NULL, 0, &fabric, NULL));
	return fabric;
}

static void check_sum(const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	uint64_t sum = 0;

	for (size_t i = 0; i < liquid_traffic_pair_count(traffic); i++) {
		fuzz_check(pairs[i].src != pairs[i].dst && pairs[i].count);
		fuzz_check(!i || pairs[i - 1].src < pairs[i].src ||
			   (pairs[i - 1].src == pairs[i].src && pairs[i - 1].dst < pairs[i].dst));
		sum += pairs[i].count;
	}
	fuzz_check(sum == liquid_traffic_transfer_count(traffic));
}

static void solve(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	struct liquid_solve_options options = { .work = 200000 };
	struct liquid_schedule *schedule;
	struct liquid_error err = { "" };
	int status = liquid_solve(fabric, traffic, &options, &schedule, &err);

	fuzz_check(status != LIQUID_INVALID);
	fuzz_check(!status == !err.text[0] && !status == !!schedule);
	liquid_schedule_free(schedule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct liquid_fabric *fabric = papers();
	struct liquid_traffic *traffic;
	struct liquid_error err = { "" };
	FILE *in = fuzz_file(data, size);

	if (liquid_traffic_read(in, "file", fabric, &traffic, &err)) {
		fuzz_check(!traffic && err.text[0]);
	} else {
		check_sum(traffic);
		if (liquid_traffic_transfer_count(traffic) < 10000)
			solve(fabric, traffic);
	}
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	fclose(in);
	return 0;
}
