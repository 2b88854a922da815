/* SPDX-License-Identifier: GPL-2.0-only */
/* Common parts of the programs that exchange messages: clock, processor, nodes, arguments. */
#ifndef LIQUID_EXPERIMENTS_MACHINE_H
#define LIQUID_EXPERIMENTS_MACHINE_H

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000LL

static inline void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(2);
}

/* ---- the clock ---- */

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

/* Sleep until @at, ns of CLOCK_TAI, as base times of schedules are. Fails if it is in the past. */
static inline void await_base(int64_t at)
{
	struct timespec then = { at / SECOND, at % SECOND };

	errno = ETIME;
	if (clock_ns(CLOCK_TAI) > at)
		fail("the base time is past");
	while (clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, &then, NULL))
		;
}

/* ---- the processor ---- */

/*
 * Let ksoftirqd run before this program. On one processor the program would delay the network
 * otherwise: work that exceeds a softirq's limit moves to ksoftirqd, which is an ordinary task.
 */
static inline void give_way(void)
{
	struct sched_param none = { 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &none))
		fail("SCHED_IDLE");
}

/* Idle time and total time, in 1/100 s */
struct load {
	uint64_t idle, all;
};

static inline struct load read_load(void)
{
	unsigned long long field[8] = { 0 };
	FILE *in = fopen("/proc/stat", "r");
	struct load load = { 0 };

	if (!in || fscanf(in, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &field[0], &field[1],
			  &field[2], &field[3], &field[4], &field[5], &field[6], &field[7]) != 8)
		fail("/proc/stat");
	fclose(in);
	load.idle = field[3];
	for (int i = 0; i < 8; i++)
		load.all += field[i];
	return load;
}

/* Idle share of the time since @before */
static inline uint64_t idle_permille(const struct load *before)
{
	struct load now = read_load();

	return now.all > before->all ?
	       1000 * (now.idle - before->idle) / (now.all - before->all) : 0;
}

/* ---- arguments ---- */

/* Nodes by rank. A program defines NODES_MAX before it includes this file. */
static unsigned int node[NODES_MAX], nodes;

/* Parse the arguments after the first: options, each with a value, and numbers of nodes. */
static inline void parse_rest(int argc, char **argv,
			      void (*option)(const char *name, const char *value))
{
	for (int i = 2; i < argc; i++) {
		errno = EINVAL;
		if (!strncmp(argv[i], "--", 2)) {
			if (i + 1 == argc)
				fail(argv[i]);
			option(argv[i], argv[i + 1]);
			i++;
		} else if (nodes == NODES_MAX) {
			fail("too many nodes");
		} else {
			node[nodes++] = (unsigned int)strtoul(argv[i], NULL, 10);
		}
	}
	errno = EINVAL;
}

#endif
