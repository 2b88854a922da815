/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The greatest common divisor. */
#ifndef LIQUID_DIVISOR_H
#define LIQUID_DIVISOR_H

#include <stdint.h>

/* Every number divides 0. */
static inline uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
