// SPDX-License-Identifier: GPL-2.0-only
/* A slice as runs of equal frames. */
#include <stdlib.h>
#include <string.h>

#include "push.h"

int push_plan_fold(struct push_plan *plan, const uint32_t *dst, uint32_t frames,
		   uint32_t host_count, uint32_t *hosts, struct liquid_error *err)
{
	uint32_t *number = malloc((host_count + (size_t)1) * sizeof(*number));
	int status = LIQUID_OK;

	if (!number)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	memset(number, 0xff, host_count * sizeof(*number));	/* LIQUID_NONE each */
	for (uint32_t f = 0; f < frames && !status; f++) {
		uint32_t dest = LIQUID_NONE;

		if (dst[f] != LIQUID_NONE) {
			if (number[dst[f]] == LIQUID_NONE) {
				number[dst[f]] = plan->count;
				hosts[plan->count++] = dst[f];
			}
			dest = number[dst[f]];
		}
		if (!gate_runs_append(&plan->runs, dest, 1))
			status = liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	}
	free(number);
	return status;
}
