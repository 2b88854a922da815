// SPDX-License-Identifier: GPL-2.0-only
/* The growth of a counter per second. */
#include "show/stats.h"

double stats_rate(uint64_t before, uint64_t after, uint64_t ns)
{
	return ns ? (after >= before ? after - before : after) * 1e9 / ns : 0;
}
