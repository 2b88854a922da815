// SPDX-License-Identifier: GPL-2.0-only
/* Base times that every node computes alone: boundaries of the cycle, counted from the epoch. */
#include "push/push.h"

bool base_time_after(int64_t now, uint64_t delta, uint64_t cycle, int64_t *base)
{
	uint64_t start, rest;

	if (now < 0 || !cycle || __builtin_add_overflow((uint64_t)now, delta, &start))
		return false;
	rest = start % cycle;
	if (rest && __builtin_add_overflow(start, cycle - rest, &start))
		return false;
	if (start > INT64_MAX)
		return false;
	*base = start;
	return true;
}
