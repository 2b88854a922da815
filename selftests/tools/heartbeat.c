// SPDX-License-Identifier: GPL-2.0-only
/*
 * heartbeat: interrupts each processor every NS ns, and says when it has
 *
 *	heartbeat NS
 *
 * Writes "ready" when it does. On SIGTERM it writes a line "PROCESSOR TIME" for each interrupt, in
 * ns of CLOCK_MONOTONIC. An interrupt comes also while the kernel sends packets. So a gap shows
 * that the host has taken a processor of the guest away.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX	64
#define RING_BYTES	(2UL << 20)	/* 131,072 interrupts of a processor */

/* What the kernel writes for an interrupt */
struct sample {
	struct perf_event_header head;
	uint64_t time;
};

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "heartbeat: %s: %s\n", what, strerror(errno));
	exit(2);
}

static struct perf_event_mmap_page *start(int cpu, uint64_t period)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = (int)syscall(SYS_perf_event_open, &clock, -1, cpu, -1, 0);
	void *ring;

	if (fd < 0)
		fail("perf_event_open");
	ring = mmap(NULL, RING_BYTES + (size_t)getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	if (ring == MAP_FAILED)
		fail("mmap");
	return ring;
}

static void print(int cpu, const struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + getpagesize();
	uint64_t at = 0, end = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);

	while (at < end) {
		const struct sample *sample = (const void *)(data + at);

		if (sample->head.type == PERF_RECORD_SAMPLE)
			printf("%d %" PRIu64 "\n", cpu, sample->time);
		at += sample->head.size;
	}
}

int main(int argc, char **argv)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), signal;
	struct perf_event_mmap_page *ring[CPUS_MAX];
	sigset_t end;

	if (argc != 2 || cpus > CPUS_MAX)
		return 2;
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	for (int cpu = 0; cpu < cpus; cpu++)
		ring[cpu] = start(cpu, strtoull(argv[1], NULL, 10));
	puts("ready");
	fflush(stdout);
	sigwait(&end, &signal);
	for (int cpu = 0; cpu < cpus; cpu++)
		print(cpu, ring[cpu]);
	return 0;
}
