// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the reader of communication matrices: no byte between hosts is lost, none is made up. */
#include <string.h>

#include "fuzz.h"
#include "liquidsched.h"

#define HOSTS 3

/* Rounded up, every pair that sends has a unit; and the more a unit holds, the fewer there are. */
static void compare_units(const struct liquid_traffic *small, const struct liquid_traffic *large)
{
	const struct liquid_pair *a = liquid_traffic_pairs(small), *b = liquid_traffic_pairs(large);
	size_t count = liquid_traffic_pair_count(small);

	fuzz_check(count == liquid_traffic_pair_count(large) && count <= HOSTS * (HOSTS - 1));
	for (size_t i = 0; i < count; i++) {
		fuzz_check(a[i].src < HOSTS && a[i].dst < HOSTS && a[i].src != a[i].dst);
		fuzz_check(a[i].src == b[i].src && a[i].dst == b[i].dst && b[i].count);
		/* 1000 bytes or the begin of them: between a hundredth of it and one more. */
		fuzz_check(b[i].count == a[i].count / 100 + !!(a[i].count % 100));
	}
}

static int read_in_units(const void *data, size_t size, struct liquid_ranks *ranks, uint64_t unit,
			 struct liquid_traffic **traffic)
{
	struct liquid_error err = { "" };
	FILE *in = fuzz_file(data, size);
	int status;

	ranks->unit_bytes = unit;
	status = liquid_ranks_read_matrix(in, "file", ranks, traffic, &err);
	fuzz_check(!status == !err.text[0] && !status == !!*traffic);
	fclose(in);
	return status;
}

static void read_matrix(const void *data, size_t size, struct liquid_ranks *ranks)
{
	struct liquid_traffic *small, *large;
	int status = read_in_units(data, size, ranks, 10, &small);

	/* What is few enough in small units is so in large ones. */
	if (!read_in_units(data, size, ranks, 1000, &large)) {
		if (!status)
			compare_units(small, large);
	} else {
		fuzz_check(status);
	}
	liquid_traffic_free(small);
	liquid_traffic_free(large);
}

static const struct liquid_fabric *papers(void)
{
	static struct liquid_fabric *fabric;

	fuzz_check(fabric || !liquid_fabric_make("papers-5x5", NULL, 0, &fabric, NULL));
	return fabric;
}

/*
 * A matrix of two or three hosts, or of their ranks, which lie in turn where it begins with a
 * comment; where it begins with a blank, names must tell the hosts.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t hosts[HOSTS] = { 2, 0, 1 };

	for (size_t count = 2; count <= HOSTS; count++)
		for (uint32_t tasks = 1; tasks <= 2; tasks++) {
			struct liquid_ranks ranks = {
				.hosts = hosts, .count = count, .tasks_per_host = tasks,
				.cyclic = size && data[0] == '#',
				.fabric = papers(), .named = size && data[0] == ' ',
			};

			read_matrix(data, size, &ranks);
		}
	return 0;
}
