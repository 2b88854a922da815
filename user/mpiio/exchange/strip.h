/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A rank's request in a part of the file: runs of one length and distance in a strip */
#ifndef LIQUID_MPIIO_STRIP_H
#define LIQUID_MPIIO_STRIP_H

#include "types/flat.h"

struct strip {
	int64_t offset, length, stride, count;	/* bytes; runs */
};

struct strips {
	struct strip *list;
	size_t count, room;
};

/* @offset is behind all runs before it. False: no memory */
bool strips_add(struct strips *strips, int64_t offset, int64_t length);

/* Reads the runs of strips, in their order. */
struct reader {
	const struct strip *at, *end;
	int64_t run, within;		/* of the strip; bytes of the run */
};

/* Go on to offset @begin; of a single strip at its begin. */
void reader_skip(struct reader *reader, int64_t begin);
/* The next contiguous bytes below @limit; length 0: there are none. */
struct run reader_next(struct reader *reader, int64_t limit);

#endif
