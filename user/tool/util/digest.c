// SPDX-License-Identifier: GPL-2.0-only
/* Digests of files while they are read. */
#include "util/digest.h"

void digest_hex(struct sha256_ctx *sha, char hex[LIQUID_DIGEST_HEX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static ssize_t read_on(void *cookie, char *buffer, size_t size)
{
	struct digest_reader *reader = cookie;
	size_t got = fread(buffer, 1, size, reader->in);

	sha256_update(&reader->sha, got, (const uint8_t *)buffer);
	return got || !ferror(reader->in) ? (ssize_t)got : -1;
}

FILE *digest_open(struct digest_reader *reader, FILE *in)
{
	reader->in = in;
	sha256_init(&reader->sha);
	return fopencookie(reader, "r", (cookie_io_functions_t){ .read = read_on });
}
