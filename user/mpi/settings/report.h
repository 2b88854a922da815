/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LIQUID_MPI_STATS=FILE: a line of JSON for each call
 *
 * The leader of a communicator (its rank 0) reports its calls. In MPI_COMM_WORLD's rank 0 they go
 * to FILE; where another process leads, to FILE.RANK, by its rank in MPI_COMM_WORLD. So
 * no file has two writers, which a shared file system would not keep apart.
 */
#ifndef LIQUID_MPI_REPORT_H
#define LIQUID_MPI_REPORT_H

#include <stdint.h>

struct report;

struct report_line {
	const char *call;		/* without MPI_, such as "Alltoall" */
	uint64_t bytes;			/* of the largest message */
	const char *way;		/* "own" or the mode, such as "tokens" */
	int64_t ns;			/* of the slowest rank if that is known, else of this */
	int64_t before_ns;		/* of @ns, until the exchange began; 0: there was none */
	double share;			/* of the liquid throughput; 0: not known */
	uint64_t waits, wait_ns, timeouts, unsynchronised;	/* of this rank: liquid_run_stats */
	uint32_t ranks;			/* of the communicator */
};

/* @rank in MPI_COMM_WORLD. NULL without memory, or if FILE cannot be written (errno). */
struct report *report_open(const char *file, int rank);
/* The file of a rank other than 0 is made for its first line. */
void report_call(struct report *report, const struct report_line *line);
void report_close(struct report *report);

#endif
