/* SPDX-License-Identifier: GPL-2.0-only */
/* SHA-256 of files, as hex. A stream's is of what was read, even where its file is replaced. */
#ifndef LIQUID_TOOL_DIGEST_H
#define LIQUID_TOOL_DIGEST_H

#include <nettle/sha2.h>
#include <stdio.h>

#include "liquidsched.h"

void digest_hex(struct sha256_ctx *sha, char hex[LIQUID_DIGEST_HEX]);

struct digest_reader {
	FILE *in;
	struct sha256_ctx sha;
};

/* A stream of what @in has; NULL: out of memory. Closing it leaves @in and @reader's digest. */
FILE *digest_open(struct digest_reader *reader, FILE *in);

#endif
