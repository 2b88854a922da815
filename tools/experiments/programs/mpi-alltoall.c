// SPDX-License-Identifier: GPL-2.0-only
/*
 * mpi-alltoall: repeat MPI_Alltoall, check every word, and measure the time
 *
 *	mpi-alltoall [--zipf] [--clock-error NS] BYTES EXCHANGES [COMMAND]...
 *	mpi-alltoall --matrix RANKS BYTES
 *
 * In each exchange, each rank sends BYTES to each rank. There is no barrier between exchanges. Each
 * has its own buffer, and all are checked at the end. The time is measured by CLOCK_TAI from a
 * common start to the end of the last rank; all ranks are on one machine. Rank 0 prints one line of
 * results. Then for each COMMAND, rank 0 runs it while the others wait, and everything is repeated.
 * Exits 0 if every word was right.
 *
 * --zipf: MPI_Alltoallv. Each rank puts the others into an order of its own, and the n-th of them
 * gets 1/n of what the first one gets; BYTES is the mean. --matrix prints these sizes, a row for
 * each rank. --clock-error: what MPI reads of CLOCK_TAI is off by up to NS, other than on other
 * ranks.
 */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND	1000000000LL
#define NAP_NS	500000
#define LEAD_NS	(5 * SECOND)	/* time to tell all ranks the start: several cycles of gates */
#define ZIPF_BYTES	8192	/* messages of --zipf are a multiple of this */
#define ZIPF_WORDS	(ZIPF_BYTES / sizeof(uint64_t))

static int rank, ranks;
static size_t words;			/* words of a message, of --zipf at the mean */
static unsigned int exchanges;
static bool zipf;
static int64_t clock_error, clock_off;	/* of all ranks at most, and of this one, ns */

/* Counts and places of this rank's messages, in words, as MPI_Alltoallv has them */
struct layout {
	int *count, *place;
	size_t total;
};

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

	syscall(SYS_clock_gettime, CLOCK_TAI, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

/* Libraries of this process call this one. All ranks have one clock, so each is put off here. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	int status = (int)syscall(SYS_clock_gettime, clock, time);
	int64_t ns = time->tv_nsec + clock_off;

	if (status || clock != CLOCK_TAI || !clock_off)
		return status;
	time->tv_sec += ns < 0 ? -1 : ns / SECOND;
	time->tv_nsec = ns < 0 ? ns + SECOND : ns % SECOND;
	return 0;
}

/* Errors of ranks are spread evenly, and neighbours in rank do not have similar ones. */
static void put_clock_off(void)
{
	int step = rank * 7 % ranks;

	if (ranks > 1)
		clock_off = clock_error * (2 * step - (ranks - 1)) / (ranks - 1);
}

/* Word at index @place of the message from rank @src to @dst; it differs in each exchange */
static uint64_t word_at(int src, int dst, unsigned int exchange, size_t place)
{
	uint64_t pair = (uint64_t)src << 16 | (uint64_t)dst;

	return (pair << 32 | place) * 0x9e3779b97f4a7c15ULL + exchange;
}

/* ---- messages ---- */

/* What @src sorts the others by: no two have the same, as each step can be undone */
static uint64_t sort_key(int src, int dst)
{
	uint64_t key = (uint64_t)src << 16 | (uint64_t)dst;

	key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ULL;
	key = (key ^ key >> 27) * 0x94d049bb133111ebULL;
	return key ^ key >> 31;
}

/* The place of @dst, from 1 on, in the order that @src has of the others */
static int place_of(int src, int dst)
{
	int place = 1;

	for (int other = 0; other < ranks; other++)
		place += other != src && sort_key(src, other) < sort_key(src, dst);
	return place;
}

static size_t zipf_words(int src, int dst)
{
	double sum = 0, mean = (double)words / ZIPF_WORDS;
	size_t units;

	if (src == dst)
		return 0;
	for (int n = 1; n < ranks; n++)
		sum += 1.0 / n;
	units = (size_t)(mean * (ranks - 1) / sum / place_of(src, dst) + 0.5);
	return (units ? units : 1) * ZIPF_WORDS;
}

static size_t words_of(int src, int dst)
{
	return zipf ? zipf_words(src, dst) : words;
}

static void *make_buffer(size_t count, size_t size)
{
	void *buffer = malloc(count * size);

	if (!buffer) {
		fprintf(stderr, "mpi-alltoall: no memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return buffer;
}

static struct layout make_layout(bool sends)
{
	struct layout layout = {
		.count = make_buffer((size_t)ranks, sizeof(int)),
		.place = make_buffer((size_t)ranks, sizeof(int)),
	};

	for (int peer = 0; peer < ranks; peer++) {
		layout.count[peer] = (int)(sends ? words_of(rank, peer) : words_of(peer, rank));
		layout.place[peer] = (int)layout.total;
		layout.total += (size_t)layout.count[peer];
	}
	return layout;
}

static void free_layout(struct layout *layout)
{
	free(layout->count);
	free(layout->place);
}

static void fill(uint64_t *out, const struct layout *layout)
{
	for (unsigned int e = 0; e < exchanges; e++)
		for (int dst = 0; dst < ranks; dst++)
			for (int i = 0; i < layout->count[dst]; i++)
				*out++ = word_at(rank, dst, e, (size_t)i);
}

static uint64_t count_wrong(const uint64_t *in, const struct layout *layout)
{
	uint64_t wrong = 0;

	for (unsigned int e = 0; e < exchanges; e++)
		for (int src = 0; src < ranks; src++)
			for (int i = 0; i < layout->count[src]; i++)
				wrong += *in++ != word_at(src, rank, e, (size_t)i);
	return wrong;
}

static void print_matrix(void)
{
	for (int src = 0; src < ranks; src++)
		for (int dst = 0; dst < ranks; dst++)
			printf("%zu%c", words_of(src, dst) * sizeof(uint64_t),
			       dst < ranks - 1 ? ' ' : '\n');
}

/* ---- exchanges ---- */

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

static void exchange(uint64_t *from, const struct layout *out, uint64_t *to,
		     const struct layout *in)
{
	if (zipf)
		MPI_Alltoallv(from, out->count, out->place, MPI_UINT64_T, to, in->count, in->place,
			      MPI_UINT64_T, MPI_COMM_WORLD);
	else
		MPI_Alltoall(from, (int)words, MPI_UINT64_T, to, (int)words, MPI_UINT64_T,
			     MPI_COMM_WORLD);
}

static uint64_t measure(const struct layout *out, const struct layout *in)
{
	uint64_t *from = make_buffer(out->total * exchanges, sizeof(*from)), wrong;
	uint64_t *to = make_buffer(in->total * exchanges, sizeof(*to));
	int64_t start, end;

	fill(from, out);
	memset(to, 0xff, in->total * exchanges * sizeof(*to));
	start = start_together();
	for (unsigned int e = 0; e < exchanges; e++)
		exchange(from + e * out->total, out, to + e * in->total, in);
	end = now();
	wrong = count_wrong(to, in);
	report(start, end, wrong);
	free(from);
	free(to);
	return wrong;
}

static uint64_t run(void)
{
	struct layout out = make_layout(true), in = make_layout(false);
	uint64_t wrong = measure(&out, &in);

	free_layout(&out);
	free_layout(&in);
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

static int usage(void)
{
	fputs("usage: mpi-alltoall [--zipf] [--clock-error NS] BYTES EXCHANGES [COMMAND]...\n"
	      "       mpi-alltoall --matrix RANKS BYTES\n", stderr);
	return 2;
}

/* Returns how many words were options. */
static int take_options(int argc, char **argv)
{
	int at = 1;

	for (; at < argc && !strncmp(argv[at], "--", 2); at++) {
		if (!strcmp(argv[at], "--zipf"))
			zipf = true;
		else if (!strcmp(argv[at], "--clock-error") && at + 1 < argc)
			clock_error = number(argv[++at]);
		else
			break;
	}
	return at - 1;
}

static int matrix(int argc, char **argv)
{
	if (argc != 4 || number(argv[2]) < 2 || number(argv[3]) < sizeof(uint64_t))
		return usage();
	zipf = true;
	ranks = (int)number(argv[2]);
	words = number(argv[3]) / sizeof(uint64_t);
	print_matrix();
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t wrong;
	int options;

	if (argc > 1 && !strcmp(argv[1], "--matrix"))
		return matrix(argc, argv);
	options = take_options(argc, argv);
	argc -= options;
	argv += options;
	if (argc < 3 || number(argv[1]) < sizeof(uint64_t) || !number(argv[2]))
		return usage();
	words = number(argv[1]) / sizeof(uint64_t);
	exchanges = number(argv[2]);
	give_way();
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	put_clock_off();
	wrong = run();
	for (int i = 3; i < argc; i++) {
		command(argv[i]);
		wrong += run();
	}
	MPI_Finalize();
	return wrong != 0;
}
