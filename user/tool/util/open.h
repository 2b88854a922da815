/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening of input files. */
#ifndef LIQUID_TOOL_OPEN_H
#define LIQUID_TOOL_OPEN_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "liquidsched.h"

/*
 * Open @path for reading. "-" is stdin, which can be used for one input only. A status of the
 * library; close_input() leaves stdin open. Of a file that gzip has compressed *@in is the content.
 */
int input_open(const char *path, FILE **in, struct liquid_error *err);
void close_input(FILE *in);
/* The name of @path in messages */
const char *input_label(const char *path);
/* True for a regular file that was opened as input: an output must not replace it, ... */
bool input_was_read(const struct stat *st);
/* ... unless this was called for it. */
void input_may_be_replaced(FILE *in);
/* The same, with an exit code after a message */
int open_input(const char *path, FILE **in);

#endif
