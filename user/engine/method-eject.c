// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * eject: all transfers into K frames by local search
 *
 * A transfer that fits nowhere takes a frame where it conflicts with one other, or
 * two, and these look for a place in turn. Who is put out often becomes harder to
 * put out. What has no place in the end goes into frames of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "grid.h"

#define SAMPLES 12		/* frames that are weighed against each other */

struct eject {
	struct grid grid;
	struct solving *solving;
	struct random random;
	uint32_t *queue;		/* ring of transfers without a frame */
	uint32_t queue_first, queue_count;
	uint32_t *penalty;		/* by transfer: how often it was put out */
	uint64_t *free_in, *one_in, *two_in;	/* scratch rows: frames with 0, 1, 2 full links */
};

static bool eject_new(struct eject *eject, uint32_t transfers)
{
	uint32_t words = eject->grid.words;

	eject->queue = calloc((size_t)transfers + 1, sizeof(*eject->queue));
	eject->penalty = calloc((size_t)transfers + 1, sizeof(*eject->penalty));
	eject->free_in = calloc((size_t)words + 1, sizeof(*eject->free_in));
	eject->one_in = calloc((size_t)words + 1, sizeof(*eject->one_in));
	eject->two_in = calloc((size_t)words + 1, sizeof(*eject->two_in));
	return eject->queue && eject->penalty && eject->free_in && eject->one_in &&
	       eject->two_in;
}

static void eject_clear(struct eject *eject)
{
	grid_clear(&eject->grid);
	free(eject->queue);
	free(eject->penalty);
	free(eject->free_in);
	free(eject->one_in);
	free(eject->two_in);
}

static void enqueue(struct eject *eject, uint32_t transfer)
{
	uint32_t room = eject->grid.routes->transfer_count;
	uint64_t at = (uint64_t)eject->queue_first + eject->queue_count++;

	eject->queue[at < room ? at : at - room] = transfer;
}

static uint32_t dequeue(struct eject *eject)
{
	uint32_t transfer = eject->queue[eject->queue_first];

	if (++eject->queue_first == eject->grid.routes->transfer_count)
		eject->queue_first = 0;
	eject->queue_count--;
	return transfer;
}

/* ---- choosing a frame ---- */

/* Carry-save counting of the pair's full links, 64 frames at a time. */
static void count_conflicts(struct eject *eject, uint32_t pair, bool *any_free, bool *any_one)
{
	const struct grid *grid = &eject->grid;
	uint32_t count;
	const uint32_t *links = routes_links(grid->routes, pair, &count);
	uint64_t free_seen = 0, one_seen = 0;

	for (uint32_t word = 0; word < grid->words; word++) {
		uint64_t ones = 0, twos = 0, more = 0;
		uint64_t real = word + 1 == grid->words && grid->frames % 64 ?
			(UINT64_C(1) << grid->frames % 64) - 1 : UINT64_MAX;

		for (uint32_t i = 0; i < count; i++) {
			uint64_t full = grid->full[(size_t)links[i] * grid->words + word];

			more |= ones & twos & full;
			twos ^= ones & full;
			ones ^= full;
		}
		eject->free_in[word] = ~(ones | twos | more) & real;
		eject->one_in[word] = ones & ~twos & ~more & real;
		eject->two_in[word] = twos & ~ones & ~more & real;
		free_seen |= eject->free_in[word];
		one_seen |= eject->one_in[word];
	}
	eject->grid.work += (uint64_t)grid->words * (count + 4);
	*any_free = free_seen != 0;
	*any_one = one_seen != 0;
}

/* The next frame of @row from @from on, around the end; LIQUID_NONE where it is empty. */
static uint32_t next_frame(const uint64_t *row, uint32_t words, uint32_t from)
{
	uint32_t word = from / 64;
	uint64_t bits = row[word] & (UINT64_MAX << from % 64);

	for (uint32_t tried = 0; tried <= words; tried++) {
		if (bits)
			return word * 64 + (uint32_t)__builtin_ctzll(bits);
		word = word + 1 == words ? 0 : word + 1;
		bits = row[word];
	}
	return LIQUID_NONE;
}

/* The owner of @link in @frame that is put out most lightly. */
static uint32_t lightest_owner(const struct eject *eject, uint32_t link, uint32_t frame)
{
	const struct grid *grid = &eject->grid;
	uint32_t capacity = grid->routes->capacity[link];
	const uint32_t *owner = grid->owner + grid->owner_at[link] + (size_t)frame * capacity;
	uint32_t best = owner[0];

	for (uint32_t i = 1; i < capacity; i++)
		if (eject->penalty[owner[i]] < eject->penalty[best])
			best = owner[i];
	return best;
}

static bool is_full(const struct grid *grid, uint32_t link, uint32_t frame)
{
	return grid->full[(size_t)link * grid->words + frame / 64] >> frame % 64 & 1;
}

/* The sum of the penalties of those who would have to leave @frame for @pair. */
static uint64_t price(const struct eject *eject, uint32_t pair, uint32_t frame)
{
	uint32_t count, last = LIQUID_NONE;
	const uint32_t *links = routes_links(eject->grid.routes, pair, &count);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		if (is_full(&eject->grid, links[i], frame)) {
			uint32_t owner = lightest_owner(eject, links[i], frame);

			sum += owner == last ? 0 : (uint64_t)eject->penalty[owner] + 1;
			last = owner;
		}
	return sum;
}

static uint32_t cheapest_frame(struct eject *eject, uint32_t pair, const uint64_t *row)
{
	uint32_t best = LIQUID_NONE, frames = eject->grid.frames;
	uint64_t best_price = UINT64_MAX;

	for (int i = 0; i < SAMPLES; i++) {
		uint32_t frame = next_frame(row, eject->grid.words,
					    random_below(&eject->random, frames));
		uint64_t sum;

		if (frame == LIQUID_NONE)
			return LIQUID_NONE;
		sum = price(eject, pair, frame);
		if (sum < best_price) {
			best_price = sum;
			best = frame;
		}
	}
	eject->grid.work += 16 * SAMPLES;
	return best;
}

static uint32_t choose_frame(struct eject *eject, uint32_t pair)
{
	bool any_free, any_one;
	uint32_t frame;

	count_conflicts(eject, pair, &any_free, &any_one);
	if (any_free)
		return next_frame(eject->free_in, eject->grid.words,
				  random_below(&eject->random, eject->grid.frames));
	/* Now and then two conflicts, lest the search goes round among the same few. */
	if (any_one && random_below(&eject->random, 64))
		return cheapest_frame(eject, pair, eject->one_in);
	frame = cheapest_frame(eject, pair, eject->two_in);
	if (frame == LIQUID_NONE && any_one)
		frame = cheapest_frame(eject, pair, eject->one_in);
	return frame == LIQUID_NONE ? random_below(&eject->random, eject->grid.frames) : frame;
}

/* ---- the search ---- */

static void put_out(struct eject *eject, uint32_t pair, uint32_t frame)
{
	uint32_t count;
	const uint32_t *links = routes_links(eject->grid.routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		if (is_full(&eject->grid, links[i], frame)) {
			uint32_t victim = lightest_owner(eject, links[i], frame);

			grid_remove(&eject->grid, victim);
			eject->penalty[victim]++;
			enqueue(eject, victim);
		}
}

static void settle_all(struct eject *eject)
{
	struct budget *budget = eject->solving->budget;
	uint32_t transfer, pair, frame;

	while (eject->queue_count) {
		transfer = dequeue(eject);
		pair = eject->grid.pair_of[transfer];
		frame = choose_frame(eject, pair);
		put_out(eject, pair, frame);
		grid_place(&eject->grid, transfer, frame);
		budget->state.done = eject->grid.routes->transfer_count - eject->queue_count;
		if (!budget_spend(budget, eject->grid.work + 16))
			return;
		eject->grid.work = 0;
	}
}

/* The best solution so far, as far as it lies in these frames; the rest waits. */
static void start(struct eject *eject)
{
	const struct solving *solving = eject->solving;

	for (uint32_t i = 0; i < solving->routes->transfer_count; i++)
		if (solving->length && solving->frame[i] < eject->grid.frames)
			grid_place(&eject->grid, i, solving->frame[i]);
		else
			enqueue(eject, i);
}

/* Those without a place: first fit in frames of their own, after the others. */
static int add_frames(struct eject *eject, struct liquid_error *err)
{
	const struct routes *routes = eject->grid.routes;
	uint32_t extra = eject->queue_count, length = eject->grid.frames;
	uint32_t *frame = malloc(((size_t)routes->transfer_count + 1) * sizeof(*frame));
	enum grid_outcome outcome;
	int status = LIQUID_OK;
	struct grid rest;

	if (!frame)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the frames");
	outcome = grid_new(&rest, routes, extra, false);
	if (outcome == GRID_READY) {
		memcpy(frame, eject->grid.frame, routes->transfer_count * sizeof(*frame));
		for (uint32_t i = 0; i < extra; i++) {
			uint32_t transfer = dequeue(eject), at;

			at = grid_first_fit(&rest, rest.pair_of[transfer], 0);
			grid_place(&rest, transfer, at);
			frame[transfer] = eject->grid.frames + at;
			if (frame[transfer] >= length)
				length = frame[transfer] + 1;
		}
		status = solving_offer(eject->solving, frame, length, err);
		grid_clear(&rest);
	} else if (outcome == GRID_NO_MEMORY) {
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for links x frames");
	}
	free(frame);
	return status;
}

/* Is there hope that the transfers left over make a shorter schedule than the best? */
static bool worth_adding(const struct eject *eject)
{
	uint32_t best = eject->solving->length;

	return !best || (eject->grid.frames + 1 < best && eject->queue_count < (1u << 16));
}

static int eject_into(struct solving *solving, uint32_t frames, struct liquid_error *err)
{
	struct eject eject = { .solving = solving };
	enum grid_outcome outcome = grid_new(&eject.grid, solving->routes, frames, true);
	int status = LIQUID_OK;

	if (outcome == GRID_TOO_LARGE)
		return LIQUID_OK;
	eject.random.state = solving->seed ^ (uint64_t)frames << 32;
	if (outcome == GRID_READY && eject_new(&eject, solving->routes->transfer_count)) {
		start(&eject);
		settle_all(&eject);
		if (!eject.queue_count)
			status = solving_offer(solving, eject.grid.frame, frames, err);
		else if (worth_adding(&eject))
			status = add_frames(&eject, err);
	} else {
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for links x frames");
	}
	eject_clear(&eject);
	return status;
}

/* First the lower bound with half of the work; then between it and the best. */
int method_eject(struct solving *solving, struct liquid_error *err)
{
	uint32_t low = solving->lower_bound;
	int status = solving->length ? LIQUID_OK : method_first_fit(solving, err);

	while (!status && !solving_done(solving) && budget_left(solving->budget) > 1) {
		uint64_t outer = budget_narrow(solving->budget, budget_left(solving->budget) / 2);
		uint32_t target = low == solving->lower_bound ? low :
			low + (solving->length - low) / 2;

		if (target >= solving->length)
			break;
		status = eject_into(solving, target, err);
		budget_widen(solving->budget, outer);
		if (solving->length > target)
			low = target + 1;
	}
	return status;
}
