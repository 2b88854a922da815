/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SipHash-1-3: Aumasson, Bernstein, "SipHash: a fast short-input PRF", 2012
 *
 * Whoever does not know the key cannot choose what collides in a hash table.
 */
#ifndef LIQUID_SIPHASH_H
#define LIQUID_SIPHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t word[2];
};

/* A key from the kernel's random numbers; false: there are none, see errno. */
bool siphash_draw_key(struct siphash_key *key);
uint64_t siphash(const struct siphash_key *key, const void *data, size_t size);

#endif
