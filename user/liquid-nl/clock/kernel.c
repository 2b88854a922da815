// SPDX-License-Identifier: GPL-2.0-only
/* The state of the kernel's clock: adjtimex(2). */
#include <errno.h>

#include "clock/clock.h"

static uint64_t microseconds(long value)
{
	return value > 0 ? (uint64_t)value * 1000 : 0;
}

void clock_from_timex(const struct timex *timex, struct clock_kernel *clock)
{
	*clock = (struct clock_kernel){
		.tai_offset = timex->tai,
		.synchronised = !(timex->status & STA_UNSYNC),
		.max_error_ns = microseconds(timex->maxerror),
		.estimate_ns = microseconds(timex->esterror),
		.status = timex->status,
	};
}

int clock_read_kernel(struct clock_kernel *clock)
{
	struct timex timex = { 0 };

	if (adjtimex(&timex) < 0)
		return -errno;
	clock_from_timex(&timex, clock);
	return 0;
}
