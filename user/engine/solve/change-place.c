// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Frames for the few transfers that have none after a change
 *
 * The row of a link counts its transfers in each frame, and has a bit for each full frame. A
 * row is computed when it is first needed, so that the work depends on the few transfers. A
 * transfer goes into a frame where all its links have room. If there is none, it goes into one
 * where few links are full, and the transfers in its way move to other frames.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/change.h"

#define SWAPS_MAX 256			/* frames in which a swap is tried for a transfer */
#define SWAP_LINKS_MAX 3		/* links that may be full there */

struct rows {
	const struct solving *solving;
	uint32_t *frame;		/* by transfer */
	uint32_t frames;
	uint16_t **row;			/* by link: transfers by frame; a capacity fits 16 bits */
	uint64_t **full;		/* by link: its full frames if there is a row */
	uint64_t work;
	bool no_memory;
};

static void rows_clear(struct rows *rows)
{
	for (uint32_t link = 0; rows->row && link < rows->solving->routes->link_count; link++)
		free(rows->row[link]);
	for (uint32_t link = 0; rows->full && link < rows->solving->routes->link_count; link++)
		free(rows->full[link]);
	free(rows->row);
	free(rows->full);
}

static uint32_t words(const struct rows *rows)
{
	return rows->frames / 64 + 1;
}

static void mark_full(struct rows *rows, uint32_t link, uint32_t frame)
{
	uint64_t bit = UINT64_C(1) << frame % 64;

	if (rows->row[link][frame] >= rows->solving->routes->capacity[link])
		rows->full[link][frame / 64] |= bit;
	else
		rows->full[link][frame / 64] &= ~bit;
}

static uint16_t *row_of(struct rows *rows, uint32_t link)
{
	const struct routes_inverse *inverse = &rows->solving->inverse;
	const uint32_t *first = rows->solving->routes->first_transfer;
	uint16_t *row = rows->row[link];

	if (row)
		return row;
	row = rows->row[link] = calloc((size_t)rows->frames + 1, sizeof(*row));
	rows->full[link] = calloc(words(rows), sizeof(**rows->full));
	if (!row || !rows->full[link]) {
		rows->no_memory = true;
		return NULL;
	}
	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++)
		for (uint32_t j = first[inverse->pairs[i]]; j < first[inverse->pairs[i] + 1]; j++)
			if (rows->frame[j] < rows->frames)
				row[rows->frame[j]]++;
	for (uint32_t frame = 0; frame < rows->frames; frame++)
		mark_full(rows, link, frame);
	/* No room beyond the last frame. */
	rows->full[link][rows->frames / 64] |= ~UINT64_C(0) << rows->frames % 64;
	rows->work += inverse->first[link + 1] - inverse->first[link] + rows->frames / 4;
	return row;
}

/* The rows of a pair's links, and their capacities; false if out of memory. */
static bool gather(struct rows *rows, uint32_t pair, const uint16_t *row[LIQUID_PATH_MAX],
		   uint32_t *count)
{
	const uint32_t *links = routes_links(rows->solving->routes, pair, count);

	for (uint32_t i = 0; i < *count; i++) {
		row[i] = row_of(rows, links[i]);
		if (!row[i])
			return false;
	}
	return true;
}

static void count_in(struct rows *rows, uint32_t pair, uint32_t frame, int way)
{
	uint32_t count;
	const uint32_t *links = routes_links(rows->solving->routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		if (rows->row[links[i]]) {
			rows->row[links[i]][frame] = (uint16_t)(rows->row[links[i]][frame] + way);
			mark_full(rows, links[i], frame);
		}
}

/* Links of @pair that are full in @frame, up to @most; *@full is one of them. */
static uint32_t count_full(const struct rows *rows, const uint32_t *links, uint32_t count,
			   const uint16_t *const *row, uint32_t frame, uint32_t most,
			   uint32_t *full)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count && found < most; i++)
		if (row[i][frame] >= rows->solving->routes->capacity[links[i]]) {
			*full = links[i];
			found++;
		}
	return found;
}

/* The first frame other than @not where @pair has room, or LIQUID_NONE. */
static uint32_t find_room(struct rows *rows, uint32_t pair, uint32_t not)
{
	const uint16_t *row[LIQUID_PATH_MAX];
	uint32_t count;
	const uint32_t *links = routes_links(rows->solving->routes, pair, &count);

	if (!gather(rows, pair, row, &count))
		return LIQUID_NONE;
	for (uint32_t word = 0; word < words(rows); word++) {
		uint64_t full = not / 64 == word ? UINT64_C(1) << not % 64 : 0;

		for (uint32_t i = 0; i < count; i++)
			full |= rows->full[links[i]][word];
		rows->work += count;
		if (~full)
			return word * 64 + (uint32_t)__builtin_ctzll(~full);
	}
	return LIQUID_NONE;
}

static void put(struct rows *rows, uint32_t pair, uint32_t transfer, uint32_t frame)
{
	if (rows->frame[transfer] < rows->frames)
		count_in(rows, pair, rows->frame[transfer], -1);
	count_in(rows, pair, frame, 1);
	rows->frame[transfer] = frame;
}

struct move {
	uint32_t pair, transfer, from;
};

/* Move a transfer on @link out of @frame; false if none fits into another frame. */
static bool make_way(struct rows *rows, uint32_t link, uint32_t frame, struct move *move)
{
	const struct routes_inverse *inverse = &rows->solving->inverse;
	const uint32_t *first = rows->solving->routes->first_transfer;

	rows->work += inverse->first[link + 1] - inverse->first[link];
	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++) {
		uint32_t pair = inverse->pairs[i], room;

		for (uint32_t j = first[pair]; j < first[pair + 1]; j++) {
			if (rows->frame[j] != frame)
				continue;
			room = find_room(rows, pair, frame);
			if (room == LIQUID_NONE)
				break;
			*move = (struct move){ pair, j, frame };
			put(rows, pair, j, room);
			return true;
		}
	}
	return false;
}

/* Move away all transfers that are in the way of a pair on @links, or none. */
static bool clear_frame(struct rows *rows, const uint32_t *links, uint32_t count,
			const uint16_t *const *row, uint32_t frame)
{
	struct move moves[SWAP_LINKS_MAX];
	uint32_t done = 0, full;

	while (count_full(rows, links, count, row, frame, 1, &full)) {
		if (done < SWAP_LINKS_MAX && make_way(rows, full, frame, &moves[done])) {
			done++;
			continue;
		}
		while (done--)
			put(rows, moves[done].pair, moves[done].transfer, moves[done].from);
		return false;
	}
	return true;
}

/* Place @transfer in a frame where exactly @full of its links are full. */
static bool swap_in(struct rows *rows, uint32_t pair, uint32_t transfer, uint32_t full)
{
	const uint16_t *row[LIQUID_PATH_MAX];
	uint32_t count, link, tries = 0;
	const uint32_t *links = routes_links(rows->solving->routes, pair, &count);

	if (!gather(rows, pair, row, &count))
		return false;
	for (uint32_t frame = 0; frame < rows->frames && tries < SWAPS_MAX; frame++) {
		if (count_full(rows, links, count, row, frame, full + 1, &link) != full)
			continue;
		tries++;
		if (clear_frame(rows, links, count, row, frame)) {
			put(rows, pair, transfer, frame);
			return true;
		}
	}
	rows->work += rows->frames * 2;
	return false;
}

/* Also in frames where @full links are full. Returns how many have no frame still. */
static uint32_t place_all(struct rows *rows, uint32_t full)
{
	const struct routes *routes = rows->solving->routes;
	uint32_t left = 0, room;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++) {
			if (rows->frame[i] != LIQUID_NONE)
				continue;
			room = find_room(rows, pair, LIQUID_NONE);
			if (room != LIQUID_NONE)
				put(rows, pair, i, room);
			else
				left += !(full && swap_in(rows, pair, i, full));
			if (rows->no_memory || !budget_spend(rows->solving->budget, rows->work))
				return left + 1;
			rows->work = 0;
		}
	return left;
}

int change_place(const struct solving *solving, uint32_t *frame, uint32_t frames, uint32_t *left,
		 struct liquid_error *err)
{
	struct rows rows = { .solving = solving, .frame = frame, .frames = frames };

	rows.row = calloc((size_t)solving->routes->link_count + 1, sizeof(*rows.row));
	rows.full = calloc((size_t)solving->routes->link_count + 1, sizeof(*rows.full));
	rows.no_memory = !rows.row || !rows.full;
	*left = 1;
	for (uint32_t full = 0; !rows.no_memory && *left && full <= SWAP_LINKS_MAX; full++)
		*left = place_all(&rows, full);
	rows_clear(&rows);
	return rows.no_memory ? liquid_no_memory(err) :
		LIQUID_OK;
}
