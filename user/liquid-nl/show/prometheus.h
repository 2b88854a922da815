/* SPDX-License-Identifier: GPL-2.0-only */
/* Prometheus' text exposition format 0.0.4 */
#ifndef LIQUID_NL_PROMETHEUS_H
#define LIQUID_NL_PROMETHEUS_H

#include <stdint.h>
#include <stdio.h>

/* A label's value, in which backslash, quote and newline are escaped */
void put_label(FILE *out, const char *value);
void put_head(FILE *out, const char *metric, const char *type, const char *text);
/* The end of a sample: ns as seconds, to the last digit */
void put_seconds(FILE *out, uint64_t ns);

#endif
