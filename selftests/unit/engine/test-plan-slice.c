// SPDX-License-Identifier: GPL-2.0-only
/* Slices that were damaged or forged are refused. */
#include "plan-fixtures.h"
#include "tap.h"

static struct liquid_error err;

/* ---- damaged slices ---- */

/* No prefix of a slice and none with a bit changed is read. */
static bool damage_is_found(const struct liquid_plan *plan)
{
	struct liquid_plan *slice;
	bool found = true;
	size_t size;
	void *bytes;

	must(liquid_plan_slice(plan, 0, &bytes, &size, &err), &err);
	for (size_t i = 0; i < size; i++)
		found &= liquid_plan_read(bytes, i, &slice, &err) == LIQUID_BAD_INPUT && !slice;
	for (size_t i = 0; i < 8 * size; i++) {
		((uint8_t *)bytes)[i / 8] ^= (uint8_t)(1u << i % 8);
		found &= liquid_plan_read(bytes, size, &slice, &err) == LIQUID_BAD_INPUT && !slice;
		((uint8_t *)bytes)[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	free(bytes);
	return found;
}

static void test_damage(void)
{
	struct dice dice = { .state = 5 };
	struct plan_case made;

	make_case(&made, &dice, 5, 30, true);
	ok(damage_is_found(made.plan), "a slice that was cut short or changed in a bit is refused");
	clear_case(&made);
}

/* ---- forged slices ---- */

/* FNV-1a over 64 bits */
static size_t add_digest(uint8_t *bytes, size_t size)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
	for (int i = 0; i < 8; i++)
		bytes[size + i] = (uint8_t)(digest >> 8 * i);
	return size + 8;
}

static size_t put_number(uint8_t *bytes, size_t at, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		bytes[at++] = (uint8_t)(number | 0x80);
	bytes[at++] = (uint8_t)number;
	return at;
}

/* A slice of rank 0 of 2 whose @lanes pieces are each in a lane of its own */
static size_t forge_lanes(uint8_t *bytes, uint32_t lanes)
{
	static const uint32_t piece[] = { 1, 0, 1, 0, 1, 0, 0, 0 };	/* peer ... tokens */
	const uint32_t head[] = { 1, 7, 2, 0, 1, 0, 0, lanes, 0 };
	size_t at = 4;

	memcpy(bytes, "LQPL", 4);
	for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
		at = put_number(bytes, at, head[i]);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		at = put_number(bytes, at, lane > 0);
		for (size_t i = 0; i < sizeof(piece) / sizeof(*piece); i++)
			at = put_number(bytes, at, piece[i]);
	}
	return add_digest(bytes, at);
}

static int read_lanes(uint32_t lanes)
{
	uint8_t *bytes = malloc((size_t)lanes * 9 + 100);
	struct liquid_plan *slice;
	int status = liquid_plan_read(bytes, forge_lanes(bytes, lanes), &slice, &err);

	liquid_plan_free(slice);
	free(bytes);
	return status;
}

static void test_lanes(void)
{
	ok(read_lanes(65535) == LIQUID_OK && read_lanes(65536) == LIQUID_BAD_INPUT,
	   "a slice with more lanes than any link has capacity is refused");
}

int main(void)
{
	test_damage();
	test_lanes();
	return tap_exit();
}
