// SPDX-License-Identifier: GPL-2.0-only
/* A slice in frames of the gate: do they fit, and their runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "push/push.h"

int push_plan_check_parts(const struct push_plan *plan, uint64_t frame_ns, struct liquid_error *err)
{
	uint64_t frames = (uint64_t)plan->frames * plan->parts;

	if (frames > LIQUID_FRAMES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%u frames cut into %u parts each are %" PRIu64 "; a gate takes "
				   "%u", plan->frames, plan->parts, frames, LIQUID_FRAMES_MAX);
	if (frame_ns % plan->parts)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a frame of %" PRIu64 " ns cannot be cut into %u equal parts, "
				   "one for each transfer that the node sends at once; all nodes "
				   "need a frame time that is a multiple of %u ns",
				   frame_ns, plan->parts, plan->parts);
	if (frame_ns / plan->parts < LIQUID_FRAME_NS_MIN)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a frame of %" PRIu64 " ns cut into %u parts, one for each "
				   "transfer that the node sends at once, leaves %" PRIu64 " ns; a "
				   "gate takes no less than %llu", frame_ns, plan->parts,
				   frame_ns / plan->parts, (unsigned long long)LIQUID_FRAME_NS_MIN);
	return LIQUID_OK;
}

int push_plan_fold(struct push_plan *plan, const uint32_t *dst, uint32_t frames,
		   uint32_t host_count, uint32_t *hosts, struct liquid_error *err)
{
	uint32_t *number = malloc((host_count + (size_t)1) * sizeof(*number));
	int status = LIQUID_OK;

	if (!number)
		return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	memset(number, 0xff, host_count * sizeof(*number));	/* all LIQUID_NONE */
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
