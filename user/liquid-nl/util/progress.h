/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of a large file has been read, said on a terminal */
#ifndef LIQUID_NL_PROGRESS_H
#define LIQUID_NL_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *in;
	const char *label;
	uint64_t size, read;		/* bytes */
	unsigned int percent;		/* said last */
};

/*
 * Return a file to read instead of @in: @in itself if stderr is no terminal, or @in is no regular
 * file or a small one. @progress and @label must last until progress_end(), which leaves @in open.
 */
FILE *progress_begin(struct progress *progress, FILE *in, const char *label);
void progress_end(const struct progress *progress, FILE *shown);

#endif
