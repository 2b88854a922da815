/* SPDX-License-Identifier: GPL-2.0-only */
/* TAP 13 for the unit tests: ok(condition, name...), then tap_exit(); draws(): how many cases. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/*
 * How many random cases to draw where @count is the usual number: LIQUID_TEST_DRAWS percent of it,
 * rounded up, and the output says so. Without that variable: @count.
 */
__attribute__((unused))
static uint32_t draws(uint32_t count)
{
	const char *share = getenv("LIQUID_TEST_DRAWS");
	unsigned long percent = share ? strtoul(share, NULL, 10) : 100;
	uint32_t drawn = (uint32_t)((count * (uint64_t)percent + 99) / 100);

	if (!percent || percent > 10000) {
		printf("Bail out! LIQUID_TEST_DRAWS is '%s', not 1 to 10000 percent\n", share);
		exit(1);
	}
	if (share)
		printf("# LIQUID_TEST_DRAWS=%lu: %u random cases instead of %u\n", percent, drawn,
		       count);
	return drawn;
}

__attribute__((unused))
static int tap_exit(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
