/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A type of MPI as runs of bytes, in the order of its typemap, and cursors in the endless row of
 * its copies: a view of a file, or a program's buffer
 */
#ifndef LIQUID_MPIIO_FLAT_H
#define LIQUID_MPIIO_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run {
	int64_t offset, length;		/* bytes */
};

struct flat {
	struct run *runs;
	int64_t *before;		/* bytes of the runs before each, as many as runs */
	size_t count, room;		/* runs */
	int64_t size, extent;		/* bytes; copy N begins at N extents */
	unsigned int users;
};

struct flat *flat_make(void);
void flat_free(struct flat *flat);
/* Append bytes, to the last run if they continue it. False: no memory, or too many runs */
bool flat_add(struct flat *flat, int64_t offset, int64_t length);
/* Append @count copies of @part, @stride apart, the first one at @offset. */
bool flat_add_copies(struct flat *flat, const struct flat *part, int64_t offset, int64_t count,
		     int64_t stride);
/* After the last run: makes it ready for cursors. */
bool flat_finish(struct flat *flat, int64_t extent);
/* Are its bytes, and the next copies', one behind the other, and none below 0? */
bool flat_is_view(const struct flat *flat);

/* Of a view that begins at offset @base: its bytes below offset @limit */
int64_t flat_below(const struct flat *flat, int64_t base, int64_t limit);

struct cursor {
	const struct flat *flat;
	int64_t base, copy, within;	/* bytes, copies, bytes of the run */
	size_t run;
};

/* At byte @at of the copies' contents; the first one begins at offset @base. */
void cursor_seek(struct cursor *cursor, const struct flat *flat, int64_t base, int64_t at);
int64_t cursor_offset(const struct cursor *cursor);
/* The next bytes, at most @most, that are contiguous; the cursor goes behind them. */
struct run cursor_next(struct cursor *cursor, int64_t most);

#endif
