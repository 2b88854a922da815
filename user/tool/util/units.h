/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers with units, as they are written on the command line and shown. */
#ifndef LIQUID_TOOL_UNITS_H
#define LIQUID_TOOL_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All of these are exact: a value that is not a whole number of the unit, does not
 * fit, or is followed by anything else is refused (false, *value untouched).
 */

/* "10", "0x10" */
bool parse_number(const char *text, uint64_t max, uint64_t *value);
/* Bit/s: "10G", "2.5Gbit", "1000000"; powers of 1000 */
bool parse_rate(const char *text, uint64_t *bps);
/* ns: "100us", "1.5ms", "2s", "1000" */
bool parse_time(const char *text, uint64_t *ns);
/* Bytes: "1500", "64k" (1000), "64Ki" (1024), "1MiB" */
bool parse_size(const char *text, uint64_t *bytes);
/* Permille: "50", "5%", "2.5%" */
bool parse_share(const char *text, uint64_t *permille);

#define UNIT_TEXT 32	/* bytes that the functions below write at most */
const char *format_rate(uint64_t bps, char text[UNIT_TEXT]);
const char *format_time(uint64_t ns, char text[UNIT_TEXT]);

#endif
