// SPDX-License-Identifier: GPL-2.0-only
/*
 * One call of liquid_solve() by orbits on a generated fabric, timed, proven again and sliced
 *
 * usage: solve-compact [-w WORK] [-s SEED] [-a PERCENT] [-r RANDOM] [-t THREADS] GENERATOR
 *        [KEY=VALUE]...
 *
 * The exchange is that of all hosts, or of a random PERCENT of them. Prints one line: hosts,
 * duration, length, classes, blocks, CPU s of the call with its proof, MB that it took beside the
 * fabric, CPU s of the proof alone, ms of a slice (the longest of 16), KB of the file, and s of the
 * call by the clock.
 */
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "liquidsched.h"

static struct liquid_error err;

static void must(int status)
{
	if (!status)
		return;
	fprintf(stderr, "solve-compact: %s\n", err.text);
	exit(1);
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_seconds(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static long most_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

static uint32_t draw(uint64_t *state, uint32_t bound)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((((z ^ z >> 31) >> 32) * bound) >> 32);
}

static double longest_slice(const struct liquid_schedule *schedule)
{
	const struct liquid_shape *shape = liquid_schedule_shape(schedule);
	uint32_t *dst = calloc((size_t)liquid_schedule_info(schedule)->length + 1, sizeof(*dst));
	double longest = 0;

	for (uint32_t i = 0; dst && i < 16; i++) {
		double start = cpu_seconds(), time;

		must(liquid_schedule_slice(schedule,
					   shape->host[(uint64_t)shape->places * i / 16], 1, dst,
					   &err));
		time = cpu_seconds() - start;
		longest = time > longest ? time : longest;
	}
	free(dst);
	return longest;
}

static long file_bytes(const struct liquid_schedule *schedule)
{
	FILE *out = tmpfile();
	long bytes;

	if (!out)
		return -1;
	must(liquid_schedule_write_json(schedule, NULL, out, &err));
	bytes = ftell(out);
	fclose(out);
	return bytes;
}

static void measure(const struct liquid_fabric *fabric, const uint32_t *hosts, uint32_t count,
		    const struct liquid_solve_options *options)
{
	double start = cpu_seconds(), begin = seconds(CLOCK_MONOTONIC), solved, proven, passed;
	long before = most_mb(), mb;
	const struct liquid_schedule_info *info;
	const struct liquid_shape *shape;
	struct liquid_schedule *schedule;
	struct liquid_traffic *traffic;

	must(liquid_traffic_alltoall(hosts, count, &traffic, &err));
	must(liquid_solve(fabric, traffic, options, &schedule, &err));
	solved = cpu_seconds() - start;
	passed = seconds(CLOCK_MONOTONIC) - begin;
	mb = most_mb() - before;
	start = cpu_seconds();
	must(liquid_verify(fabric, NULL, schedule, NULL, NULL, &err));
	proven = cpu_seconds() - start;
	info = liquid_schedule_info(schedule);
	shape = liquid_schedule_shape(schedule);
	printf("%u,%u,%u,%u,%u,%.2f,%ld,%.2f,%.3f,%ld,%.2f\n", count, info->duration, info->length,
	       shape->classes, shape->blocks, solved, mb, proven, 1e3 * longest_slice(schedule),
	       file_bytes(schedule) / 1024, passed);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
}

int main(int argc, char **argv)
{
	struct liquid_solve_options options = { .method = "compact" };
	uint32_t percent = 100, count = 0, all, *hosts;
	struct liquid_fabric *fabric;
	uint64_t random = 1;
	int option;

	while ((option = getopt(argc, argv, "w:s:a:r:t:")) != -1) {
		if (option == 'w')
			options.work = strtoull(optarg, NULL, 10);
		else if (option == 's')
			options.seed = strtoull(optarg, NULL, 10);
		else if (option == 'a')
			percent = (uint32_t)strtoul(optarg, NULL, 10);
		else if (option == 'r')
			random = strtoull(optarg, NULL, 10);
		else if (option == 't')
			options.threads = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	must(liquid_fabric_make(argv[optind], (const char *const *)argv + optind + 1,
				(size_t)(argc - optind - 1), &fabric, &err));
	all = liquid_fabric_host_count(fabric);
	hosts = calloc((size_t)all + 1, sizeof(*hosts));
	if (!hosts)
		return 1;
	for (uint32_t h = 0; h < all; h++)
		hosts[h] = h;
	for (uint32_t i = 0; i < all; i++) {
		uint32_t j = i + draw(&random, all - i), swap = hosts[i];

		hosts[i] = hosts[j];
		hosts[j] = swap;
	}
	count = (uint32_t)((uint64_t)all * percent / 100);
	malloc_trim(0);
	measure(fabric, hosts, count, &options);
	free(hosts);
	liquid_fabric_free(fabric);
	return 0;
}
