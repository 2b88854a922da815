// SPDX-License-Identifier: LGPL-2.1-or-later
/* Links x frames, 64 frames at a time. */
#include <stdlib.h>
#include <string.h>

#include "problem/grid.h"

/* Where each link's counts begin; false if there are too many. */
static bool lay_out(struct grid *grid)
{
	const struct routes *routes = grid->routes;
	uint64_t used = 0;

	for (uint32_t link = 0; link < routes->link_count; link++) {
		grid->used_at[link] = used;
		used += routes->capacity[link] > 1 ? grid->frames : 0;
		if (used > GRID_BYTES_MAX / 4)
			return false;
	}
	grid->used_at[routes->link_count] = used;
	return 8 * (uint64_t)grid->words * routes->link_count + 4 * used <= GRID_BYTES_MAX;
}

static void number_pairs(struct grid *grid)
{
	const struct routes *routes = grid->routes;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++)
			grid->pair_of[i] = pair;
}

/* Mark the bits past the last frame as full. */
static void close_padding(struct grid *grid)
{
	uint32_t rest = grid->frames % 64;
	size_t at = 0;

	for (uint32_t link = 0; rest && link < grid->routes->link_count; link++) {
		at += grid->words;
		grid->full[at - 1] |= UINT64_MAX << rest;
	}
}

static bool allocate(struct grid *grid)
{
	const struct routes *routes = grid->routes;
	size_t transfers = (size_t)routes->transfer_count + 1;

	grid->full = calloc((size_t)grid->words * routes->link_count + 1, sizeof(*grid->full));
	grid->used = calloc(grid->used_at[routes->link_count] + 1, sizeof(*grid->used));
	grid->pair_of = calloc(transfers, sizeof(*grid->pair_of));
	grid->frame = malloc(transfers * sizeof(*grid->frame));
	return grid->full && grid->used && grid->pair_of && grid->frame;
}

enum grid_outcome grid_new(struct grid *grid, const struct routes *routes, uint32_t frames)
{
	enum grid_outcome outcome = GRID_NO_MEMORY;

	*grid = (struct grid){ .routes = routes, .frames = frames,
			       .words = frames / 64 + (frames % 64 != 0) };
	grid->used_at = calloc((size_t)routes->link_count + 1, sizeof(*grid->used_at));
	if (grid->used_at) {
		if (!lay_out(grid))
			outcome = GRID_TOO_LARGE;
		else if (allocate(grid))
			outcome = GRID_READY;
	}
	if (outcome != GRID_READY) {
		grid_clear(grid);
		return outcome;
	}
	memset(grid->frame, 0xff, routes->transfer_count * sizeof(*grid->frame));
	number_pairs(grid);
	close_padding(grid);
	return GRID_READY;
}

void grid_clear(struct grid *grid)
{
	free(grid->full);
	free(grid->used);
	free(grid->used_at);
	free(grid->pair_of);
	free(grid->frame);
	*grid = (struct grid){ 0 };
}

static void set_full(struct grid *grid, uint32_t link, uint32_t frame)
{
	grid->full[(size_t)link * grid->words + frame / 64] |= UINT64_C(1) << frame % 64;
}

void grid_place(struct grid *grid, uint32_t transfer, uint32_t frame)
{
	const struct routes *routes = grid->routes;
	uint32_t count;
	const uint32_t *links = routes_links(routes, grid->pair_of[transfer], &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t link = links[i], capacity = routes->capacity[link], at = 0;

		if (capacity > 1)
			at = grid->used[grid->used_at[link] + frame]++;
		if (at + 1 == capacity)
			set_full(grid, link, frame);
	}
	grid->frame[transfer] = frame;
	grid->work += 4 * count;
}

/* The frames of word @word in which some link of the pair is full. */
static uint64_t closed(const struct grid *grid, const uint32_t *links, uint32_t count,
		       uint32_t word)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < count; i++)
		bits |= grid->full[(size_t)links[i] * grid->words + word];
	return bits;
}

uint32_t grid_first_fit(struct grid *grid, uint32_t pair, uint32_t from)
{
	uint32_t count, word = from / 64;
	const uint32_t *links = routes_links(grid->routes, pair, &count);
	uint64_t bits = closed(grid, links, count, word) | ((UINT64_C(1) << from % 64) - 1);

	for (uint32_t tried = 0; tried <= grid->words; tried++) {
		grid->work += count;
		if (~bits)
			return word * 64 + (uint32_t)__builtin_ctzll(~bits);
		word = word + 1 == grid->words ? 0 : word + 1;
		bits = closed(grid, links, count, word);
	}
	return LIQUID_NONE;
}
