// SPDX-License-Identifier: GPL-2.0-only
/* What TCP needs on the routes to the destinations, so that it fills its frames. */
#include <stdlib.h>

#include "push/push.h"
#include "util/units.h"

#define NS_PER_MS	1000000ULL
#define RTO_MIN_MS	200	/* Linux's default */
#define CWND_MIN	10	/* Linux's default */

/* The most frames of the gate that one destination has in a cycle; 0: out of memory */
static uint64_t most_frames(const struct push_plan *plan)
{
	uint64_t *frames = calloc(plan->count + 1, sizeof(*frames)), most = 0;

	for (size_t i = 0; frames && i < plan->runs.count; i++) {
		const struct gate_run *run = &plan->runs.run[i];

		if (run->dest == LIQUID_NONE)
			continue;
		frames[run->dest] += run->run;
		if (frames[run->dest] > most)
			most = frames[run->dest];
	}
	free(frames);
	return most;
}

/*
 * An acknowledgement waits for up to a cycle. Meanwhile the frames of two cycles may begin: the
 * window holds the packets of both. Data wait for up to a cycle as well, and the timeout must be
 * longer than both waits and the frame.
 */
int push_tcp_needs(const struct push_args *args, const struct push_plan *plan,
		   const struct wire *wire, uint64_t open_ns, struct push_tcp *tcp,
		   struct liquid_error *err)
{
	uint64_t packet = wire_packet_bytes(wire, wire->max_packet), most = most_frames(plan);
	uint64_t packets = frame_room_bytes(wire, open_ns, 0) / (packet ? packet : 1) * 2;
	uint64_t wait_ms = args->frame_ns * (2ULL * plan->frames + 1) / NS_PER_MS + 1;

	if (!most)
		return liquid_no_memory(err);
	packets = packets > UINT32_MAX / most ? UINT32_MAX : packets * most;
	tcp->cwnd = packets > CWND_MIN ? packets : CWND_MIN;
	tcp->rto_min_ms = wait_ms > RTO_MIN_MS ? wait_ms : RTO_MIN_MS;
	return LIQUID_OK;
}
