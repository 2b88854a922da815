// SPDX-License-Identifier: GPL-2.0-only
/* Slices that were damaged or forged are refused. */
#include "plan-fixtures.h"
#include "tap.h"

static struct liquid_error err;

/* Rank 0 of a slice has its part, and no other rank has. */
static void test_others(void)
{
	struct dice dice = { .state = 3 };
	struct liquid_plan *slice;
	struct plan_case made;
	uint32_t count[2] = { 1, 1 };
	size_t size;
	void *bytes;

	make_case(&made, &dice, 5, 30, false);
	must(liquid_plan_slice(made.plan, 0, &bytes, &size, &err), &err);
	must(liquid_plan_read(bytes, size, NULL, 0, &slice, &err), &err);
	ok(!liquid_plan_incoming(slice, 1, &count[0]) && !count[0] &&
	   !liquid_plan_givers(slice, 1, &count[1]) && !count[1],
	   "a slice does not say what comes in to other ranks");
	liquid_plan_free(slice);
	free(bytes);
	clear_case(&made);
}

/* ---- other numbers of ranks ---- */

/* Rank @rank of @plan and of what was read with other numbers send and give the same. */
static bool is_same(const struct liquid_plan *plan, const struct liquid_plan *slice, uint32_t rank,
		    const uint32_t *number)
{
	uint32_t count, other;
	const struct liquid_piece *a = liquid_plan_pieces(plan, rank, &count);
	const struct liquid_piece *b = liquid_plan_pieces(slice, number[rank], &other);
	bool same = count == other && liquid_plan_info(slice)->rank == number[rank];

	for (uint32_t i = 0; same && i < count; i++) {
		const struct liquid_token *give, *given;
		uint32_t gives, givens;

		give = liquid_plan_tokens(plan, rank, i, &gives);
		given = liquid_plan_tokens(slice, number[rank], i, &givens);
		same = gives == givens && number[a[i].peer] == b[i].peer &&
		       a[i].part == b[i].part && a[i].frame == b[i].frame;
		for (uint32_t k = 0; same && k < gives; k++)
			same = number[give[k].rank] == given[k].rank &&
			       give[k].slot == given[k].slot;
	}
	return same;
}

/* What comes in is in order by frame and then by peer, and from the same ones. */
static bool comes_in_order(const struct liquid_plan *plan, const struct liquid_plan *slice,
			   uint32_t rank, const uint32_t *number)
{
	uint32_t count, other, found = 0;
	const struct liquid_incoming *a = liquid_plan_incoming(plan, rank, &count);
	const struct liquid_incoming *b = liquid_plan_incoming(slice, number[rank], &other);

	for (uint32_t i = 1; i < other; i++)
		if (b[i].frame < b[i - 1].frame ||
		    (b[i].frame == b[i - 1].frame && b[i].peer <= b[i - 1].peer))
			return false;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < other; k++)
			found += number[a[i].peer] == b[k].peer && a[i].frame == b[k].frame;
	return count == other && found == count;
}

static void test_numbers(void)
{
	static const uint32_t number[] = { 3, 0, 4, 1, 2 }, twice[] = { 3, 0, 4, 1, 1 };
	static const uint32_t beyond[] = { 3, 0, 5, 1, 2 };
	struct dice dice = { .state = 7 };
	struct liquid_plan *slice;
	struct plan_case made;
	bool same = true, refused;
	size_t size;
	void *bytes;

	make_case(&made, &dice, 5, 60, true);
	for (uint32_t rank = 0; rank < 5; rank++) {
		must(liquid_plan_slice(made.plan, rank, &bytes, &size, &err), &err);
		must(liquid_plan_read(bytes, size, number, 5, &slice, &err), &err);
		same &= is_same(made.plan, slice, rank, number) &&
			comes_in_order(made.plan, slice, rank, number);
		liquid_plan_free(slice);
		refused = liquid_plan_read(bytes, size, twice, 5, &slice, &err) ==
			  LIQUID_BAD_INPUT && !slice &&
			  liquid_plan_read(bytes, size, beyond, 5, &slice, &err) ==
			  LIQUID_BAD_INPUT && !slice &&
			  liquid_plan_read(bytes, size, number, 4, &slice, &err) ==
			  LIQUID_BAD_INPUT && !slice;
		free(bytes);
	}
	ok(same, "a slice is read with other numbers of ranks");
	ok(refused, "numbers that are not those of all ranks are refused");
	clear_case(&made);
}

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
		found &= liquid_plan_read(bytes, i, NULL, 0, &slice, &err) ==
			 LIQUID_BAD_INPUT && !slice;
	for (size_t i = 0; i < 8 * size; i++) {
		((uint8_t *)bytes)[i / 8] ^= (uint8_t)(1u << i % 8);
		found &= liquid_plan_read(bytes, size, NULL, 0, &slice, &err) ==
			 LIQUID_BAD_INPUT && !slice;
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

/* Append numbers to the @at bytes so far; returns the bytes then. */
static size_t add_numbers(uint8_t *bytes, size_t at, const uint32_t *number, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t left = number[i];

		for (; left > 0x7f; left >>= 7)
			bytes[at++] = (uint8_t)(left | 0x80);
		bytes[at++] = (uint8_t)left;
	}
	return at;
}

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

/* A slice of rank 0 of 2 whose @lanes pieces are each in its own lane */
static size_t forge_lanes(uint8_t *bytes, uint32_t lanes)
{
	static const uint32_t piece[] = { 1, 0, 1, 0, 1, 0, 0, 0 };	/* peer ... tokens */
	const uint32_t head[] = { 1, 7, 2, 0, 1, 0, 0, lanes, 0, 0, 0 };
	size_t at = 4;

	memcpy(bytes, "LQPL", 4);
	at = add_numbers(bytes, at, head, sizeof(head) / sizeof(*head));
	for (uint32_t lane = 0; lane < lanes; lane++) {
		at = add_numbers(bytes, at, (const uint32_t[]){ lane > 0 }, 1);
		at = add_numbers(bytes, at, piece, sizeof(piece) / sizeof(*piece));
	}
	return add_digest(bytes, at);
}

static int read_lanes(uint32_t lanes)
{
	uint8_t *bytes = malloc((size_t)lanes * 9 + 100);
	struct liquid_plan *slice;
	int status = liquid_plan_read(bytes, forge_lanes(bytes, lanes), NULL, 0, &slice, &err);

	liquid_plan_free(slice);
	free(bytes);
	return status;
}

static void test_lanes(void)
{
	ok(read_lanes(65535) == LIQUID_OK && read_lanes(65536) == LIQUID_BAD_INPUT,
	   "a slice with more lanes than any link has capacity is refused");
}

/* Two pieces of rank 0 in a lane each; it tells rank 1, and itself. */
static const uint32_t honest[] = {
	1, 7, 3, 0, 4, 0, 0,		/*  0: version, id, ranks, rank, length, cyclic, unit */
	2, 2, 2, 2,			/*  7: pieces, tokens, slots, messages that come in */
	0, 1, 0, 1,			/* 11: a piece: lane, peer, part, parts */
	0, 1, 0, 0,			/* 15: frame, frames, waits, again */
	2, 1, 5, 0, 1,			/* 19: tokens: slot 5 of rank 1, slot 1 of rank 0 */
	1, 2, 0, 1, 1, 1, 2, 0,		/* 24: the other piece: it waits for two tokens */
	2, 0,				/* 32: of rank 2 and of this one */
	0,				/* 34: and has none to give */
	1, 1, 1, 1,			/* 35: frame, peer, pieces, parts of a message */
	0, 2, 2, 3,			/* 39: in the same frame, one of rank 2 */
};
#define NUMBERS (sizeof(honest) / sizeof(*honest))

static const struct {
	const char *what;
	struct { uint32_t at, number; } change[2];	/* at 0: none */
} forgeries[] = {
	{ "fewer pieces than there are", { { 7, 1 } } },
	{ "more pieces", { { 7, 3 } } },
	{ "fewer tokens", { { 8, 1 } } },
	{ "more tokens", { { 8, 3 } } },
	{ "fewer slots", { { 9, 1 } } },
	{ "more slots", { { 9, 3 } } },
	{ "no slots", { { 9, 0 } } },
	{ "fewer messages", { { 10, 1 } } },
	{ "more messages", { { 10, 3 } } },
	{ "more messages than the slice has bytes for", { { 10, 100 } } },
	{ "a piece that waits for fewer tokens", { { 30, 1 } } },
	{ "a piece that waits for more tokens", { { 30, 3 } } },
	{ "a giver that is not a rank", { { 32, 3 } } },
	{ "its own slot without a token", { { 32, 0 } } },
	{ "its own token in a slot of another's", { { 33, 2 } } },
	{ "its own token in the wrong slot", { { 23, 0 } } },
	{ "its own token in a slot that is not there", { { 23, 100 } } },
	{ "the only slot of its own told twice", { { 20, 0 }, { 21, 1 } } },
	{ "a message from itself", { { 36, 0 } } },
	{ "a message from no rank", { { 36, 3 } } },
	{ "messages in the wrong order", { { 36, 2 }, { 40, 1 } } },
	{ "two messages from one rank", { { 39, 1 }, { 40, 1 } } },
	{ "a message that begins after the last frame", { { 39, 3 } } },
	{ "a message that begins much later", { { 39, 4 } } },
	{ "a message without pieces", { { 37, 0 } } },
	{ "a message without parts", { { 38, 0 } } },
	{ "a message of more pieces than parts", { { 37, 2 } } },
};

static int read_numbers(const uint32_t *number, size_t count)
{
	uint8_t bytes[5 * (NUMBERS + 1) + 12] = "LQPL";
	size_t size = add_digest(bytes, add_numbers(bytes, 4, number, count));
	struct liquid_plan *slice;
	int status = liquid_plan_read(bytes, size, NULL, 0, &slice, &err);

	liquid_plan_free(slice);
	return status;
}

static void test_forgeries(void)
{
	uint32_t number[NUMBERS + 1];

	memcpy(number, honest, sizeof(honest));
	number[NUMBERS] = 0;
	if (!ok(read_numbers(number, NUMBERS) == LIQUID_OK, "the slice to be changed is read"))
		printf("# %s\n", err.text);
	ok(read_numbers(number, NUMBERS - 1) == LIQUID_BAD_INPUT &&
	   read_numbers(number, NUMBERS + 1) == LIQUID_BAD_INPUT,
	   "a number too few or too many is refused");
	for (size_t i = 0; i < sizeof(forgeries) / sizeof(*forgeries); i++) {
		memcpy(number, honest, sizeof(honest));
		for (int j = 0; j < 2 && forgeries[i].change[j].at; j++)
			number[forgeries[i].change[j].at] = forgeries[i].change[j].number;
		ok(read_numbers(number, NUMBERS) == LIQUID_BAD_INPUT, "refused: %s",
		   forgeries[i].what);
	}
}

int main(void)
{
	test_others();
	test_numbers();
	test_damage();
	test_lanes();
	test_forgeries();
	return tap_exit();
}
