// SPDX-License-Identifier: GPL-2.0-only
/* Wire time, guard, room in a frame, base times; also at the edges of 64 bits. */
#include "push/push.h"
#include "tap.h"

static void check_wire(void)
{
	const struct wire ether = { 1000000000, 24, 84, 1514 };
	const struct wire shrinks = { 1000000000, -64, 10, 1514 };
	const struct wire odd = { 3, 0, 0, 1 };

	ok(wire_time_ns(1250, 10000000000ULL) == 1000, "1250 bytes at 10 Gbit/s take 1 us");
	ok(wire_time_ns(1, 3) == 2666666667ULL, "wire time is rounded up");
	ok(wire_time_ns(UINT64_MAX, 1000) == UINT64_MAX, "wire time saturates");
	ok(wire_packet_bytes(&ether, 1514) == 1538, "overhead is added");
	ok(wire_packet_bytes(&ether, 20) == 84, "mpu is the least");
	ok(wire_packet_bytes(&shrinks, 60) == 10, "negative overhead stops at the mpu");
	ok(wire_packet_bytes(&shrinks, 1000) == 936, "negative overhead");
	ok(wire_packet_bytes(&ether, UINT64_MAX) == UINT64_MAX, "packet bytes saturate");
	ok(frame_room_bytes(&ether, 1000000, 0) == 125000, "room of 1 ms at 1 Gbit/s");
	ok(frame_room_bytes(&ether, 1000000, 70) == 116250, "room beside 7 %% for others");
	ok(frame_room_bytes(&ether, 1000000, 1000) == 0, "no room beside 100 %%");
	ok(frame_room_bytes(&ether, 1000000, 2000) == 0, "no room beside 200 %%");
	ok(frame_room_bytes(&odd, 2666666666ULL, 0) == 0, "room is rounded down");
	ok(message_wire_bytes(&ether, 1514 * 10) == 1538 * 10, "a message of whole packets");
	ok(message_wire_bytes(&ether, 1514 * 10 + 1) == 1538 * 10 + 84,
	   "a message with a short last packet");
	ok(message_wire_bytes(&ether, 0) == 0, "no message");
	ok(message_wire_bytes(&ether, UINT64_MAX) == UINT64_MAX, "message bytes saturate");
}

static void check_guard(void)
{
	const struct wire ether = { 1000000000, 24, 84, 1514 };
	const struct guard_terms one = { 1000, 10000, 1 };
	const struct guard_terms three = { 1000, 10000, 3 };
	const struct guard_terms none = { 0, 0, 0 };
	const struct guard_terms huge = { UINT64_MAX, UINT64_MAX, UINT32_MAX };

	ok(guard_needed_ns(&ether, &one) == 12000, "one hop: clock error twice, release lag");
	ok(guard_needed_ns(&ether, &three) == 12000 + 2 * 12304,
	   "three hops: the largest packet twice more");
	ok(guard_needed_ns(&ether, &none) == 0, "no term, no guard");
	ok(guard_needed_ns(&ether, &huge) == UINT64_MAX, "guard saturates");
}

static void check_base_time(void)
{
	int64_t base = -1;

	ok(base_time_after(1000, 0, 100, &base) && base == 1000, "a boundary is its own next one");
	ok(base_time_after(1001, 0, 100, &base) && base == 1100, "rounded up to the cycle");
	ok(base_time_after(1001, 99, 100, &base) && base == 1100, "rounded up after the delta");
	ok(base_time_after(1001, 100, 100, &base) && base == 1200,
	   "the delta reaches the next cycle");
	base = 7;
	ok(!base_time_after(-1, 0, 100, &base) && base == 7, "a clock before the epoch is refused");
	ok(!base_time_after(1, UINT64_MAX, 100, &base), "now + delta beyond 64 bits is refused");
	ok(!base_time_after(INT64_MAX, 0, 1ULL << 62, &base),
	   "a boundary beyond the clock is refused");
	ok(!base_time_after(1, 0, 0, &base), "a cycle of nothing is refused");
}

int main(void)
{
	check_wire();
	check_guard();
	check_base_time();
	return tap_exit();
}
