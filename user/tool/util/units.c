// SPDX-License-Identifier: GPL-2.0-only
/* Numbers with units: exact in both directions. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/units.h"

struct unit {
	const char *name;
	uint64_t scale;
};

#define KILO 1000ULL
#define MEGA (KILO * KILO)
#define GIGA (KILO * MEGA)
#define TERA (KILO * GIGA)

static const struct unit rate_units[] = {
	{ "", 1 }, { "bit", 1 },
	{ "k", KILO }, { "kbit", KILO }, { "K", KILO }, { "Kbit", KILO },
	{ "M", MEGA }, { "Mbit", MEGA },
	{ "G", GIGA }, { "Gbit", GIGA },
	{ "T", TERA }, { "Tbit", TERA },
	{ NULL, 0 }
};

static const struct unit time_units[] = {
	{ "", 1 }, { "ns", 1 }, { "us", KILO }, { "ms", MEGA }, { "s", GIGA }, { NULL, 0 }
};

static const struct unit size_units[] = {
	{ "", 1 }, { "B", 1 },
	{ "k", KILO }, { "kB", KILO }, { "M", MEGA }, { "MB", MEGA }, { "G", GIGA }, { "GB", GIGA },
	{ "Ki", 1ULL << 10 }, { "KiB", 1ULL << 10 },
	{ "Mi", 1ULL << 20 }, { "MiB", 1ULL << 20 },
	{ "Gi", 1ULL << 30 }, { "GiB", 1ULL << 30 },
	{ NULL, 0 }
};

static const struct unit share_units[] = {
	{ "", 1 }, { "%", 10 }, { NULL, 0 }
};

static uint64_t unit_scale(const struct unit *units, const char *name)
{
	for (; units->name; units++)
		if (!strcmp(units->name, name))
			return units->scale;
	return 0;
}

/* Digits with at most one point: *mantissa / *divisor. Returns what follows, or NULL. */
static const char *parse_decimal(const char *text, uint64_t *mantissa, uint64_t *divisor)
{
	bool point = false, digit = false;

	*mantissa = 0;
	*divisor = 1;
	for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		digit = true;
		if (__builtin_mul_overflow(*mantissa, 10, mantissa) ||
		    __builtin_add_overflow(*mantissa, (uint64_t)(*text - '0'), mantissa))
			return NULL;
		if (point && __builtin_mul_overflow(*divisor, 10, divisor))
			return NULL;
	}
	return digit ? text : NULL;
}

static bool parse_scaled(const char *text, const struct unit *units, uint64_t *value)
{
	uint64_t mantissa, divisor, scale;
	unsigned __int128 product;
	const char *end = parse_decimal(text, &mantissa, &divisor);

	if (!end)
		return false;
	scale = unit_scale(units, end);
	if (!scale)
		return false;
	product = (unsigned __int128)mantissa * scale;
	if (product % divisor || product / divisor > UINT64_MAX)
		return false;
	*value = product / divisor;
	return true;
}

bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	uint64_t sum = 0;

	if (!*digits)
		return false;
	for (; *digits; digits++) {
		int c = tolower((unsigned char)*digits);
		unsigned int digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (hex ? !isxdigit(c) : !isdigit(c))
			return false;
		if (__builtin_mul_overflow(sum, hex ? 16 : 10, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return false;
	}
	if (sum > max)
		return false;
	*value = sum;
	return true;
}

bool parse_rate(const char *text, uint64_t *bps)
{
	return parse_scaled(text, rate_units, bps);
}

bool parse_time(const char *text, uint64_t *ns)
{
	return parse_scaled(text, time_units, ns);
}

bool parse_size(const char *text, uint64_t *bytes)
{
	return parse_scaled(text, size_units, bytes);
}

bool parse_share(const char *text, uint64_t *permille)
{
	return parse_scaled(text, share_units, permille);
}

/* @value / 1000^steps with no digit lost and no trailing zero, then the unit. */
static const char *format_scaled(uint64_t value, const char *const *units, size_t count,
				 char text[UNIT_TEXT])
{
	uint64_t scale = 1, rest;
	int digits = 0, length;
	size_t unit = 0;

	for (; unit + 1 < count && value / scale >= 1000; unit++, digits += 3)
		scale *= 1000;
	length = snprintf(text, UNIT_TEXT, "%" PRIu64, value / scale);
	rest = value % scale;
	for (; rest && rest % 10 == 0; digits--)
		rest /= 10;
	if (rest)
		length += snprintf(text + length, UNIT_TEXT - length, ".%0*" PRIu64, digits, rest);
	snprintf(text + length, UNIT_TEXT - length, " %s", units[unit]);
	return text;
}

const char *format_rate(uint64_t bps, char text[UNIT_TEXT])
{
	static const char *const units[] = { "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s" };

	return format_scaled(bps, units, 5, text);
}

const char *format_time(uint64_t ns, char text[UNIT_TEXT])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	return format_scaled(ns, units, 4, text);
}
