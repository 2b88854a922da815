/* SPDX-License-Identifier: GPL-2.0-only */
/* Printing text from outside: comments, records, answers of daemons, the output of commands. */
#ifndef LIQUID_TOOL_SAY_H
#define LIQUID_TOOL_SAY_H

#include <stdarg.h>
#include <stdio.h>

#include "escape.h"

/* As printf(), escaped; a line ends only where @format does. */
void put_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print @text as one line. */
void vsay_line(FILE *out, const char *prefix, const char *format, va_list args);
/* Print @text in bold red, where stdout is a terminal with colours, and NO_COLOR is not set. */
void put_marked(const char *text);

#endif
