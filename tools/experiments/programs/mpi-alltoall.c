// SPDX-License-Identifier: GPL-2.0-only
/*
 * mpi-alltoall: repeat MPI_Alltoall, check every word, and measure the time
 *
 *	mpi-alltoall BYTES EXCHANGES [COMMAND]...
 *
 * In each exchange, each rank sends BYTES to each rank. There is no barrier between exchanges. Each
 * has its own buffer, and all are checked at the end. The time is measured by CLOCK_TAI from a
 * common start to the end of the last rank; all ranks are on one machine. Rank 0 prints one line of
 * results. Then for each COMMAND, rank 0 runs it while the others wait, and everything is repeated.
 * Exits 0 if every word was right.
 */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND	1000000000LL
#define NAP_NS	500000
#define LEAD_NS	(5 * SECOND)	/* time to tell all ranks the start: several cycles of gates */

static int rank, ranks;
static size_t words;		/* of a message */
static unsigned int exchanges;

/*
 * A waiting rank polls and calls sched_yield() in between (mpi_yield_when_idle). Sleeping leaves
 * the processor to the network; the buffers of the sockets are large enough for this time.
 */
int sched_yield(void)
{
	struct timespec nap = { 0, NAP_NS };

	nanosleep(&nap, NULL);
	return 0;
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_TAI, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* Word at index @place of the message from rank @src to @dst; it differs in each exchange */
static uint64_t word_at(int src, int dst, unsigned int exchange, size_t place)
{
	uint64_t pair = (uint64_t)src << 16 | (uint64_t)dst;

	return (pair << 32 | place) * 0x9e3779b97f4a7c15ULL + exchange;
}

/* The messages of all exchanges, one way */
static uint64_t *make_buffer(void)
{
	uint64_t *buffer = malloc((size_t)ranks * words * exchanges * sizeof(*buffer));

	if (!buffer) {
		fprintf(stderr, "mpi-alltoall: no memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return buffer;
}

static void fill(uint64_t *out)
{
	for (unsigned int e = 0; e < exchanges; e++)
		for (int dst = 0; dst < ranks; dst++)
			for (size_t i = 0; i < words; i++)
				*out++ = word_at(rank, dst, e, i);
}

static uint64_t count_wrong(const uint64_t *in)
{
	uint64_t wrong = 0;

	for (unsigned int e = 0; e < exchanges; e++)
		for (int src = 0; src < ranks; src++)
			for (size_t i = 0; i < words; i++)
				wrong += *in++ != word_at(src, rank, e, i);
	return wrong;
}

/* Agree on a common start. Behind gates, ranks leave a barrier several cycles apart. */
static int64_t start_together(void)
{
	int64_t start = now() + LEAD_NS;
	struct timespec then;

	MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
	if (now() > start) {
		fprintf(stderr, "mpi-alltoall: rank %d has heard of the start too late\n", rank);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	then = (struct timespec){ start / SECOND, start % SECOND };
	while (clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, &then, NULL))
		;
	return start;
}

static void report(int64_t start, int64_t end, uint64_t wrong)
{
	int64_t last;
	uint64_t all;

	MPI_Reduce(&end, &last, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&wrong, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("ranks=%d bytes=%zu exchanges=%u ns=%" PRId64 " wrong=%" PRIu64 "\n", ranks,
		       words * sizeof(uint64_t), exchanges, last - start, all);
	fflush(stdout);
}

static uint64_t run(void)
{
	uint64_t *from = make_buffer(), *to = make_buffer(), wrong;
	size_t step = (size_t)ranks * words;
	int64_t start, end;

	fill(from);
	memset(to, 0xff, step * exchanges * sizeof(*to));
	start = start_together();
	for (unsigned int e = 0; e < exchanges; e++)
		MPI_Alltoall(from + e * step, (int)words, MPI_UINT64_T, to + e * step, (int)words,
			     MPI_UINT64_T, MPI_COMM_WORLD);
	end = now();
	wrong = count_wrong(to);
	report(start, end, wrong);
	free(from);
	free(to);
	return wrong;
}

/* Run a command on rank 0; if it fails the job ends, because the next run depends on it. */
static void command(const char *line)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank || !system(line))
		return;
	fprintf(stderr, "mpi-alltoall: '%s' failed\n", line);
	MPI_Abort(MPI_COMM_WORLD, 2);
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	return errno || *end || value > 1u << 30 ? 0 : (unsigned int)value;
}

/* Let the kernel's network tasks run before the ranks: there may be only one processor. */
static void give_way(void)
{
	struct sched_param none = { 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &none))
		perror("mpi-alltoall: SCHED_IDLE");
}

int main(int argc, char **argv)
{
	uint64_t wrong;

	if (argc < 3 || number(argv[1]) < sizeof(uint64_t) || !number(argv[2])) {
		fputs("usage: mpi-alltoall BYTES EXCHANGES [COMMAND]...\n", stderr);
		return 2;
	}
	words = number(argv[1]) / sizeof(uint64_t);
	exchanges = number(argv[2]);
	give_way();
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	wrong = run();
	for (int i = 3; i < argc; i++) {
		command(argv[i]);
		wrong += run();
	}
	MPI_Finalize();
	return wrong != 0;
}
