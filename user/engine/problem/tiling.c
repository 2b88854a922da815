// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tilings by large-neighbourhood search. */
#include <stdlib.h>
#include <string.h>

#include "problem/tiling.h"

/* Limit of the nodes of a search for a tile: most are found with fewer, or not at all. */
#define TILE_NODES 300u
/* Frames that are emptied at a time, and where the rest is too many for its frames. */
#define EMPTIED_MAX 3u
#define EMPTIED_MORE 8u
/* A step may leave fewer orbits without a frame, if as many frames are tiled, by this many. */
#define FEWER_MAX 3u
/* Places of more orbits than that are not looked at for one tile: some are drawn. */
#define SAMPLE_PLACES 10000u

static bool state_init(struct tiling_state *state, uint32_t orbits)
{
	state->left = orbits;
	state->frame = malloc(((size_t)orbits + 1) * sizeof(*state->frame));
	state->place = calloc((size_t)orbits + 1, sizeof(*state->place));
	if (!state->frame || !state->place)
		return false;
	memset(state->frame, 0xff, orbits * sizeof(*state->frame));
	return true;
}

static void state_clear(struct tiling_state *state)
{
	free(state->frame);
	free(state->place);
}

static void state_copy(struct tiling_state *to, const struct tiling_state *from, uint32_t orbits)
{
	to->tiled = from->tiled;
	to->left = from->left;
	to->used = from->used;
	memcpy(to->frame, from->frame, orbits * sizeof(*to->frame));
	memcpy(to->place, from->place, orbits * sizeof(*to->place));
}

void tiling_clear(struct tiling *tiling)
{
	cover_clear(&tiling->cover);
	state_clear(&tiling->now);
	state_clear(&tiling->best);
	free(tiling->free_orbit);
	memset(tiling, 0, sizeof(*tiling));
}

bool tiling_init(struct tiling *tiling, uint32_t orbits, const uint32_t *first_place,
		 uint32_t modulus, uint32_t frames, uint64_t seed)
{
	memset(tiling, 0, sizeof(*tiling));
	tiling->frames = frames;
	tiling->orbits = orbits;
	tiling->free_orbit = calloc((size_t)tiling->orbits + 1, sizeof(*tiling->free_orbit));
	if (tiling->free_orbit && state_init(&tiling->now, tiling->orbits) &&
	    state_init(&tiling->best, tiling->orbits) &&
	    cover_init(&tiling->cover, orbits, first_place, modulus, seed))
		return true;
	tiling_clear(tiling);
	return false;
}

static uint32_t list_free(struct tiling *tiling)
{
	uint32_t count = 0;

	for (uint32_t o = 0; o < tiling->orbits; o++)
		if (tiling->now.frame[o] == LIQUID_NONE)
			tiling->free_orbit[count++] = o;
	tiling->cover.work += tiling->orbits;
	return count;
}

/* Put those that use no tight cell in front; returns their number, or @most. */
static uint32_t part_easy(struct tiling *tiling, uint32_t count, uint32_t most)
{
	uint32_t *free_orbit = tiling->free_orbit, easy = 0;

	for (uint32_t i = 0; i < count && easy < most; i++) {
		uint32_t orbit = free_orbit[i];

		if (cover_is_hard(&tiling->cover, orbit))
			continue;
		free_orbit[i] = free_orbit[easy];
		free_orbit[easy++] = orbit;
	}
	return easy;
}

/* Let the first of @count free orbits be a sample, if they are many: of two the longer one. */
static uint32_t draw_some(struct tiling *tiling, uint32_t count)
{
	uint32_t *free_orbit = tiling->free_orbit, most = SAMPLE_PLACES / tiling->cover.modulus + 1;
	const uint32_t *length = tiling->cover.length;

	if (count <= most)
		return count;
	for (uint32_t i = part_easy(tiling, count, most / 2); i < most; i++) {
		uint32_t one = i + random_below(&tiling->cover.random, count - i);
		uint32_t other = i + random_below(&tiling->cover.random, count - i);
		uint32_t drawn = length[free_orbit[one]] < length[free_orbit[other]] ? other : one;
		uint32_t swap = free_orbit[i];

		free_orbit[i] = free_orbit[drawn];
		free_orbit[drawn] = swap;
	}
	tiling->cover.work += 8 * (uint64_t)most;
	return most;
}

static void take_tile(struct tiling *tiling)
{
	const struct cover *cover = &tiling->cover;

	for (uint32_t i = 0; i < cover->chosen_count; i++) {
		tiling->now.frame[cover->chosen[i].orbit] = tiling->now.tiled;
		tiling->now.place[cover->chosen[i].orbit] = cover->chosen[i].place;
		tiling->now.used += cover->length[cover->chosen[i].orbit];
	}
	tiling->now.tiled++;
	tiling->now.left -= cover->chosen_count;
}

static bool pay(struct tiling *tiling, struct budget *budget)
{
	uint64_t work = tiling->cover.work;

	tiling->cover.work = 0;
	return budget_spend(budget, work);
}

/* Tile frames until a search fails. */
static void tile(struct tiling *tiling, struct budget *budget)
{
	while (tiling->now.tiled < tiling->frames && budget_left(budget)) {
		uint32_t count = draw_some(tiling, list_free(tiling));

		if (!cover_find(&tiling->cover, tiling->free_orbit, count, TILE_NODES))
			return;
		take_tile(tiling);
		if (!pay(tiling, budget))
			return;
	}
}

/* Empty frame @frame; the last tiled one gets its number. */
static void empty(struct tiling *tiling, uint32_t frame)
{
	struct tiling_state *now = &tiling->now;

	now->tiled--;
	for (uint32_t o = 0; o < tiling->orbits; o++) {
		if (now->frame[o] == frame) {
			now->frame[o] = LIQUID_NONE;
			now->left++;
			now->used -= tiling->cover.length[o];
		} else if (now->frame[o] == now->tiled) {
			now->frame[o] = frame;
		}
	}
	tiling->cover.work += tiling->orbits;
}

/* Are those left too many for the frames without a tile, by the cells that they use? */
static bool is_crowded(const struct tiling *tiling, const struct tiling_state *state)
{
	const struct cover *cover = &tiling->cover;

	return cover->easy && cover->uses - state->used >
	       (uint64_t)(tiling->frames - state->tiled) * cover->frame_cells;
}

static void empty_some(struct tiling *tiling)
{
	uint32_t most = is_crowded(tiling, &tiling->best) ? EMPTIED_MORE : EMPTIED_MAX;
	uint32_t count = 1 + random_below(&tiling->cover.random, most);

	for (; count && tiling->now.tiled; count--)
		empty(tiling, random_below(&tiling->cover.random, tiling->now.tiled));
}

/*
 * Whether @a is worse than @b. When all frames are tiled, fewer orbits left are better. Before,
 * many are: they have as many cells as few, so they are shorter, and easier to place; until they
 * are crowded. Then it is better if tiles leave fewer cells unused.
 */
static bool is_worse(const struct tiling *tiling, const struct tiling_state *a,
		     const struct tiling_state *b)
{
	if (a->tiled != b->tiled)
		return a->tiled < b->tiled;
	if (a->tiled == tiling->frames)
		return a->left > b->left;
	if (is_crowded(tiling, a) || is_crowded(tiling, b))
		return a->used < b->used;
	return a->left + FEWER_MAX < b->left;
}

bool tiling_is_better(const struct tiling *a, const struct tiling *b)
{
	return a->best.tiled > b->best.tiled ||
	       (a->best.tiled == b->best.tiled && a->best.left < b->best.left);
}

/* now and best are the same between the steps. */
void tiling_run(struct tiling *tiling, struct budget *budget)
{
	while (tiling->best.left && pay(tiling, budget)) {
		empty_some(tiling);
		tile(tiling, budget);
		if (is_worse(tiling, &tiling->now, &tiling->best))
			state_copy(&tiling->now, &tiling->best, tiling->orbits);
		else
			state_copy(&tiling->best, &tiling->now, tiling->orbits);
		tiling->cover.work += tiling->orbits / 2;
	}
}
