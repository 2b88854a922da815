// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ejection chains: who is where, and the search. */
#include <stdlib.h>
#include <string.h>

#include "ejection.h"
#include "grid.h"

#define TAG_BITS (16 - EJECTION_WEIGHT_BITS)
#define CANDIDATES 8		/* of those that wait, looked at for the next move */
#define LOOK_MOVES_MIN 4096u	/* before a run is looked at for the first time */

/* ---- memory ---- */

static void clear_table(struct ejection *ejection)
{
	free(ejection->cells);
	free(ejection->owner);
	free(ejection->used);
	free(ejection->cost);
	ejection->cells = NULL;
	ejection->owner = NULL;
	ejection->used = NULL;
	ejection->cost = NULL;
}

void ejection_clear(struct ejection *ejection)
{
	clear_table(ejection);
	free(ejection->owner_at);
	free(ejection->used_at);
	free(ejection->pair_of);
	free(ejection->frame);
	free(ejection->weight);
	free(ejection->waiting);
	*ejection = (struct ejection){ 0 };
}

int ejection_new(struct ejection *ejection, const struct routes *routes, uint64_t seed,
		 struct liquid_error *err)
{
	size_t transfers = (size_t)routes->transfer_count + 1;
	size_t links = (size_t)routes->link_count + 1;

	*ejection = (struct ejection){ .routes = routes, .random.state = seed };
	ejection->owner_at = calloc(links, sizeof(*ejection->owner_at));
	ejection->used_at = calloc(links, sizeof(*ejection->used_at));
	ejection->pair_of = calloc(transfers, sizeof(*ejection->pair_of));
	ejection->frame = malloc(transfers * sizeof(*ejection->frame));
	ejection->weight = calloc(transfers, sizeof(*ejection->weight));
	ejection->waiting = calloc(transfers, sizeof(*ejection->waiting));
	if (!ejection->owner_at || !ejection->used_at || !ejection->pair_of || !ejection->frame ||
	    !ejection->weight || !ejection->waiting) {
		ejection_clear(ejection);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u transfers",
				   routes->transfer_count);
	}
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++) {
			ejection->pair_of[i] = pair;
			ejection->frame[i] = LIQUID_NONE;
			ejection->weight[i] = 1;
		}
	return LIQUID_OK;
}

/* Where each link's owners and counts begin; false where it takes too much. */
static bool lay_out(struct ejection *ejection, uint64_t *owners, uint64_t *used)
{
	const struct routes *routes = ejection->routes;

	*owners = *used = 0;
	for (uint32_t link = 0; link < routes->link_count; link++) {
		ejection->owner_at[link] = *owners;
		ejection->used_at[link] = *used;
		*owners += (uint64_t)routes->capacity[link] * ejection->frames;
		*used += routes->capacity[link] > 1 ? ejection->frames : 0;
		if (*owners + *used > GRID_BYTES_MAX / 4)
			return false;
	}
	return 4 * (*owners + *used) + 2 * (uint64_t)ejection->stride * routes->link_count <=
	       GRID_BYTES_MAX;
}

static int allocate_table(struct ejection *ejection, struct liquid_error *err)
{
	size_t cells = (size_t)ejection->routes->link_count * ejection->stride;
	uint64_t owners, used;

	if (!lay_out(ejection, &owners, &used))
		return liquid_fail(err, LIQUID_LIMIT, "%u links x %u frames take too much memory",
				   ejection->routes->link_count, ejection->frames);
	ejection->cells = aligned_alloc(64, (cells + EJECTION_BLOCK) * sizeof(*ejection->cells));
	ejection->cost = aligned_alloc(64, ejection->stride * sizeof(*ejection->cost));
	ejection->owner = malloc((owners + 1) * sizeof(*ejection->owner));
	ejection->used = calloc(used + 1, sizeof(*ejection->used));
	if (!ejection->cells || !ejection->cost || !ejection->owner || !ejection->used)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for links x frames");
	memset(ejection->cells, 0, cells * sizeof(*ejection->cells));
	return LIQUID_OK;
}

/* ---- who is where ---- */

/* What stands in a cell: the tag tells transfers apart, mostly. */
static uint32_t tag_of(uint32_t number)
{
	return (number * 0x9e3779b1u) >> (32 - TAG_BITS) << EJECTION_WEIGHT_BITS;
}

static uint16_t cell_of(const struct ejection *ejection, uint32_t transfer)
{
	return (uint16_t)(tag_of(transfer) | ejection->weight[transfer]);
}

static uint16_t *cell_at(const struct ejection *ejection, uint32_t link, uint32_t frame)
{
	return &ejection->cells[(size_t)link * ejection->stride + frame];
}

static uint32_t *owners_at(const struct ejection *ejection, uint32_t link, uint32_t frame)
{
	return &ejection->owner[ejection->owner_at[link] +
				(size_t)frame * ejection->routes->capacity[link]];
}

/* The one of a full link that is put out most lightly. */
static uint32_t lightest(const struct ejection *ejection, uint32_t link, uint32_t frame)
{
	const uint32_t *owner = owners_at(ejection, link, frame);
	uint32_t best = owner[0];

	for (uint32_t i = 1; i < ejection->routes->capacity[link]; i++)
		if (ejection->weight[owner[i]] < ejection->weight[best])
			best = owner[i];
	return best;
}

static void occupy(struct ejection *ejection, uint32_t link, uint32_t frame, uint32_t transfer)
{
	uint32_t capacity = ejection->routes->capacity[link], *used;

	if (capacity == 1) {
		*owners_at(ejection, link, frame) = transfer;
		*cell_at(ejection, link, frame) = cell_of(ejection, transfer);
		return;
	}
	used = &ejection->used[ejection->used_at[link] + frame];
	owners_at(ejection, link, frame)[(*used)++] = transfer;
	if (*used == capacity)
		*cell_at(ejection, link, frame) =
			cell_of(ejection, lightest(ejection, link, frame));
	ejection->work += *used == capacity ? capacity : 1;
}

static void vacate(struct ejection *ejection, uint32_t link, uint32_t frame, uint32_t transfer)
{
	uint32_t capacity = ejection->routes->capacity[link], at = 0;
	uint32_t *owner = owners_at(ejection, link, frame);

	*cell_at(ejection, link, frame) = 0;
	if (capacity == 1)
		return;
	while (owner[at] != transfer)
		at++;
	owner[at] = owner[--ejection->used[ejection->used_at[link] + frame]];
	ejection->work += at;
}

static void place(struct ejection *ejection, uint32_t transfer, uint32_t frame)
{
	uint32_t count;
	const uint32_t *links = routes_links(ejection->routes, ejection->pair_of[transfer], &count);

	for (uint32_t i = 0; i < count; i++)
		occupy(ejection, links[i], frame, transfer);
	ejection->frame[transfer] = frame;
	ejection->work += 8 * count;
}

static void await_place(struct ejection *ejection, uint32_t transfer)
{
	ejection->waiting[ejection->waiting_count++] = transfer;
}

/* The lightest of a few: the heavy ones would drive out many that are easily placed now. */
static uint32_t next_waiting(struct ejection *ejection)
{
	uint32_t *waiting = ejection->waiting, best = 0, transfer;

	for (uint32_t i = 0; i < CANDIDATES; i++) {
		uint32_t at = random_below(&ejection->random, ejection->waiting_count);

		if (!i || ejection->weight[waiting[at]] < ejection->weight[waiting[best]])
			best = at;
	}
	transfer = waiting[best];
	waiting[best] = waiting[--ejection->waiting_count];
	return transfer;
}

static void put_out(struct ejection *ejection, uint32_t transfer)
{
	uint32_t frame = ejection->frame[transfer], count;
	const uint32_t *links = routes_links(ejection->routes, ejection->pair_of[transfer], &count);

	for (uint32_t i = 0; i < count; i++)
		vacate(ejection, links[i], frame, transfer);
	ejection->frame[transfer] = LIQUID_NONE;
	ejection->work += 8 * count;
	await_place(ejection, transfer);
}

/* No transfer may go to frames that do not exist: as if all their links were heavily taken. */
static void close_padding(struct ejection *ejection)
{
	uint32_t link, frame;

	for (link = 0; link < ejection->routes->link_count; link++)
		for (frame = ejection->frames; frame < ejection->stride; frame++)
			*cell_at(ejection, link, frame) =
				(uint16_t)(tag_of(link) | EJECTION_WEIGHT_MAX);
}

int ejection_open(struct ejection *ejection, uint32_t frames, struct liquid_error *err)
{
	uint32_t blocks = frames / EJECTION_BLOCK + (frames % EJECTION_BLOCK != 0);
	int status;

	clear_table(ejection);
	if (frames > UINT32_MAX - EJECTION_BLOCK)
		return liquid_fail(err, LIQUID_LIMIT, "%u frames are too many", frames);
	ejection->frames = frames;
	ejection->stride = blocks * EJECTION_BLOCK;
	status = allocate_table(ejection, err);
	if (status)
		return status;
	close_padding(ejection);
	ejection->waiting_count = 0;
	for (uint32_t i = 0; i < ejection->routes->transfer_count; i++)
		if (ejection->frame[i] < frames) {
			place(ejection, i, ejection->frame[i]);
		} else {
			ejection->frame[i] = LIQUID_NONE;
			await_place(ejection, i);
		}
	return LIQUID_OK;
}

/* ---- the search ---- */

/* One has become as heavy as can be told: all weigh half from now on. */
static void halve_weights(struct ejection *ejection)
{
	const struct routes *routes = ejection->routes;

	for (uint32_t i = 0; i < routes->transfer_count; i++)
		ejection->weight[i] = (uint16_t)(ejection->weight[i] / 2 + 1);
	for (uint32_t link = 0; link < routes->link_count; link++)
		for (uint32_t frame = 0; frame < ejection->frames; frame++) {
			uint16_t *cell = cell_at(ejection, link, frame);

			if (*cell)
				*cell = cell_of(ejection, lightest(ejection, link, frame));
		}
	ejection->work += (uint64_t)routes->link_count * ejection->frames;
}

static void put_out_all(struct ejection *ejection, const uint32_t *links, uint32_t count,
			uint32_t frame)
{
	for (uint32_t i = 0; i < count; i++)
		if (*cell_at(ejection, links[i], frame))
			put_out(ejection, lightest(ejection, links[i], frame));
}

static void settle(struct ejection *ejection, uint32_t transfer)
{
	uint32_t count, frame, cost;
	const uint32_t *links = routes_links(ejection->routes, ejection->pair_of[transfer], &count);

	cost = ejection_weigh(ejection, links, count,
			      random_below(&ejection->random, ejection->frames), &frame);
	ejection->work += (uint64_t)ejection->stride / 4 * count + 32;
	if (cost) {
		if (++ejection->weight[transfer] >= EJECTION_WEIGHT_MAX)
			halve_weights(ejection);
		/* The padding is as heavy as can be, but a long path may be as heavy elsewhere. */
		if (frame >= ejection->frames)
			frame = random_below(&ejection->random, ejection->frames);
		put_out_all(ejection, links, count, frame);
	}
	place(ejection, transfer, frame);
}

/*
 * Whenever the moves of a run have doubled, a quarter of those that wait must
 * have found a place; the first look comes after as many moves as transfers.
 */
static bool makes_progress(const struct ejection *ejection, uint64_t moves, uint64_t *next_look,
			   uint32_t *last_count)
{
	bool good;

	if (moves < *next_look)
		return true;
	good = ejection->waiting_count <= *last_count - *last_count / 4;
	*next_look = 2 * moves;
	*last_count = ejection->waiting_count;
	return good;
}

enum ejection_outcome ejection_run(struct ejection *ejection, struct budget *budget)
{
	uint64_t moves = 0, next_look = LOOK_MOVES_MIN + ejection->routes->transfer_count;
	uint32_t last_count = UINT32_MAX;

	while (ejection->waiting_count) {
		settle(ejection, next_waiting(ejection));
		moves++;
		budget->state.done = ejection->routes->transfer_count - ejection->waiting_count;
		if (!budget_spend(budget, ejection->work))
			return EJECTION_OUT_OF_WORK;
		ejection->work = 0;
		if (!makes_progress(ejection, moves, &next_look, &last_count))
			return EJECTION_STUCK;
	}
	return EJECTION_PLACED;
}

int ejection_complete(const struct ejection *ejection, uint32_t *frame, uint32_t *length,
		      struct liquid_error *err)
{
	const struct routes *routes = ejection->routes;
	enum grid_outcome outcome;
	struct grid rest;

	memcpy(frame, ejection->frame, routes->transfer_count * sizeof(*frame));
	*length = ejection->frames;
	if (!ejection->waiting_count)
		return LIQUID_OK;
	outcome = grid_new(&rest, routes, ejection->waiting_count, false);
	if (outcome != GRID_READY)
		return liquid_fail(err, outcome == GRID_TOO_LARGE ? LIQUID_LIMIT : LIQUID_NO_MEMORY,
				   "no memory for %u frames more", ejection->waiting_count);
	for (uint32_t i = 0; i < ejection->waiting_count; i++) {
		uint32_t transfer = ejection->waiting[i];
		uint32_t at = grid_first_fit(&rest, rest.pair_of[transfer], 0);

		grid_place(&rest, transfer, at);
		frame[transfer] = ejection->frames + at;
		if (frame[transfer] >= *length)
			*length = frame[transfer] + 1;
	}
	grid_clear(&rest);
	return LIQUID_OK;
}
