/* SPDX-License-Identifier: GPL-2.0-only */
/* The line on a terminal that shows progress, and how much of a large file is read */
#ifndef LIQUID_TOOL_PROGRESS_H
#define LIQUID_TOOL_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

/* Show it in place of the last line. SIGINT and SIGTERM clear the line before they end it. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_clear(void);
/*
 * From handler @from to @to, unless another is set or the signal is ignored. It is reset when it is
 * entered.
 */
void progress_handler(int signal, void (*from)(int), void (*to)(int));

struct progress {
	FILE *in;
	const char *label;
	uint64_t size, read;		/* bytes */
	unsigned int percent;		/* said last */
};

/*
 * Return a file to read instead of @in: @in itself if stderr is not a terminal, or @in is not a
 * regular file or a small one. @progress and @label must last until progress_end(), which leaves
 * @in open.
 */
FILE *progress_begin(struct progress *progress, FILE *in, const char *label);
void progress_end(const struct progress *progress, FILE *shown);

#endif
