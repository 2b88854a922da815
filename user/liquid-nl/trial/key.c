// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who takes part must have the key
 *
 * Each end sends a nonce, and gets an HMAC of both nonces under the key. The key itself does not go
 * over the wire. What follows on the connection is not protected.
 */
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>
#include <sys/random.h>

#include "trial/trial.h"

bool trial_nonce(char hex[TRIAL_HEX])
{
	uint8_t byte[16];

	if (getrandom(byte, sizeof(byte), 0) != sizeof(byte))
		return false;
	base16_encode_update(hex, sizeof(byte), byte);
	hex[TRIAL_HEX - 1] = 0;
	return true;
}

static void add(struct hmac_sha256_ctx *hmac, const char *text)
{
	/* With its 0, so that no two lists of texts are the same bytes */
	hmac_sha256_update(hmac, strlen(text) + 1, (const uint8_t *)text);
}

void trial_proof(const char *key, const char *role, const char *first, const char *second,
		 char hex[TRIAL_PROOF])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct hmac_sha256_ctx hmac;

	hmac_sha256_set_key(&hmac, strlen(key), (const uint8_t *)key);
	add(&hmac, role);
	add(&hmac, first);
	add(&hmac, second);
	hmac_sha256_digest(&hmac, sizeof(digest), digest);
	base16_encode_update(hex, sizeof(digest), digest);
	hex[TRIAL_PROOF - 1] = 0;
}

bool trial_same(const char *one, const char *other)
{
	size_t length = strlen(one);

	return length == strlen(other) && memeql_sec(one, other, length);
}
