/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SHA-256 of files, as hex. A stream's digest is of the bytes read, even where its file is
 * replaced.
 */
#ifndef LIQUID_TOOL_DIGEST_H
#define LIQUID_TOOL_DIGEST_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "liquidsched.h"

void digest_hex(struct sha256_ctx *sha, char hex[LIQUID_DIGEST_HEX]);

/* @text, which may be NULL, is a number of just @length digits, in lower case. */
static inline bool is_hex(const char *text, size_t length)
{
	return text && strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

struct digest_reader {
	FILE *in;
	struct sha256_ctx sha;
};

/* A stream of what @in has; NULL: out of memory. Closing it leaves @in and @reader's digest. */
FILE *digest_open(struct digest_reader *reader, FILE *in);

#endif
