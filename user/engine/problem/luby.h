/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luby, Sinclair, Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993 */
#ifndef LIQUID_LUBY_H
#define LIQUID_LUBY_H

#include <stdint.h>

/*
 * How long try number @run, counted from 1, may last: 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... For
 * tries of random length, no other sequence is better by more than a logarithmic factor.
 */
static inline uint64_t luby(uint64_t run)
{
	uint64_t length = 1;

	while (length < run)
		length = 2 * length + 1;
	while (length != run) {
		length /= 2;
		if (run > length)
			run -= length;
	}
	return (length + 1) / 2;
}

#endif
