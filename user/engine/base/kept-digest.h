/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A digest as text, and one that is computed when it is first asked for. Several threads may ask at
 * once: the first one that has it keeps it for the others.
 */
#ifndef LIQUID_KEPT_DIGEST_H
#define LIQUID_KEPT_DIGEST_H

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <string.h>

#include "liquidsched.h"

static inline void digest_end(struct sha256_ctx *sha, char *hex)
{
	uint8_t bytes[SHA256_DIGEST_SIZE];

	sha256_digest(sha, sizeof(bytes), bytes);
	base16_encode_update(hex, sizeof(bytes), bytes);
	hex[LIQUID_DIGEST_HEX - 1] = '\0';
}

enum kept_digest_state { DIGEST_NONE, DIGEST_WRITTEN, DIGEST_KNOWN };

struct kept_digest {
	int state;			/* enum kept_digest_state */
	char of[LIQUID_DIGEST_HEX];	/* the digest of what else it depends on; or "" */
	char hex[LIQUID_DIGEST_HEX];
};

static inline bool kept_digest_get(const struct kept_digest *kept, const char *of, char *hex)
{
	if (__atomic_load_n(&kept->state, __ATOMIC_ACQUIRE) != DIGEST_KNOWN || strcmp(kept->of, of))
		return false;
	memcpy(hex, kept->hex, LIQUID_DIGEST_HEX);
	return true;
}

static inline void kept_digest_put(struct kept_digest *kept, const char *of, const char *hex)
{
	int none = DIGEST_NONE;

	if (!__atomic_compare_exchange_n(&kept->state, &none, DIGEST_WRITTEN, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	strcpy(kept->of, of);
	memcpy(kept->hex, hex, LIQUID_DIGEST_HEX);
	__atomic_store_n(&kept->state, DIGEST_KNOWN, __ATOMIC_RELEASE);
}

#endif
