/* SPDX-License-Identifier: GPL-2.0-only */
/* TAP 13 for the unit tests: ok(condition, name...), then tap_exit(). */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static unsigned int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused))
static bool ok(bool condition, const char *format, ...)
{
	va_list args;

	if (!tap_count)
		printf("TAP version 13\n");
	printf("%sok %u ", condition ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	tap_failed += !condition;
	return condition;
}

__attribute__((unused))
static int tap_exit(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
