/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames of a schedule that are cut into frames of a gate */
#ifndef LIQUID_TOOL_GATE_FRAMES_H
#define LIQUID_TOOL_GATE_FRAMES_H

#include "liquidsched.h"

/* Check that @parts divide a frame of @frame_ns, and that the gate has enough frames. */
int gate_frames_check(uint32_t frames, uint32_t parts, uint64_t frame_ns, struct liquid_error *err);

#endif
