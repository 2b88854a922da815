/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of collective calls, until all ranks' have arrived. A rank sends its part of a call
 * in rounds; the last one says so, and from then on the others are not kept waiting by it.
 */
#ifndef LIQUID_SFIO_GATHER_H
#define LIQUID_SFIO_GATHER_H

#include <stdbool.h>

#include "listener/slot.h"

struct gather {
	uint32_t clients;
	uint32_t busy;			/* of them have not sent their last request of the call */
	uint64_t call, round;		/* which are gathered now */
	struct queue held;		/* requests that wait */
	int64_t timeout_ns, moved_ns;
};

void gather_new(struct gather *gather, uint32_t clients, int64_t timeout_ns);
/* Returns false for a request of a call that is over: it came too late. */
bool gather_put(struct gather *gather, struct slot *slot);
/* Move a round that is complete into @round. Returns false if none is. */
bool gather_round(struct gather *gather, struct queue *round);
/* Give up the call if nothing has come for too long: its held requests go into @late. */
void gather_late(struct gather *gather, struct queue *late);

#endif
