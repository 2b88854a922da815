// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throughput of libliquid-sfio
 *
 * usage: sfio-bench CALL NAME UNIT BYTES BLOCK [TIMES [STRIDE]]
 *
 * Each compute rank writes and reads BYTES of the file NAME in blocks of BLOCK bytes by CALL:
 *   plain       mwrite() of each block: a message for each stripe unit
 *   single      mwritec() of each block
 *   multi       one mwriteb()
 *   all         one mwriteba()
 * Blocks of a rank follow each other in the file; with STRIDE they are STRIDE bytes apart, and
 * those of the ranks are between each other. The memory of the blocks is contiguous.
 *
 * Prints, as the median of TIMES (1): CALL UNIT BLOCK, MB/s written and read by all ranks,
 * messages and accesses of a write by all ranks, epochs of this rank, pieces without a token.
 */
#include <mio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-bench.h"

struct bench {
	MPI_Comm comm;
	int rank, ranks;
	char *memory;
	uint64_t bytes, block, stride;
	struct sfio_block *all;
	uint32_t blocks;
};

static void fill_blocks(struct bench *bench)
{
	uint64_t begin = (uint64_t)bench->rank * (bench->stride ? bench->block : bench->bytes);
	uint64_t step = bench->stride ? bench->stride : bench->block;

	bench->blocks = (uint32_t)(bench->bytes / bench->block);
	bench->all = malloc(bench->blocks * sizeof(*bench->all));
	for (uint32_t i = 0; i < bench->blocks; i++)
		bench->all[i] = (struct sfio_block){
			begin + i * step, bench->block, bench->memory + i * bench->block,
		};
}

static int each(struct bench *bench, MFILE *file, int writes, int plain)
{
	int error = 0;

	for (uint32_t i = 0; i < bench->blocks && !error; i++) {
		const struct sfio_block *block = &bench->all[i];

		if (plain)
			error = writes ? mwrite(file, (long)block->offset, block->memory,
						(unsigned)block->bytes) :
				mread(file, (long)block->offset, block->memory,
				      (unsigned)block->bytes);
		else
			error = writes ? sfio_write(file, block, 1) : sfio_read(file, block, 1);
	}
	return error;
}

static int once(struct bench *bench, MFILE *file, const char *call, int writes)
{
	if (!strcmp(call, "plain"))
		return each(bench, file, writes, 1);
	if (!strcmp(call, "single"))
		return each(bench, file, writes, 0);
	if (!strcmp(call, "multi"))
		return writes ? sfio_write(file, bench->all, bench->blocks) :
		       sfio_read(file, bench->all, bench->blocks);
	return writes ? sfio_write_all(file, bench->all, bench->blocks) :
	       sfio_read_all(file, bench->all, bench->blocks);
}

/* A few units to each listener, which MPI connects with the first message */
static void connect_all(struct bench *bench, MFILE *file, uint64_t unit)
{
	struct sfio_block block = { bench->all->offset, 1024 * unit, bench->memory };

	if (block.bytes > bench->block)
		block.bytes = bench->block;
	sfio_write(file, &block, 1);
}

/* Seconds of a call, from the begin that is common to all ranks to the end of the last one */
static double seconds_of(struct bench *bench, MFILE *file, const char *call, int writes)
{
	double begin = begin_together(bench->comm);
	int error = once(bench, file, call, writes);

	if (error) {
		fprintf(stderr, "%s: %s\n", call, strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return seconds_since(begin, bench->comm);
}

/* MB/s of all ranks, the median of @times */
static double measure(struct bench *bench, MFILE *file, const char *call, int writes, int times)
{
	double *speed = calloc((size_t)times, sizeof(*speed)), median;

	for (int i = 0; i < times; i++)
		speed[i] = (double)bench->blocks * (double)bench->block * bench->ranks /
			   seconds_of(bench, file, call, writes) / 1e6;
	qsort(speed, (size_t)times, sizeof(*speed), compare_doubles);
	median = speed[times / 2];
	free(speed);
	return median;
}

static int check(struct bench *bench)
{
	for (uint64_t i = 0; i < bench->blocks * bench->block; i++)
		if (bench->memory[i] != (char)(i * 7 + (uint64_t)bench->rank))
			return 1;
	return 0;
}

static void run(struct bench *bench, char **argv, int times)
{
	struct sfio_stats before, stats;
	uint64_t counts[2], sums[2];
	double written, read;
	int wrong, any;
	MFILE *file;

	mcreate(argv[2]);
	file = mopen(argv[2], atoi(argv[3]));
	if (!file) {
		perror(argv[2]);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (uint64_t i = 0; i < bench->bytes; i++)
		bench->memory[i] = (char)(i * 7 + (uint64_t)bench->rank);
	fill_blocks(bench);
	connect_all(bench, file, strtoull(argv[3], NULL, 10));
	sfio_stats(&before);
	written = measure(bench, file, argv[1], 1, times);
	if (!bench->rank)	/* reading may take as long again */
		fprintf(stderr, "%.2f MB/s written\n", written);
	sfio_stats(&stats);
	counts[0] = (stats.messages - before.messages) / (uint64_t)times;
	counts[1] = (stats.accesses - before.accesses) / (uint64_t)times;
	MPI_Reduce(counts, sums, 2, MPI_UINT64_T, MPI_SUM, 0, bench->comm);
	memset(bench->memory, 0, bench->bytes);
	read = measure(bench, file, argv[1], 0, times);
	wrong = check(bench);
	MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_SUM, 0, bench->comm);
	mclose(file);
	mdelete(argv[2]);
	if (!bench->rank)
		printf("%-7s %8s %8llu %9.1f %9.1f %9llu %9llu %6llu %6llu%s\n", argv[1], argv[3],
		       (unsigned long long)bench->block, written, read,
		       (unsigned long long)sums[0], (unsigned long long)sums[1],
		       (unsigned long long)stats.epochs,
		       (unsigned long long)stats.unsynchronised, any ? " wrong" : "");
	free(bench->all);
}

static int bench_main(int argc, char **argv)
{
	struct bench bench = { .comm = sfio_compute() };

	if (argc < 6) {
		fprintf(stderr, "usage: sfio-bench CALL NAME UNIT BYTES BLOCK [TIMES [STRIDE]]\n");
		return 2;
	}
	MPI_Comm_rank(bench.comm, &bench.rank);
	MPI_Comm_size(bench.comm, &bench.ranks);
	bench.bytes = strtoull(argv[4], NULL, 10);
	bench.block = strtoull(argv[5], NULL, 10);
	bench.stride = argc > 7 ? strtoull(argv[7], NULL, 10) : 0;
	bench.memory = malloc(bench.bytes);
	run(&bench, argv, argc > 6 ? atoi(argv[6]) : 1);
	free(bench.memory);
	return 0;
}

int main(int argc, char **argv)
{
	return sfio_main(argc, argv, bench_main);
}
