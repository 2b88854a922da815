/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random numbers that are the same on every machine. */
#ifndef LIQUID_RANDOM_H
#define LIQUID_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline uint64_t random_next(struct random *random)
{
	return random_mix(random->state += 0x9e3779b97f4a7c15);
}

/* 0 ... @bound - 1 */
static inline uint32_t random_below(struct random *random, uint32_t bound)
{
	return (uint32_t)(((random_next(random) >> 32) * bound) >> 32);
}

#endif
