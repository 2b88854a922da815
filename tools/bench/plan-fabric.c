// SPDX-License-Identifier: GPL-2.0-only
/*
 * One call of liquid_plan_make() for an all-to-all on a generated fabric, timed
 *
 * usage: plan-fabric [-c] [-n HOSTS] [-s SEED] GENERATOR [KEY=VALUE]...
 *
 * The schedule is the solver's, by SEED, for all hosts or for HOSTS of them that SEED draws; -c: a
 * cyclic plan. Timed is the call alone; each rank's slice is then written and read back.
 *
 * Prints one line: ranks, frames, messages, edges of a message before reduction, tokens of a
 * message, CPU s, MB that the call needed at most beside what was there, bytes of the largest
 * slice.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "liquidsched.h"

struct job {
	struct liquid_plan_options options;
	uint64_t seed;
	uint32_t *hosts;
	struct liquid_fabric *fabric;
	struct liquid_schedule *schedule;
	struct liquid_plan *plan;
	struct liquid_error err;
};

static void check(const struct job *job, int status)
{
	if (!status)
		return;
	fprintf(stderr, "plan-fabric: %s\n", job->err.text);
	exit(1);
}

static uint32_t draw(uint64_t *random, uint32_t bound)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((((z ^ z >> 31) >> 32) * bound) >> 32);
}

/* All hosts, or those that are drawn, in any order */
static void choose_hosts(struct job *job)
{
	uint32_t count = liquid_fabric_host_count(job->fabric);
	uint64_t random = job->seed;

	if (!job->options.ranks || job->options.ranks >= count) {
		job->options.ranks = count;
		return;
	}
	job->hosts = calloc(count + 1, sizeof(*job->hosts));
	if (!job->hosts)
		exit(1);
	for (uint32_t i = 0; i < count; i++)
		job->hosts[i] = i;
	for (uint32_t i = 0; i < job->options.ranks; i++) {
		uint32_t j = i + draw(&random, count - i), swap = job->hosts[j];

		job->hosts[j] = job->hosts[i];
		job->hosts[i] = swap;
	}
	job->options.host_of_rank = job->hosts;
}

static void solve(struct job *job)
{
	struct liquid_solve_options options = { .seed = job->seed };
	struct liquid_traffic *traffic;

	check(job, liquid_traffic_alltoall(job->hosts, job->options.ranks, &traffic, &job->err));
	check(job, liquid_solve(job->fabric, traffic, &options, &job->schedule, &job->err));
	liquid_traffic_free(traffic);
}

static size_t largest_slice(struct job *job)
{
	size_t largest = 0, size;

	for (uint32_t rank = 0; rank < job->options.ranks; rank++) {
		struct liquid_plan *slice;
		void *bytes;

		check(job, liquid_plan_slice(job->plan, rank, &bytes, &size, &job->err));
		check(job, liquid_plan_read(bytes, size, NULL, 0, &slice, &job->err));
		largest = largest > size ? largest : size;
		liquid_plan_free(slice);
		free(bytes);
	}
	return largest;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A line of /proc/self/status, in MB */
static double status_mb(const char *name)
{
	FILE *in = fopen("/proc/self/status", "r");
	char line[256];
	double mb = 0;

	while (in && fgets(line, sizeof(line), in))
		if (!strncmp(line, name, strlen(name)))
			mb = strtod(line + strlen(name), NULL) / 1000;
	if (in)
		fclose(in);
	return mb;
}

/* What is resident; what the solver has freed is given back, and its peak forgotten. */
static double begin_memory(void)
{
	FILE *out = fopen("/proc/self/clear_refs", "w");

	malloc_trim(0);
	if (out) {
		fputs("5", out);
		fclose(out);
	}
	return status_mb("VmRSS:");
}

static void plan(struct job *job)
{
	double memory = begin_memory(), begin = cpu_seconds();
	const struct liquid_plan_info *info;

	check(job, liquid_plan_make(job->fabric, job->schedule, &job->options, &job->plan,
				    &job->err));
	info = liquid_plan_info(job->plan);
	begin = cpu_seconds() - begin;
	memory = status_mb("VmHWM:") - memory;
	printf("%u %u %llu %.3f %.3f %.3f %.0f %zu\n", info->ranks, info->length,
	       (unsigned long long)info->pieces, (double)info->edges / (double)info->pieces,
	       (double)info->tokens / (double)info->pieces, begin, memory, largest_slice(job));
}

int main(int argc, char **argv)
{
	struct job job = { .options = { 0 } };
	int option;

	while ((option = getopt(argc, argv, "cn:s:")) != -1) {
		if (option == 'c')
			job.options.cyclic = true;
		else if (option == 'n')
			job.options.ranks = (uint32_t)strtoul(optarg, NULL, 10);
		else if (option == 's')
			job.seed = strtoull(optarg, NULL, 10);
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	check(&job, liquid_fabric_make(argv[optind], (const char *const *)argv + optind + 1,
				       (size_t)(argc - optind - 1), &job.fabric, &job.err));
	choose_hosts(&job);
	solve(&job);
	plan(&job);
	liquid_plan_free(job.plan);
	liquid_schedule_free(job.schedule);
	liquid_fabric_free(job.fabric);
	free(job.hosts);
	return 0;
}
