// SPDX-License-Identifier: LGPL-2.1-or-later
/* SipHash-1-3, written from its paper: one round for each word, three at the end */
#include <sys/random.h>

#include "base/siphash.h"

bool siphash_draw_key(struct siphash_key *key)
{
	return getrandom(key, sizeof(*key), 0) == sizeof(*key);
}

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static void add_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v);
	v[0] ^= word;
}

/* Little-endian; the last word has fewer than 8 bytes. */
static uint64_t word_at(const unsigned char *byte, size_t size)
{
	uint64_t word = 0;

	for (size_t i = 0; i < size; i++)
		word |= (uint64_t)byte[i] << 8 * i;
	return word;
}

uint64_t siphash(const struct siphash_key *key, const void *data, size_t size)
{
	const unsigned char *byte = data;
	uint64_t v[4] = {	/* "somepseudorandomlygeneratedbytes" */
		key->word[0] ^ 0x736f6d6570736575, key->word[1] ^ 0x646f72616e646f6d,
		key->word[0] ^ 0x6c7967656e657261, key->word[1] ^ 0x7465646279746573,
	};
	size_t at = 0;

	for (; size - at >= 8; at += 8)
		add_word(v, word_at(byte + at, 8));
	add_word(v, word_at(byte + at, size - at) | (uint64_t)size << 56);
	v[2] ^= 0xff;
	for (int round = 0; round < 3; round++)
		mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
