/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files that appear whole or not at all. */
#ifndef LIQUID_NL_OUTPUT_H
#define LIQUID_NL_OUTPUT_H

#include <stdio.h>

struct output {
	FILE *file;
	const char *path;		/* NULL: stdout */
	char *temporary;		/* beside @path, renamed to it at the end */
};

/* NULL and "-" stand for stdout. Both return an exit code, and complain by themselves. */
int output_open(struct output *output, const char *path);
/* @code: how the writing went; unless EXIT_OK the file is dropped. Returns the code that counts. */
int output_close(struct output *output, int code);

#endif
