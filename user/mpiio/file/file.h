/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that the program has open, in addition to the MPI's data */
#ifndef LIQUID_MPIIO_FILE_H
#define LIQUID_MPIIO_FILE_H

#include <mpi.h>

#include "exchange/exchange.h"
#include "plan/way.h"

#define FAR (INT64_C(1) << 60)		/* no file has bytes there */

/* A call that all ranks have yet to learn from */
struct untold {
	bool is;
	int book;
	enum way way;
	uint64_t bytes;
	int64_t ns;			/* on this rank */
};

/* A rank's message to the others before the first byte of a call */
struct told {
	int64_t refused;		/* the call goes the MPI's own way */
	int64_t ns;			/* of the call before */
	struct wish wish;
};

struct file {
	struct file *next;
	MPI_File handle;
	struct ground ground;
	struct window window;
	int amode;
	bool verbose;
	bool lost;			/* where the pointer is within an element */
	struct flat *view;		/* NULL: one that is left to the MPI */
	int64_t disp, etype;		/* bytes */
	struct way_book book[2];	/* of reads, and of writes */
	struct untold untold;
	struct told *told;		/* by each rank in a call */
	struct wish *wish;		/* the same of accesses alone */
	uint64_t served, passed;	/* calls */
};

/* After the MPI has opened a file with @error: all ranks of @comm decide whether it is ours. */
void file_opened(MPI_Comm comm, const char *name, int amode, MPI_File handle, int error);
void file_viewed(MPI_File handle, int64_t disp, MPI_Datatype etype, MPI_Datatype view,
		 const char *representation, int error);
/* Before the MPI closes it */
void file_closes(MPI_File handle);
struct file *file_find(MPI_File handle);	/* NULL: none of ours */

#endif
