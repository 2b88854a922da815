/* SPDX-License-Identifier: GPL-2.0-only */
/* Text with words of others in it: comments, records, answers of daemons, the output of commands. */
#ifndef LIQUID_NL_SAY_H
#define LIQUID_NL_SAY_H

#include <stdarg.h>
#include <stdio.h>

/*
 * Bytes that a terminal acts on, or that look like another line of a log, as \xNN: control characters
 * of ASCII and Unicode, what changes the direction of writing, and what is no UTF-8.
 */
void put_escaped(FILE *out, const char *text);
/* As printf(), escaped; a line ends only where @format does. */
void put_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of its own. */
void vsay_line(FILE *out, const char *prefix, const char *format, va_list args);

#endif
