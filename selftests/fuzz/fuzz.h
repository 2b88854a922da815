/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fuzzers of readers share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "liquidsched.h"

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

struct fuzz_text {
	const char *text;
	size_t size;
};

/* Take the next part off @rest; lines "--" part them, and behind the last one they are empty. */
static inline struct fuzz_text fuzz_next_part(struct fuzz_text *rest)
{
	const char *end = rest->size ? memmem(rest->text, rest->size, "\n--\n", 4) : NULL;
	struct fuzz_text part = { rest->text, end ? (size_t)(end - rest->text) : rest->size };
	size_t taken = part.size + (end ? 4 : 0);

	rest->text += taken;
	rest->size -= taken;
	return part;
}

/* A new directory, in memory where that is possible; @name tells whose it is */
static inline void fuzz_make_directory(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/fuzz-%s.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", name);
	fuzz_check(mkdtemp(path) != NULL);
}

/* @fabric as a file, to be freed */
static inline char *fuzz_text_of(const struct liquid_fabric *fabric, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	fuzz_check(!liquid_fabric_write(fabric, out, NULL));
	fclose(out);
	return text;
}

/* A file that was written by the library must be accepted. */
static inline struct liquid_fabric *fuzz_fabric_of(const char *text, size_t size)
{
	FILE *in = fuzz_file(text, size);
	struct liquid_fabric *fabric;

	fuzz_check(!liquid_fabric_read(in, "again", &fabric, NULL));
	fclose(in);
	return fabric;
}

static inline void fuzz_same_digest(const struct liquid_fabric *a, const struct liquid_fabric *b)
{
	char first[LIQUID_DIGEST_HEX], second[LIQUID_DIGEST_HEX];

	fuzz_check(!liquid_fabric_digest(a, first, NULL));
	fuzz_check(!liquid_fabric_digest(b, second, NULL));
	fuzz_check(!strcmp(first, second));
}

/* Written and read again, a fabric is the same. */
static inline void fuzz_same_again(const struct liquid_fabric *fabric)
{
	size_t size;
	char *text = fuzz_text_of(fabric, &size);
	struct liquid_fabric *again = fuzz_fabric_of(text, size);

	fuzz_same_digest(fabric, again);
	liquid_fabric_free(again);
	free(text);
}

#endif
