/* SPDX-License-Identifier: GPL-2.0-only */
/* The time of a clock, ns. */
#ifndef LIQUID_TOOL_CLOCK_NS_H
#define LIQUID_TOOL_CLOCK_NS_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#endif
