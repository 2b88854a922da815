/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIQUID_MPI_CLOCK_H
#define LIQUID_MPI_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, or CLOCK_TAI, which ranks on several nodes share; ns */
static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* CLOCK_TAI minus CLOCK_MONOTONIC, between two bounds: a thread may be held up between readings. */
struct clock_offset {
	int64_t least, most;
};

static inline void clock_offset(struct clock_offset *offset)
{
	int64_t before = clock_ns(CLOCK_MONOTONIC), tai = clock_ns(CLOCK_TAI);

	*offset = (struct clock_offset){ tai - clock_ns(CLOCK_MONOTONIC), tai - before };
}

#endif
