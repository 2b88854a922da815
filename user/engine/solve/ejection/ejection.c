// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ejection chains: the table of transfers by link and frame, and the search. */
#include <stdlib.h>
#include <string.h>

#include "problem/grid.h"
#include "solve/ejection/ejection.h"

#define TAG_BITS (16 - EJECTION_WEIGHT_BITS)
#define CANDIDATES 8		/* waiting transfers compared for the next move */
#define SHORT_PATH 4u		/* mean number of links of a path */
#define LOOK_MOVES_MIN 4096u	/* before the progress of a run is first checked */

/* ---- memory ---- */

static void clear_table(struct ejection *ejection)
{
	free(ejection->cells);
	free(ejection->owner);
	free(ejection->cost);
	ejection->cells = NULL;
	ejection->owner = NULL;
	ejection->cost = NULL;
}

void ejection_clear(struct ejection *ejection)
{
	clear_table(ejection);
	free(ejection->owner_at);
	free(ejection->pair_of);
	free(ejection->frame);
	free(ejection->item);
	free(ejection->waiting);
	free(ejection->choice);
	*ejection = (struct ejection){ 0 };
}

int ejection_new(struct ejection *ejection, const struct routes *routes, uint64_t seed,
		 struct liquid_error *err)
{
	size_t transfers = (size_t)routes->transfer_count + 1;
	size_t links = (size_t)routes->link_count + 1;

	*ejection = (struct ejection){ .routes = routes, .random.state = seed };
	ejection->once = routes->first[routes->pair_count] / SHORT_PATH >= routes->pair_count;
	ejection->owner_at = calloc(links, sizeof(*ejection->owner_at));
	ejection->pair_of = calloc(transfers, sizeof(*ejection->pair_of));
	ejection->frame = malloc(transfers * sizeof(*ejection->frame));
	ejection->item = calloc(transfers, sizeof(*ejection->item));
	ejection->waiting = calloc(transfers, sizeof(*ejection->waiting));
	if (!ejection->owner_at || !ejection->pair_of || !ejection->frame || !ejection->item ||
	    !ejection->waiting) {
		ejection_clear(ejection);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u transfers",
				   routes->transfer_count);
	}
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++) {
			ejection->pair_of[i] = pair;
			ejection->frame[i] = LIQUID_NONE;
			ejection->item[i] = (struct ejection_item){
				routes->first[pair],
				(uint16_t)(routes->first[pair + 1] - routes->first[pair]), 1 };
		}
	return LIQUID_OK;
}

int ejection_give_choices(struct ejection *ejection, const struct ejection_choices *choices,
			  struct liquid_error *err)
{
	const struct routes *routes = ejection->routes;

	ejection->choice = calloc((size_t)routes->transfer_count + 1, sizeof(*ejection->choice));
	if (!ejection->choice)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u transfers",
				   routes->transfer_count);
	ejection->choices = choices;
	return LIQUID_OK;
}

/* Words that a link of @capacity takes in owner[] for each frame. */
static size_t owner_words(uint32_t capacity)
{
	return capacity > 1 ? 1 + 2 * (size_t)capacity : 1;
}

/* Where each link's owners begin; false if they take too much memory. */
static bool lay_out(struct ejection *ejection, uint64_t *owners)
{
	const struct routes *routes = ejection->routes;

	*owners = 0;
	for (uint32_t link = 0; link < routes->link_count; link++) {
		ejection->owner_at[link] = *owners;
		*owners += owner_words(routes->capacity[link]) * ejection->frames;
		if (*owners > GRID_BYTES_MAX / 4)
			return false;
	}
	return 4 * *owners + 2 * (uint64_t)ejection->stride * routes->link_count <=
	       GRID_BYTES_MAX;
}

static int allocate_table(struct ejection *ejection, struct liquid_error *err)
{
	size_t cells = (size_t)ejection->routes->link_count * ejection->stride;
	uint64_t owners;

	if (!lay_out(ejection, &owners))
		return liquid_fail(err, LIQUID_LIMIT, "%u links x %u frames take too much memory",
				   ejection->routes->link_count, ejection->frames);
	ejection->cells = aligned_alloc(64, (cells + EJECTION_BLOCK) * sizeof(*ejection->cells));
	ejection->cost = aligned_alloc(64, ejection->stride * sizeof(*ejection->cost));
	ejection->owner = calloc(owners + 1, sizeof(*ejection->owner));
	if (!ejection->cells || !ejection->cost || !ejection->owner)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for links x frames");
	memset(ejection->cells, 0, cells * sizeof(*ejection->cells));
	return LIQUID_OK;
}

/* ---- transfers by link and frame ---- */

static const uint32_t *links_of(const struct ejection *ejection, uint32_t transfer,
				uint32_t *count)
{
	*count = ejection->item[transfer].count;
	return ejection->routes->links + ejection->item[transfer].first;
}

/* Value of a cell; different transfers mostly have different tags. */
static uint16_t cell_of(const struct ejection *ejection, uint32_t transfer)
{
	uint32_t tag = (transfer * 0x9e3779b1u) >> (32 - TAG_BITS);

	return (uint16_t)(tag << EJECTION_WEIGHT_BITS | ejection->item[transfer].weight);
}

static uint16_t *cell_at(const struct ejection *ejection, uint32_t link, uint32_t frame)
{
	return &ejection->cells[(size_t)link * ejection->stride + frame];
}

static uint32_t *owners_at(const struct ejection *ejection, uint32_t link, uint32_t frame)
{
	return &ejection->owner[ejection->owner_at[link] +
				frame * owner_words(ejection->routes->capacity[link])];
}

/*
 * Move the lightest transfer of a full link of @capacity above 1 to the front. It remains the
 * lightest until weigh_owners(): a placed transfer that is like no other gains no weight.
 */
static void put_lightest_first(uint32_t *owner, uint32_t capacity)
{
	uint32_t *best = owner + 1, swap[2];

	for (uint32_t *seat = best + 2; seat < owner + 1 + 2 * (size_t)capacity; seat += 2)
		best = seat[1] < best[1] ? seat : best;
	memcpy(swap, best, sizeof(swap));
	memcpy(best, owner + 1, sizeof(swap));
	memcpy(owner + 1, swap, sizeof(swap));
}

/* The lightest transfer of a full link. */
static uint32_t lightest(const struct ejection *ejection, uint32_t link, uint32_t frame)
{
	return owners_at(ejection, link, frame)[ejection->routes->capacity[link] > 1];
}

static void occupy(struct ejection *ejection, uint32_t link, uint32_t frame, uint32_t transfer)
{
	uint32_t capacity = ejection->routes->capacity[link];
	uint32_t *owner = owners_at(ejection, link, frame);

	if (capacity == 1) {
		*owner = transfer;
		*cell_at(ejection, link, frame) = cell_of(ejection, transfer);
		return;
	}
	owner[1 + 2 * *owner] = transfer;
	owner[2 + 2 * *owner] = ejection->item[transfer].weight;
	ejection->work++;
	if (++*owner == capacity) {
		put_lightest_first(owner, capacity);
		*cell_at(ejection, link, frame) = cell_of(ejection, owner[1]);
		ejection->work += capacity;
	}
}

static void vacate(struct ejection *ejection, uint32_t link, uint32_t frame, uint32_t transfer)
{
	uint32_t *owner = owners_at(ejection, link, frame), *seat = owner + 1, *last;

	*cell_at(ejection, link, frame) = 0;
	if (ejection->routes->capacity[link] == 1)
		return;
	while (*seat != transfer)
		seat += 2;
	last = owner + 2 * *owner - 1;
	seat[0] = last[0];
	seat[1] = last[1];
	--*owner;
	ejection->work += (uint64_t)(seat - owner) / 2;
}

static void place(struct ejection *ejection, uint32_t transfer, uint32_t frame)
{
	uint32_t count;
	const uint32_t *links = links_of(ejection, transfer, &count);

	for (uint32_t i = 0; i < count; i++)
		occupy(ejection, links[i], frame, transfer);
	ejection->frame[transfer] = frame;
	ejection->work += 8 * count;
}

static void await_place(struct ejection *ejection, uint32_t transfer)
{
	ejection->waiting[ejection->waiting_count++] = transfer;
}

/*
 * The lightest of a few waiting transfers: a heavy one would remove many that are easy to
 * place now. LIQUID_NONE: none waits.
 */
static uint32_t next_waiting(struct ejection *ejection)
{
	uint32_t *waiting = ejection->waiting, best = 0, least = UINT32_MAX, transfer;

	if (!ejection->waiting_count)
		return LIQUID_NONE;
	for (uint32_t i = 0; i < CANDIDATES; i++) {
		uint32_t at = random_below(&ejection->random, ejection->waiting_count);
		uint32_t weight = ejection->item[waiting[at]].weight;

		best = weight < least ? at : best;
		least = weight < least ? weight : least;
	}
	transfer = waiting[best];
	waiting[best] = waiting[--ejection->waiting_count];
	__builtin_prefetch(ejection->routes->links + ejection->item[transfer].first);
	return transfer;
}

static void put_out(struct ejection *ejection, uint32_t transfer)
{
	uint32_t frame = ejection->frame[transfer], count;
	const uint32_t *links = links_of(ejection, transfer, &count);

	for (uint32_t i = 0; i < count; i++)
		vacate(ejection, links[i], frame, transfer);
	ejection->frame[transfer] = LIQUID_NONE;
	ejection->work += 8 * count;
	await_place(ejection, transfer);
}

/* Give the frames past the last one the largest weight, so that no transfer is placed there. */
static void close_padding(struct ejection *ejection)
{
	const struct ejection_choices *choices = ejection->choices;
	const struct ejection_range *range = choices ? choices->ranges : &ejection->whole;
	uint32_t ranges = choices ? choices->range_count : 1, link, frame;

	for (; ranges--; range++)
		for (link = 0; link < ejection->routes->link_count; link++)
			for (frame = range->first + range->frames; frame % EJECTION_BLOCK; frame++)
				*cell_at(ejection, link, frame) =
					(uint16_t)(link << EJECTION_WEIGHT_BITS |
						   EJECTION_WEIGHT_MAX);
}

int ejection_open(struct ejection *ejection, uint32_t frames, struct liquid_error *err)
{
	uint32_t blocks = frames / EJECTION_BLOCK + (frames % EJECTION_BLOCK != 0);
	int status;

	clear_table(ejection);
	if (frames > UINT32_MAX - EJECTION_BLOCK)
		return liquid_fail(err, LIQUID_LIMIT, "%u frames are too many", frames);
	ejection->frames = frames;
	ejection->whole.frames = frames;
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

static void weigh_owners(struct ejection *ejection, uint32_t link, uint32_t frame)
{
	uint32_t capacity = ejection->routes->capacity[link];
	uint32_t *owner = owners_at(ejection, link, frame);
	uint16_t *cell = cell_at(ejection, link, frame);

	for (uint32_t i = 0; capacity > 1 && i < *owner; i++)
		owner[2 + 2 * i] = ejection->item[owner[1 + 2 * i]].weight;
	if (capacity > 1 && *owner == capacity)
		put_lightest_first(owner, capacity);
	if (*cell)
		*cell = cell_of(ejection, lightest(ejection, link, frame));
}

/* Halve all weights, when one has reached the maximum. */
static void halve_weights(struct ejection *ejection)
{
	const struct routes *routes = ejection->routes;

	for (uint32_t i = 0; i < routes->transfer_count; i++)
		ejection->item[i].weight = (uint16_t)(ejection->item[i].weight / 2 + 1);
	for (uint32_t link = 0; link < routes->link_count; link++)
		for (uint32_t frame = 0; frame < ejection->frames; frame++)
			weigh_owners(ejection, link, frame);
	ejection->work += (uint64_t)routes->link_count * ejection->frames;
}

static void gain_weight(struct ejection *ejection, uint32_t transfer)
{
	const uint32_t *same = ejection->routes->first_transfer + ejection->pair_of[transfer];
	uint32_t first = ejection->alike ? same[0] : transfer, count;
	uint32_t end = ejection->alike ? same[1] : transfer + 1;
	bool most = false;

	for (uint32_t i = first; i < end; i++) {
		const uint32_t *links = links_of(ejection, i, &count);

		most |= ++ejection->item[i].weight >= EJECTION_WEIGHT_MAX;
		if (ejection->frame[i] == LIQUID_NONE)
			continue;
		for (uint32_t k = 0; k < count; k++)
			weigh_owners(ejection, links[k], ejection->frame[i]);
		ejection->work += 4 * count;
	}
	if (most)
		halve_weights(ejection);
}

/*
 * Where those like @transfer are, give its first link the largest weight, or take it back. A frame
 * may have several of them if that link has room for them.
 */
static void bar_alike(struct ejection *ejection, uint32_t transfer, bool bar)
{
	const uint32_t *same = ejection->routes->first_transfer + ejection->pair_of[transfer];
	uint32_t count, link = links_of(ejection, transfer, &count)[0];

	if (!ejection->alike || ejection->routes->capacity[link] > 1)
		return;
	for (uint32_t i = same[0]; i < same[1]; i++)
		if (ejection->frame[i] != LIQUID_NONE)
			*cell_at(ejection, link, ejection->frame[i]) =
				bar ? EJECTION_WEIGHT_MAX : cell_of(ejection, i);
	ejection->work += 4 * (same[1] - same[0]);
}

/* Prefetch what put_out_all() and place() will read. */
static void fetch_owners(const struct ejection *ejection, const uint32_t *links, uint32_t count,
			 uint32_t frame, bool victims)
{
	for (uint32_t i = 0; i < count; i++)
		__builtin_prefetch(owners_at(ejection, links[i], frame), 1);
	for (uint32_t i = 0; victims && i < count; i++)
		if (*cell_at(ejection, links[i], frame))
			__builtin_prefetch(&ejection->item[lightest(ejection, links[i], frame)]);
}

static void put_out_all(struct ejection *ejection, const uint32_t *links, uint32_t count,
			uint32_t frame)
{
	for (uint32_t i = 0; i < count; i++)
		if (*cell_at(ejection, links[i], frame))
			put_out(ejection, lightest(ejection, links[i], frame));
}

/* The frame of @range where the transfers in the way weigh least. */
static uint32_t weigh_range(struct ejection *ejection, const struct ejection_range *range,
			    const uint32_t *links, uint32_t count, uint32_t *frame)
{
	uint32_t start = range->first + random_below(&ejection->random, range->frames), weighed;
	uint32_t cost = ejection_weigh(ejection, range, links, count, start, frame, &weighed);

	ejection->work += (uint64_t)weighed / 4 * count + 32;
	/* The padding has the largest weight, but a long path may weigh as much elsewhere. */
	if (*frame >= range->first + range->frames)
		*frame = start;
	return cost;
}

/* The frame and choice where the transfers in the way weigh least; stores the choice. */
static uint32_t weigh_choices(struct ejection *ejection, uint32_t transfer, uint32_t *frame)
{
	const struct ejection_choices *choices = ejection->choices;
	const struct routes *routes = ejection->routes;
	uint32_t from = choices->first[ejection->pair_of[transfer]];
	uint32_t count = choices->first[ejection->pair_of[transfer] + 1] - from;
	uint32_t turn = random_below(&ejection->random, count), least = UINT32_MAX, best = from, at;

	for (uint32_t i = 0; i < count && least; i++) {
		uint32_t choice = from + (turn + i < count ? turn + i : turn + i - count);
		uint32_t cost = weigh_range(ejection, &choices->ranges[choices->range[choice]],
					    routes->links + routes->first[choice],
					    routes->first[choice + 1] - routes->first[choice],
					    &at);

		if (cost < least) {
			least = cost;
			best = choice;
			*frame = at;
		}
	}
	ejection->choice[transfer] = best;
	ejection->item[transfer].first = routes->first[best];
	ejection->item[transfer].count = (uint16_t)(routes->first[best + 1] - routes->first[best]);
	return least;
}

static void place_cheapest(struct ejection *ejection, uint32_t transfer)
{
	uint32_t count, frame, cost;
	const uint32_t *links = links_of(ejection, transfer, &count);

	bar_alike(ejection, transfer, true);
	if (ejection->choices)
		cost = weigh_choices(ejection, transfer, &frame);
	else
		cost = weigh_range(ejection, &ejection->whole, links, count, &frame);
	bar_alike(ejection, transfer, false);
	links = links_of(ejection, transfer, &count);
	fetch_owners(ejection, links, count, frame, cost);
	if (cost) {
		gain_weight(ejection, transfer);
		put_out_all(ejection, links, count, frame);
	}
	place(ejection, transfer, frame);
}

/*
 * Whenever the moves of a run have grown by half, half of the waiting transfers must have been
 * placed; or a quarter whenever they have doubled, if it is patient. The first check comes after as
 * many moves as there are transfers.
 */
static bool makes_progress(const struct ejection *ejection, uint64_t moves, uint64_t *next_look,
			   uint32_t *last_count)
{
	bool good;

	if (moves < *next_look)
		return true;
	good = ejection->waiting_count <= *last_count - *last_count / (ejection->patient ? 4 : 2);
	*next_look = moves + moves / (ejection->patient ? 1 : 2);
	*last_count = ejection->waiting_count;
	return good;
}

/* The next transfer is chosen one move ahead, so that its data can be prefetched. */
enum ejection_outcome ejection_run(struct ejection *ejection, struct budget *budget)
{
	uint64_t moves = 0, next_look = LOOK_MOVES_MIN + ejection->routes->transfer_count;
	uint32_t last_count = UINT32_MAX, transfer = next_waiting(ejection), next;
	enum ejection_outcome outcome = EJECTION_PLACED;

	while (transfer != LIQUID_NONE && outcome == EJECTION_PLACED) {
		next = next_waiting(ejection);
		place_cheapest(ejection, transfer);
		transfer = next != LIQUID_NONE ? next : next_waiting(ejection);
		moves++;
		budget->state.done = ejection->routes->transfer_count - ejection->waiting_count -
				     (transfer != LIQUID_NONE);
		if (!budget_spend(budget, ejection->work))
			outcome = EJECTION_OUT_OF_WORK;
		ejection->work = 0;
		if (!makes_progress(ejection, moves, &next_look, &last_count))
			outcome = EJECTION_STUCK;
	}
	if (transfer == LIQUID_NONE)
		return EJECTION_PLACED;
	await_place(ejection, transfer);
	return outcome;
}

/* Those that wait for their turn are at the end of waiting[], which has room for all. */
enum ejection_outcome ejection_run_singly(struct ejection *ejection, struct budget *budget)
{
	uint32_t left = ejection->waiting_count;
	uint32_t *held = ejection->waiting + ejection->routes->transfer_count - left;
	enum ejection_outcome outcome = EJECTION_PLACED;

	memmove(held, ejection->waiting, left * sizeof(*held));
	ejection->waiting_count = 0;
	while (left && outcome == EJECTION_PLACED) {
		await_place(ejection, *held++);
		left--;
		outcome = ejection_run(ejection, budget);
	}
	while (left--)
		await_place(ejection, *held++);
	return outcome;
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
	outcome = grid_new(&rest, routes, ejection->waiting_count);
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
