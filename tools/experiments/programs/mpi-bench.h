/* SPDX-License-Identifier: GPL-2.0-only */
/* Common parts of the programs that time MPI's calls; all ranks are on one machine. */
#ifndef LIQUID_EXPERIMENTS_MPI_BENCH_H
#define LIQUID_EXPERIMENTS_MPI_BENCH_H

#include <mpi.h>
#include <time.h>
#include <unistd.h>

/* MPI_Wtime() counts from a time of each rank's own: not a clock that ranks can agree on. */
static inline double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * Wait until a time that all ranks agree on, later than the last of them leaves a barrier. Behind
 * gates a message waits for its frame, so ranks leave a barrier far from each other.
 */
static inline double begin_together(MPI_Comm comm)
{
	double begin, now;

	MPI_Barrier(comm);
	now = now_s();
	MPI_Barrier(comm);
	begin = now_s() + 3 * (now_s() - now);
	MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MAX, comm);
	while ((now = now_s()) < begin)
		usleep(begin - now < 0.5 ? (useconds_t)((begin - now) * 1e6) + 1 : 500000);
	return begin;
}

/* Seconds from @begin to the end of the last rank, which calls this when it has ended */
static inline double seconds_since(double begin, MPI_Comm comm)
{
	double seconds = now_s() - begin;

	MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
	return seconds;
}

/* For qsort() */
static inline int compare_doubles(const void *a, const void *b)
{
	double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

#endif
