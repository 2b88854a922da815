/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of a compute rank: the listeners, the settings, and requests under way */
#ifndef LIQUID_SFIO_CONTEXT_H
#define LIQUID_SFIO_CONTEXT_H

#include <mpi.h>

#include "api/liquid-sfio.h"
#include "client/flight.h"

#define HOST_ROOM	256

struct exchange;

struct peer {
	int rank;			/* of the listener */
	char host[HOST_ROOM];
	bool dead;			/* has not answered in time */
};

struct context {
	MPI_Comm all, compute;		/* the library's own, of all ranks; the user's */
	MPI_Comm agree;			/* of compute ranks, the library's own */
	int rank, ranks;		/* compute ranks */
	struct peer *peer;
	uint32_t peers;
	struct flight *flight;		/* DEPTH for each listener */
	uint64_t buffer;		/* largest request in bytes, without its header */
	int64_t timeout_ns;
	uint64_t calls;			/* collective ones so far */
	uint32_t files;			/* opened so far */
	bool broken;			/* a compute rank was missed in a collective call */
	struct exchange *exchange;	/* NULL: in no order */
	struct sfio_stats stats;
};

/* The process has one, because the functions of the thesis take none. NULL: not a compute rank */
extern struct context *sfio_context;

#endif
