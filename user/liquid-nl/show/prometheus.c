// SPDX-License-Identifier: GPL-2.0-only
/* Prometheus' text exposition format: what gates and jobs have in common. */
#include <inttypes.h>

#include "show/prometheus.h"

void put_label(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		fputc(*value, out);
	}
}

void put_head(FILE *out, const char *metric, const char *type, const char *text)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", metric, text, metric, type);
}

void put_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}
