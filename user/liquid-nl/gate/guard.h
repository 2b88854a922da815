/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes that a frame can carry, and the guard that it needs at its end. */
#ifndef LIQUID_NL_GUARD_H
#define LIQUID_NL_GUARD_H

#include <stdint.h>

/* How packets are charged on the wire. */
struct wire {
	uint64_t rate_bps;		/* > 0 */
	int32_t overhead;		/* bytes a packet */
	uint32_t mpu;			/* smallest packet on the wire, bytes */
	uint32_t max_packet;		/* largest packet as the kernel sees it, bytes */
};

struct guard_terms {
	uint64_t clock_error_ns;	/* largest error of a node's clock against TAI */
	uint64_t release_lag_ns;	/* longest time from a release to its first bit sent */
	uint32_t hops;			/* links of the longest store-and-forward path */
};

/* All saturate at UINT64_MAX instead of wrapping. */
uint64_t wire_time_ns(uint64_t bytes, uint64_t rate_bps);
uint64_t wire_packet_bytes(const struct wire *wire, uint64_t length);
/*
 * Twice the clock error, because two nodes may be off in opposite directions; the
 * release lag; and the largest packet once for every switch that stores it whole.
 */
uint64_t guard_needed_ns(const struct wire *wire, const struct guard_terms *terms);
/* Bytes on the wire that fit into @ns when @permille of them are reserved for other packets */
uint64_t frame_room_bytes(const struct wire *wire, uint64_t ns, uint32_t permille);
/* The fewest bytes on the wire for a message, cut into packets of the largest size */
uint64_t message_wire_bytes(const struct wire *wire, uint64_t bytes);

#endif
