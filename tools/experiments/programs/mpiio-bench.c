// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time of collective calls on a file that all ranks share
 *
 * usage: mpiio-bench FILE BYTES TIMES [PATTERN]...
 *
 * All ranks write and read about BYTES each, in each call, where these patterns have them, all of
 * which is the default:
 *   200, 4096    in units of that many bytes, those of the ranks in turn
 *   contiguous   in one block, those of the ranks side by side
 *   segmented    in one block of the rank's own part of the file, where call after call goes on
 *
 * Prints a line for each pattern: its name; the ms of writes, then of reads, each the median and
 * the longest of the last 9 of TIMES calls, from a common begin to the end of the last rank; and
 * the bytes that were read wrong.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-bench.h"

#define COUNTED 9		/* calls */

struct bench {
	int rank, ranks, times;
	int bytes;			/* of a rank in a call */
	int unit;			/* bytes; 0: one block */
	int segmented;
	unsigned char *memory;
	MPI_File file;
};

/*
 * What Open MPI calls while it waits, with mpi_yield_when_idle. Ranks that share a processor must
 * leave it to the network.
 */
int sched_yield(void)
{
	return usleep(200);
}

static unsigned char byte_at(const struct bench *bench, int call, int i)
{
	return (unsigned char)(i * 7 + (i >> 8) + bench->rank * 31 + call * 101);
}

/* In bytes of the view */
static MPI_Offset place(const struct bench *bench, int call)
{
	int before = bench->segmented ? bench->rank * (bench->times + 1) + call :
		     bench->unit ? call : call * bench->ranks + bench->rank;

	return (MPI_Offset)before * bench->bytes;
}

static double access_ms(struct bench *bench, int call, int writes)
{
	MPI_Offset at = place(bench, call);
	double begin = begin_together(MPI_COMM_WORLD);
	int error;

	error = writes ? MPI_File_write_at_all(bench->file, at, bench->memory, bench->bytes,
					       MPI_BYTE, MPI_STATUS_IGNORE) :
		MPI_File_read_at_all(bench->file, at, bench->memory, bench->bytes, MPI_BYTE,
				     MPI_STATUS_IGNORE);
	if (error) {
		fprintf(stderr, "mpiio-bench: %s failed\n", writes ? "a write" : "a read");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return 1e3 * seconds_since(begin, MPI_COMM_WORLD);
}

static long count_wrong(const struct bench *bench, int call)
{
	long wrong = 0;

	for (int i = 0; i < bench->bytes; i++)
		wrong += bench->memory[i] != byte_at(bench, call, i);
	return wrong;
}

struct times {
	double median, longest;		/* ms */
};

/* The first call connects ranks, and more of them choose a way. */
static struct times take_times(struct bench *bench, int writes, long *wrong)
{
	int count = bench->times < COUNTED ? bench->times : COUNTED;
	double *ms = calloc((size_t)bench->times + 1, sizeof(*ms));
	double *counted = ms + bench->times + 1 - count;
	struct times times;

	for (int call = 0; call <= bench->times; call++) {
		for (int i = 0; i < bench->bytes; i++)
			bench->memory[i] = writes ? byte_at(bench, call, i) : 0;
		ms[call] = access_ms(bench, call, writes);
		*wrong += writes ? 0 : count_wrong(bench, call);
	}
	qsort(counted, (size_t)count, sizeof(*ms), compare_doubles);
	times = (struct times){ counted[count / 2], counted[count - 1] };
	free(ms);
	return times;
}

static void set_view(struct bench *bench)
{
	MPI_Datatype row, units;

	if (!bench->unit)
		return;
	MPI_Type_vector(bench->bytes / bench->unit, bench->unit, bench->unit * bench->ranks,
			MPI_BYTE, &row);
	MPI_Type_create_resized(row, 0, (MPI_Aint)bench->bytes * bench->ranks, &units);
	MPI_Type_commit(&units);
	MPI_File_set_view(bench->file, (MPI_Offset)bench->rank * bench->unit, MPI_BYTE, units,
			  "native", MPI_INFO_NULL);
	MPI_Type_free(&units);
	MPI_Type_free(&row);
}

static long run(struct bench *bench, const char *name, const char *pattern)
{
	struct times written, read;
	long wrong = 0;

	if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
			  &bench->file)) {
		fprintf(stderr, "mpiio-bench: %s cannot be opened\n", name);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	set_view(bench);
	written = take_times(bench, 1, &wrong);
	read = take_times(bench, 0, &wrong);
	MPI_File_close(&bench->file);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!bench->rank) {
		printf("%s %.2f %.2f %.2f %.2f wrong=%ld\n", pattern, written.median,
		       written.longest, read.median, read.longest, wrong);
		fflush(stdout);
		unlink(name);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	return wrong;
}

int main(int argc, char **argv)
{
	static const char *all[] = { "200", "4096", "contiguous", "segmented", NULL };
	const char **patterns = argc > 4 ? (const char **)argv + 4 : all;
	struct bench bench = { 0 };
	long wrong = 0;
	int bytes;

	if (argc < 4) {
		fprintf(stderr, "usage: mpiio-bench FILE BYTES TIMES [PATTERN]...\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &bench.ranks);
	bytes = atoi(argv[2]);
	bench.times = atoi(argv[3]);
	bench.memory = malloc((size_t)bytes);
	for (const char **pattern = patterns; *pattern; pattern++) {
		bench.unit = atoi(*pattern);
		bench.segmented = !strcmp(*pattern, "segmented");
		bench.bytes = bench.unit ? bytes / bench.unit * bench.unit : bytes;
		wrong += run(&bench, argv[1], *pattern);
	}
	free(bench.memory);
	MPI_Finalize();
	return wrong != 0;
}
