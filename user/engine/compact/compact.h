/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals of a compact schedule: blocks of senders, and where each slot sends by pattern. */
#ifndef LIQUID_COMPACT_H
#define LIQUID_COMPACT_H

#include "liquidsched.h"

struct liquid_compact {
	struct liquid_compact_info info;
	uint32_t hosts;			/* of the fabric */
	uint32_t *sender;		/* by slot: its host; LIQUID_NONE: the block is smaller */
	uint32_t *slot;			/* by host of the fabric: its slot, or LIQUID_NONE */
	uint32_t *dst;			/* by pattern and slot */
};

#endif
