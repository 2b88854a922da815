// SPDX-License-Identifier: GPL-2.0-only
/*
 * mpi-spawn: exchange with processes that the program has started
 *
 * The ranks start two processes of the same program, which have LIQUID_MPI=off, and exchange with
 * them on one communicator. Rank 0 prints "wrong=N", the number of wrong words on all ranks.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS	20000
#define STARTED	2
#define CALLS	4

static uint64_t word_at(int src, int dst, int place)
{
	return (uint64_t)src << 40 | (uint64_t)dst << 20 | (uint64_t)place;
}

static void exchange(const uint64_t *out, uint64_t *in, int call, MPI_Comm comm)
{
	MPI_Request request;

	if (call % 2) {
		MPI_Alltoall(out, WORDS, MPI_UINT64_T, in, WORDS, MPI_UINT64_T, comm);
		return;
	}
	MPI_Ialltoall(out, WORDS, MPI_UINT64_T, in, WORDS, MPI_UINT64_T, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static uint64_t exchange_all(MPI_Comm comm)
{
	uint64_t *out, *in, wrong = 0;
	int rank, ranks;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	out = calloc((size_t)ranks * WORDS, sizeof(*out));
	in = calloc((size_t)ranks * WORDS, sizeof(*in));
	if (!out || !in)
		MPI_Abort(comm, 2);
	for (int i = 0; i < ranks * WORDS; i++)
		out[i] = word_at(rank, i / WORDS, i % WORDS);
	for (int call = 0; call < CALLS; call++)
		exchange(out, in, call, comm);
	for (int i = 0; i < ranks * WORDS; i++)
		wrong += in[i] != word_at(i / WORDS, rank, i % WORDS);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, comm);
	if (!rank)
		printf("ranks=%d wrong=%llu\n", ranks, (unsigned long long)wrong);
	free(out);
	free(in);
	return wrong;
}

int main(int argc, char **argv)
{
	char off[] = "off", *arguments[] = { off, NULL };
	MPI_Comm parents, others, all;
	uint64_t wrong;

	/* Those that are started have an argument. */
	if (argc > 1)
		setenv("LIQUID_MPI", off, 1);
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parents);
	others = parents;
	if (parents == MPI_COMM_NULL)
		MPI_Comm_spawn(argv[0], arguments, STARTED, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
			       &others, MPI_ERRCODES_IGNORE);
	MPI_Intercomm_merge(others, parents != MPI_COMM_NULL, &all);
	wrong = exchange_all(all);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&others);
	MPI_Finalize();
	return wrong != 0;
}
