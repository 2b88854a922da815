// SPDX-License-Identifier: GPL-2.0-only
/* Members of records and reports, which nodes have written: of any type, or missing. */
#include "report/report.h"

/* No counter is negative. */
uint64_t value_of(const json_t *json, const char *name)
{
	json_int_t value = json_integer_value(json_object_get(json, name));

	return value > 0 ? (uint64_t)value : 0;
}

double real_of(const json_t *json, const char *name)
{
	return json_number_value(json_object_get(json, name));
}

bool value_is_known(const json_t *json, const char *name)
{
	return json_is_number(json_object_get(json, name));
}

const char *text_of(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text ? text : "";
}

const json_t *member_of(const json_t *json, const char *first, const char *second)
{
	return json_object_get(json_object_get(json, first), second);
}

struct gate_hist hist_of(const json_t *buckets)
{
	struct gate_hist hist = { 0 };

	for (unsigned int i = 0; i < LIQUID_HIST_BUCKETS; i++) {
		json_int_t count = json_integer_value(json_array_get(buckets, i));

		/* The sum of all must not overflow. */
		if (count > 0 && count < INT64_MAX / 16)
			hist.bucket[i] = (uint64_t)count;
	}
	return hist;
}

static const char *format_scaled(double value, const char *const *units, char text[UNIT_TEXT])
{
	for (; value >= 999.5 && units[1]; units++)
		value /= 1000;
	snprintf(text, UNIT_TEXT, "%.3g %s", value, *units);
	return text;
}

const char *format_bytes(uint64_t bytes, char text[UNIT_TEXT])
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB", "PB", NULL };

	return format_scaled((double)bytes, units, text);
}

const char *format_share(double share, char text[UNIT_TEXT])
{
	snprintf(text, UNIT_TEXT, share && share < 0.0001 ? "%.1g %%" : "%.3g %%", 100 * share);
	return text;
}
