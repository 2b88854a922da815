// SPDX-License-Identifier: GPL-2.0-only
/*
 * mpi-threads: calls of several threads at once, each on its own communicator
 *
 *	mpi-threads THREADS CALLS BYTES
 *
 * Half of the threads make blocking calls, the others non-blocking ones after the first. Every word
 * is checked.
 */
#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 16

static int rank, ranks, words;
static unsigned int calls;

struct thread {
	pthread_t id;
	MPI_Comm comm;
	unsigned int number, wrong;
	uint64_t *out, *in;
};

static uint64_t word_at(const struct thread *thread, int src, int dst, unsigned int call, int i)
{
	uint64_t place = (uint64_t)src << 48 | (uint64_t)dst << 32 | (uint64_t)i;

	return place * 0x9e3779b97f4a7c15 + call * THREADS_MAX + thread->number;
}

static void exchange(struct thread *thread, unsigned int call)
{
	MPI_Request request;

	if (thread->number % 2 && call) {
		MPI_Ialltoall(thread->out, words, MPI_UINT64_T, thread->in, words, MPI_UINT64_T,
			      thread->comm, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Alltoall(thread->out, words, MPI_UINT64_T, thread->in, words, MPI_UINT64_T,
			     thread->comm);
	}
}

static void *run(void *argument)
{
	struct thread *thread = argument;

	for (unsigned int call = 0; call < calls; call++) {
		for (int i = 0; i < ranks * words; i++) {
			thread->out[i] = word_at(thread, rank, i / words, call, i % words);
			thread->in[i] = UINT64_MAX;
		}
		exchange(thread, call);
		for (int i = 0; i < ranks * words; i++)
			thread->wrong += thread->in[i] !=
					 word_at(thread, i / words, rank, call, i % words);
	}
	return NULL;
}

static void prepare(struct thread *thread, unsigned int number)
{
	size_t bytes = (size_t)ranks * (size_t)words * sizeof(uint64_t);

	thread->number = number;
	thread->out = malloc(bytes);
	thread->in = malloc(bytes);
	if (!thread->out || !thread->in)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Comm_dup(MPI_COMM_WORLD, &thread->comm);
}

int main(int argc, char **argv)
{
	static struct thread threads[THREADS_MAX];
	unsigned int count, wrong = 0, all;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	count = argc > 3 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	if (!count || count > THREADS_MAX || provided < MPI_THREAD_MULTIPLE) {
		fputs("usage: mpi-threads THREADS CALLS BYTES, where MPI has threads\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	calls = (unsigned int)strtoul(argv[2], NULL, 0);
	words = atoi(argv[3]) / (int)sizeof(uint64_t);
	for (unsigned int i = 0; i < count; i++)
		prepare(&threads[i], i);
	for (unsigned int i = 0; i < count; i++)
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]))
			MPI_Abort(MPI_COMM_WORLD, 2);
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(threads[i].id, NULL);
		wrong += threads[i].wrong;
		MPI_Comm_free(&threads[i].comm);
		free(threads[i].out);
		free(threads[i].in);
	}
	MPI_Reduce(&wrong, &all, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("threads=%u calls=%u wrong=%u\n", count, calls, all);
	MPI_Finalize();
	return wrong != 0;
}
