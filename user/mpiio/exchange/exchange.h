/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two-phase access of all ranks to one file
 *
 * The bytes between the first and the last one asked for are cut into domains, one for each rank.
 * Each rank sends the others its strips of their domains, unless they know; then, window after
 * window, bytes go by MPI_Alltoallv() to or from the ranks whose domains they are in, and these
 * write or read joined runs. MPI_Alltoallv() takes liquid's order: it is called by that name. Where
 * the bytes of the ranks are one behind the other, each rank is left to itself.
 */
#ifndef LIQUID_MPIIO_EXCHANGE_H
#define LIQUID_MPIIO_EXCHANGE_H

#include <mpi.h>

#include "exchange/strip.h"
#include "exchange/window.h"

/* A rank's request: @bytes from byte @start of its view on, to or from its buffer */
struct access {
	bool write;
	const struct flat *view, *memory;
	int64_t disp;			/* where the view begins, bytes */
	int64_t start, bytes;
	char *buffer;
};

/* What all ranks know of the access of one */
struct wish {
	int64_t low, high;		/* first byte of the file and end, bytes */
	int64_t bytes;
	struct strip strip;		/* all of it; length 0: it is more than one, or nothing */
};

/* The same on all ranks, except for the file */
struct ground {
	MPI_Comm comm;			/* errors are returned */
	MPI_Comm self;			/* of this rank alone */
	int rank, size;
	int file;
	int64_t stripe;			/* domains and windows begin at multiples of it, bytes */
	bool apart;			/* no rank asks for bytes between another's */
	int64_t low, high;		/* bytes that are asked for; apart: by this rank */
	bool sparse;			/* few bytes of them */
	const struct wish *wish;	/* by rank */
	struct window *window;
};

/* ->bytes are there, and are more than 0. */
void wish_make(struct wish *wish, const struct access *access);

/*
 * Returns 0, or the largest errno of all ranks, the same on all of them. EPROTO: the MPI failed.
 * Without memory the program is aborted.
 */
int exchange(const struct ground *ground, const struct access *access);

#endif
