/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fuzzers of readers share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a file that can be read. */
static inline FILE *fuzz_file(const void *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	if (!in)
		abort();
	return in;
}

/* What must hold whatever the input is. */
static inline void fuzz_check(int condition)
{
	if (!condition)
		abort();
}

#endif
