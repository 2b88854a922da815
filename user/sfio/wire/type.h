/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MPI types of messages whose parts are scattered in memory: nothing is copied for them */
#ifndef LIQUID_SFIO_TYPE_H
#define LIQUID_SFIO_TYPE_H

#include <mpi.h>

#include "cache/piece.h"

struct span {
	const void *from;
	uint64_t bytes;
};

/*
 * A type, to be used with MPI_BOTTOM, of the spans and of the pieces after them. Spans that are
 * empty are left out. Returns 0, -ENOMEM or -EIO.
 */
int type_new(const struct span *span, size_t spans, const struct pieces *pieces,
	     MPI_Datatype *type);

#endif
