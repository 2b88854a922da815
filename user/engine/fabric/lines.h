/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of an untrusted text file. */
#ifndef LIQUID_LINES_H
#define LIQUID_LINES_H

#include <stdbool.h>

#include "liquidsched.h"

#define LINE_BYTES 65536
#define LINE_BLOCK (4 * LINE_BYTES)

struct line_reader {
	FILE *in;
	const char *label;
	unsigned long number;		/* line number of @text, from 1 */
	char *text;			/* without its newline */
	/* What was read of the file; from @at to @used comes next */
	char *block;
	size_t room, at, used;
	bool over;			/* the file has no more */
	int error;			/* that of reading, told after the lines before it */
	/* Called before the text of lines goes away; NULL: none are kept */
	void (*leave)(void *context);
	void *context;
};

/* @room: bytes that are read at once, LINE_BLOCK at least */
int line_open(struct line_reader *lines, FILE *in, const char *label, size_t room,
	      struct liquid_error *err);
void line_close(struct line_reader *lines);
/*
 * Read a line into @text, without a byte order mark before the first. Returns 1, 0 at the end of
 * the file, or an error: the line is too long, has a zero byte, or cannot be read.
 */
int line_next(struct line_reader *lines, struct liquid_error *err);
/* Fill in @err with "label:number: reason" and return LIQUID_BAD_INPUT. */
int line_fail(const struct line_reader *lines, struct liquid_error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
