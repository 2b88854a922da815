// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows of turns
 *
 * A link with room for several units has a row for each: the turns in which there are that many or
 * more. The last row tells in which turns it is full, so a search looks at one row for each link.
 */
#include <stdlib.h>

#include "base/machines.h"
#include "compact/turns.h"

#define NUMBERS_MAX (1u << 28)	/* in all rows */

typedef uint16_t lanes __attribute__((vector_size(32), may_alias, aligned(2)));
typedef uint64_t words __attribute__((may_alias, aligned(2)));
#define LANES (sizeof(lanes) / sizeof(uint16_t))

/* ---- memory ---- */

static int make_patterns(struct turns *rows, struct liquid_error *err)
{
	for (uint32_t size = 1; size <= rows->turns; size++) {
		size_t length = rows->row + size;

		if (rows->turns % size)
			continue;
		rows->pattern[size] = calloc(length, sizeof(uint16_t));
		if (!rows->pattern[size])
			return liquid_no_memory(err);
		for (size_t f = 0; f < length; f++)
			for (uint32_t t = f % size; t < rows->turns; t += size)
				rows->pattern[size][f] |= (uint16_t)(1u << t);
	}
	return LIQUID_OK;
}

int turns_new(struct turns *rows, uint32_t turns, uint32_t frames, uint32_t most, uint32_t blocks,
	      const uint32_t *room, uint32_t links, struct liquid_error *err)
{
	uint64_t count = 0;

	*rows = (struct turns){ .turns = turns, .frames = frames, .most = most, .room = room,
				.row = (most + LANES - 1) / LANES * LANES };
	rows->full_of = calloc((size_t)links + 1, sizeof(*rows->full_of));
	if (!rows->full_of)
		return liquid_no_memory(err);
	for (uint32_t l = 0; l < links; l++) {
		count += room[l];
		rows->full_of[l] = room[l] ? count - 1 : 0;
	}
	if (count + blocks > NUMBERS_MAX / rows->row)
		return liquid_fail(err, LIQUID_LIMIT, "too large for windows");
	rows->turn = calloc(count * rows->row + LANES, sizeof(*rows->turn));
	rows->begun = calloc(blocks * rows->row + LANES, sizeof(*rows->begun));
	return rows->turn && rows->begun ? make_patterns(rows, err) : liquid_no_memory(err);
}

void turns_free(struct turns *rows)
{
	free(rows->full_of);
	free(rows->turn);
	free(rows->begun);
	for (uint32_t size = 0; size <= TURNS_MAX; size++)
		free(rows->pattern[size]);
}

/* ---- taking and leaving ---- */

uint16_t turns_of_window(const struct turns *rows, uint32_t start, uint32_t size)
{
	uint32_t bits = ((1u << size) - 1) << start;

	return (uint16_t)((bits | bits >> rows->turns) & ((1u << rows->turns) - 1));
}

static uint16_t *full_in(const struct turns *rows, uint32_t link, uint32_t frame)
{
	return rows->turn + rows->full_of[link] * rows->row + frame;
}

static uint16_t *begun_in(const struct turns *rows, uint32_t block, uint32_t frame)
{
	return rows->begun + block * rows->row + frame;
}

uint16_t turns_full(const struct turns *rows, uint32_t link, uint32_t frame)
{
	return *full_in(rows, link, frame);
}

bool turns_begun(const struct turns *rows, uint32_t block, uint32_t at)
{
	return *begun_in(rows, block, at / rows->turns) >> at % rows->turns & 1;
}

void turns_put(struct turns *rows, const struct seeker *seeker, uint32_t at)
{
	uint32_t frame = at / rows->turns, start = at % rows->turns;

	*begun_in(rows, seeker->block, frame) |= (uint16_t)(1u << start);
	for (uint32_t k = 0; k < seeker->links; k++) {
		uint32_t room = rows->room[seeker->link[k]];
		uint16_t *turn = full_in(rows, seeker->link[k], frame) - (room - 1) * rows->row;
		uint16_t window = turns_of_window(rows, start, seeker->size);

		for (uint32_t i = 0; i < room && window; i++, turn += rows->row) {
			uint16_t more = *turn & window;

			*turn |= window;
			window = more;
		}
	}
}

void turns_take_out(struct turns *rows, const struct seeker *seeker, uint32_t at)
{
	uint32_t frame = at / rows->turns, start = at % rows->turns;

	*begun_in(rows, seeker->block, frame) &= (uint16_t)~(1u << start);
	for (uint32_t k = 0; k < seeker->links; k++) {
		uint16_t *turn = full_in(rows, seeker->link[k], frame);
		uint16_t window = turns_of_window(rows, start, seeker->size);

		for (; window; turn -= rows->row) {
			uint16_t here = *turn & window;

			*turn &= (uint16_t)~here;
			window &= (uint16_t)~here;
		}
	}
}

/* ---- looking ---- */

/* The rows that a search looks at */
struct look {
	const uint16_t *full[LIQUID_PATH_MAX], *begun, *pattern;
	uint32_t links, frames, turns, size;
};

/* Of the turns that are @open keep those in which a window may begin: its length is doubled. */
static inline void keep_begins(lanes *open, uint32_t turns, uint32_t size)
{
	const uint16_t all = (uint16_t)((1u << turns) - 1);

	for (uint32_t have = 1, more; have < size; have += more) {
		more = have < size - have ? have : size - have;
		*open &= (*open >> (uint16_t)more | *open << (uint16_t)(turns - more)) & all;
	}
}

static inline bool is_any(const lanes *turns)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < LANES / 4; i++)
		any |= ((const words *)turns)[i];
	return any;
}

/* The first place that the pattern has, or else the first of all */
FOR_EACH_MACHINE
static uint32_t find(const struct look *look)
{
	const uint16_t all = (uint16_t)((1u << look->turns) - 1);
	uint32_t other = LIQUID_NONE;

	for (uint32_t f = 0; f < look->frames; f += LANES) {
		lanes full = *(const lanes *)(look->full[0] + f), open, suits;

		for (uint32_t k = 1; k < look->links; k++)
			full |= *(const lanes *)(look->full[k] + f);
		if (look->size == look->turns) {
			open = (lanes)(full == 0) & all;
		} else {
			open = ~full & all;
			keep_begins(&open, look->turns, look->size);
		}
		open &= ~*(const lanes *)(look->begun + f);
		if (!is_any(&open))
			continue;
		suits = open & *(const lanes *)(look->pattern + f);
		for (uint32_t i = 0; i < LANES && f + i < look->frames; i++) {
			if (suits[i])
				return (f + i) * look->turns + (uint32_t)__builtin_ctz(suits[i]);
			if (open[i] && other == LIQUID_NONE)
				other = (f + i) * look->turns + (uint32_t)__builtin_ctz(open[i]);
		}
	}
	return other;
}

uint32_t turns_find(const struct turns *rows, const struct seeker *seeker)
{
	struct look look = {
		.begun = begun_in(rows, seeker->block, 0), .links = seeker->links,
		.pattern = rows->pattern[seeker->size] + seeker->link[0] % seeker->size,
		.frames = rows->frames, .turns = rows->turns, .size = seeker->size,
	};

	for (uint32_t k = 0; k < seeker->links; k++)
		look.full[k] = full_in(rows, seeker->link[k], 0);
	return find(&look);
}
