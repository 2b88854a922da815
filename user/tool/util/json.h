/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON on stdout. */
#ifndef LIQUID_TOOL_JSON_H
#define LIQUID_TOOL_JSON_H

#include <jansson.h>

/* Print and free @json; NULL: out of memory. The exit code. */
int print_json(json_t *json);

#endif
