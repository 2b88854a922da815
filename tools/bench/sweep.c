// SPDX-License-Identifier: GPL-2.0-only
/*
 * liquid_solve() on fabrics of many families with many traffics
 *
 * usage: sweep [-w WORK] [-s SEED] [-m METHOD] [-f FAMILY] [-t TRAFFIC] [-d DRAW] [-n DRAWS]
 *
 * By default 10 draws of each of 16 traffics on each of the 20 families that no part of the engine
 * knows. Prints a line for each: family, traffic, draw, hosts, transfers, duration, proven bound,
 * length, CPU s. Then how many have a gap of at most a frame or 3 %, and the worst of both kinds.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "family-fixtures.h"

static const double shares[] = { 0.5, 0.9, 0.99, 0.999, 1 };

struct result {
	uint32_t family, traffic, draw;
	double gap, seconds;		/* %, CPU */
	bool within;
};

struct sweep {
	struct liquid_solve_options options;
	uint32_t draws, count;
	struct result *result;
};

static void solve_one(struct sweep *sweep, uint32_t family, uint32_t kind, uint32_t draw)
{
	struct liquid_fabric *fabric = draw_fabric(family, draw);
	struct liquid_traffic *traffic = draw_traffic(fabric, kind, draw);
	struct result *result = &sweep->result[sweep->count++];
	const struct liquid_schedule_info *info;
	struct liquid_schedule *schedule;
	struct liquid_error err;
	double start = cpu_seconds();

	must(liquid_solve(fabric, traffic, &sweep->options, &schedule, &err), &err);
	info = liquid_schedule_info(schedule);
	*result = (struct result){ family, kind, draw, .seconds = cpu_seconds() - start };
	result->gap = 100.0 * (info->length - info->lower_bound) / info->lower_bound;
	result->within = info->length <= info->lower_bound + 1 || result->gap <= 3;
	printf("%s,%s,%u,%u,%llu,%u,%u,%u,%.4f\n", family_name(family), traffic_name(kind), draw,
	       liquid_fabric_host_count(fabric), (unsigned long long)info->transfers,
	       info->duration, info->lower_bound, info->length, result->seconds);
	fflush(stdout);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static int by_gap(const void *a, const void *b)
{
	double x = ((const struct result *)a)->gap, y = ((const struct result *)b)->gap;

	return x < y ? -1 : x > y;
}

static int by_seconds(const void *a, const void *b)
{
	double x = ((const struct result *)a)->seconds, y = ((const struct result *)b)->seconds;

	return x < y ? -1 : x > y;
}

static void print_order(struct sweep *sweep, const char *name, int (*compare)(const void *,
									      const void *))
{
	qsort(sweep->result, sweep->count, sizeof(*sweep->result), compare);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		const struct result *at = &sweep->result[(size_t)(shares[i] *
								  (sweep->count - 1))];

		printf("# %s, %5.1f %% of all: at most %.4g (-f %s -t %s -d %u)\n", name,
		       100 * shares[i], compare == by_gap ? at->gap : at->seconds,
		       family_name(at->family), traffic_name(at->traffic), at->draw);
	}
}

static void print_summary(struct sweep *sweep)
{
	uint32_t within = 0;

	for (uint32_t i = 0; i < sweep->count; i++)
		within += sweep->result[i].within;
	printf("# %u of %u within a frame or 3 %% of the bound\n", within, sweep->count);
	print_order(sweep, "gap %", by_gap);
	print_order(sweep, "CPU s", by_seconds);
}

/* The number of @name; LIQUID_NONE: none has it. */
static uint32_t find(const char *(*name_of)(uint32_t number), const char *name)
{
	uint32_t i = 0;

	while (name_of(i) && strcmp(name_of(i), name))
		i++;
	return name_of(i) ? i : LIQUID_NONE;
}

static int usage(void)
{
	fputs("usage: sweep [-w WORK] [-s SEED] [-m METHOD] [-f FAMILY] [-t TRAFFIC] [-d DRAW]\n"
	      "             [-n DRAWS]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct sweep sweep = { .draws = 10 };
	uint32_t family = LIQUID_NONE, traffic = LIQUID_NONE, first = 0;
	int option;

	while ((option = getopt(argc, argv, "w:s:m:f:t:d:n:")) != -1)
		switch (option) {
		case 'w': sweep.options.work = strtoull(optarg, NULL, 10); break;
		case 's': sweep.options.seed = strtoull(optarg, NULL, 10); break;
		case 'm': sweep.options.method = optarg; break;
		case 'f': family = find(family_name, optarg); break;
		case 't': traffic = find(traffic_name, optarg); break;
		case 'd':
			first = (uint32_t)strtoul(optarg, NULL, 10);
			sweep.draws = first + 1;
			break;
		case 'n': sweep.draws = (uint32_t)strtoul(optarg, NULL, 10); break;
		default: return usage();
		}
	sweep.result = calloc((size_t)FAMILIES * TRAFFICS * sweep.draws + 1,
			      sizeof(*sweep.result));
	for (uint32_t f = family == LIQUID_NONE ? FAMILIES_USUAL : family; f < FAMILIES; f++)
		for (uint32_t t = 0; t < TRAFFICS; t++)
			for (uint32_t d = first; d < sweep.draws; d++)
				if ((family == LIQUID_NONE || f == family) &&
				    (traffic == LIQUID_NONE || t == traffic))
					solve_one(&sweep, f, t, d);
	if (sweep.count)
		print_summary(&sweep);
	free(sweep.result);
	return 0;
}
