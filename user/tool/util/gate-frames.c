// SPDX-License-Identifier: GPL-2.0-only
/* Do the frames of a schedule fit a gate? */
#include <inttypes.h>

#include <linux/liquid.h>

#include "util/gate-frames.h"

int gate_frames_check(uint32_t frames, uint32_t parts, uint64_t frame_ns, struct liquid_error *err)
{
	uint64_t all = (uint64_t)frames * parts;

	if (all > LIQUID_FRAMES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%u frames cut into %u parts each are %" PRIu64 "; a gate takes "
				   "%u", frames, parts, all, LIQUID_FRAMES_MAX);
	if (frame_ns % parts)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a frame of %" PRIu64 " ns cannot be cut into %u equal parts, "
				   "one for each transfer that the node sends at once; all nodes "
				   "need a frame time that is a multiple of %u ns",
				   frame_ns, parts, parts);
	if (frame_ns / parts < LIQUID_FRAME_NS_MIN)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a frame of %" PRIu64 " ns cut into %u parts, one for each "
				   "transfer that the node sends at once, leaves %" PRIu64 " ns; a "
				   "gate takes no less than %llu", frame_ns, parts,
				   frame_ns / parts, (unsigned long long)LIQUID_FRAME_NS_MIN);
	return LIQUID_OK;
}
