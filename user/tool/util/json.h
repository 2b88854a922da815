/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON on stdout. */
#ifndef LIQUID_TOOL_JSON_H
#define LIQUID_TOOL_JSON_H

#include <jansson.h>

/* @json, which is freed, after "format" and "version", which all output has; NULL: no memory */
json_t *json_headed(const char *format, int version, json_t *json);
/* Print it so, and free it; NULL: out of memory. The exit code. */
int print_json(const char *format, int version, json_t *json);

#endif
