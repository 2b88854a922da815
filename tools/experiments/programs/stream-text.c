// SPDX-License-Identifier: GPL-2.0-only
/* Arguments and errors of the parts of stream */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

void die(const char *what)
{
	fprintf(stderr, "stream-run: %s: %s\n", what, strerror(errno));
	exit(2);
}

uint64_t number_of(const char *text)
{
	char *end;
	uint64_t number = strtoull(text, &end, 10);

	if (*end || end == text) {
		fprintf(stderr, "stream-run: '%s' is no number\n", text);
		exit(2);
	}
	return number;
}
