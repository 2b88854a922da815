/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A window of the file in memory: which of its bytes are meant, and the accesses that take */
#ifndef LIQUID_MPIIO_WINDOW_H
#define LIQUID_MPIIO_WINDOW_H

#include "types/flat.h"

struct window {
	char *bytes;
	uint64_t *meant;		/* a bit for each byte */
	int64_t room;			/* bytes */
	int64_t begin, end;		/* of the file */
};

bool window_make(struct window *window, int64_t room);
void window_free(struct window *window);
/* At most @room bytes, of which none is meant yet */
void window_set(struct window *window, int64_t begin, int64_t end);
/* Bytes are meant; returns where they are. */
char *window_mean(struct window *window, int64_t offset, int64_t length);
/* Write the marked ranges, and nothing else. Returns 0, or errno. */
int window_write(const struct window *window, int file);
/* Read the marked ranges, and small gaps with them. ENODATA: the file ends before */
int window_read(const struct window *window, int file);
/* The same of one run between the file and @bytes, without a window */
int block_access(int file, bool write, char *bytes, struct run run);

#endif
