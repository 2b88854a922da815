// SPDX-License-Identifier: GPL-2.0-only
/* The arithmetic of frames: wire time, guard, room. Pure, saturating. */
#include "gate/guard.h"

#define NS_PER_S 1000000000ULL

typedef unsigned __int128 wide;

static uint64_t saturate(wide value)
{
	return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

uint64_t wire_time_ns(uint64_t bytes, uint64_t rate_bps)
{
	wide bit_ns = (wide)bytes * 8 * NS_PER_S;

	return saturate((bit_ns + rate_bps - 1) / rate_bps);
}

uint64_t wire_packet_bytes(const struct wire *wire, uint64_t length)
{
	uint64_t bytes;

	if (wire->overhead < 0 && length < (uint64_t)-(int64_t)wire->overhead)
		bytes = 0;
	else
		bytes = saturate((wide)length + (__int128)wire->overhead);
	return bytes < wire->mpu ? wire->mpu : bytes;
}

uint64_t guard_needed_ns(const struct wire *wire, const struct guard_terms *terms)
{
	uint64_t packet = wire_time_ns(wire_packet_bytes(wire, wire->max_packet), wire->rate_bps);
	uint32_t stored = terms->hops ? terms->hops - 1 : 0;

	return saturate((wide)terms->clock_error_ns * 2 + terms->release_lag_ns +
			(wide)packet * stored);
}

uint64_t frame_room_bytes(const struct wire *wire, uint64_t ns, uint32_t permille)
{
	wide bytes = (wide)ns * wire->rate_bps / (8 * NS_PER_S);

	return saturate(permille >= 1000 ? 0 : bytes * (1000 - permille) / 1000);
}

uint64_t message_wire_bytes(const struct wire *wire, uint64_t bytes)
{
	uint64_t whole = wire->max_packet ? bytes / wire->max_packet : 0;
	uint64_t rest = wire->max_packet ? bytes % wire->max_packet : bytes;
	wide sum = (wide)whole * wire_packet_bytes(wire, wire->max_packet);

	return saturate(sum + (rest ? wire_packet_bytes(wire, rest) : 0));
}
