/* SPDX-License-Identifier: GPL-2.0-only */
/* SipHash-2-4 of two words, as the paper has it (Aumasson and Bernstein, 2012). */
#ifndef UNIT_LINUX_SIPHASH_H
#define UNIT_LINUX_SIPHASH_H

#include <linux/types.h>

typedef struct {
	u64 key[2];
} siphash_key_t;

static inline u64 siphash_rotate(u64 word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void siphash_rounds(u64 *v, int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = siphash_rotate(v[1], 13) ^ v[0];
		v[3] = siphash_rotate(v[3], 16) ^ v[2];
		v[0] = siphash_rotate(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = siphash_rotate(v[3], 21) ^ v[0];
		v[1] = siphash_rotate(v[1], 17) ^ v[2];
		v[2] = siphash_rotate(v[2], 32);
	}
}

static inline u64 siphash_2u64(u64 first, u64 second, const siphash_key_t *key)
{
	const u64 words[3] = { first, second, (u64)16 << 56 };
	u64 v[4] = {
		key->key[0] ^ 0x736f6d6570736575ULL, key->key[1] ^ 0x646f72616e646f6dULL,
		key->key[0] ^ 0x6c7967656e657261ULL, key->key[1] ^ 0x7465646279746573ULL,
	};

	for (int i = 0; i < 3; i++) {
		v[3] ^= words[i];
		siphash_rounds(v, 2);
		v[0] ^= words[i];
	}
	v[2] ^= 0xff;
	siphash_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
