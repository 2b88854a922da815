// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ejection chains: the table of transfers by cell and frame, and the search. */
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
	for (uint32_t k = 0; k < EJECTION_KINDS_MAX; k++) {
		struct ejection_kind *kind = &ejection->kind[k];

		free(kind->cells);
		free(kind->owner);
		free(kind->owner_at);
		kind->cells = NULL;
		kind->owner = NULL;
		kind->owner_at = NULL;
	}
	free(ejection->cost);
	ejection->cost = NULL;
}

void ejection_clear(struct ejection *ejection)
{
	clear_table(ejection);
	for (uint32_t k = 0; k < EJECTION_KINDS_MAX; k++)
		free(ejection->kind[k].cycle);
	free(ejection->pair_of);
	free(ejection->frame);
	free(ejection->item);
	free(ejection->phase);
	free(ejection->waiting);
	*ejection = (struct ejection){ 0 };
}

/* The cells of @transfer are those of @kind from now on. */
static void give_cells(struct ejection *ejection, uint32_t transfer, uint32_t kind)
{
	const uint32_t *first = ejection->kind[kind].first + ejection->pair_of[transfer];
	struct ejection_item *item = &ejection->item[transfer];

	item->first = first[0];
	item->count = (uint8_t)(first[1] - first[0]);
	item->kind = kind & 1;
}

/* Memory for @kind; false: there is none. */
static bool take_kind(struct ejection *ejection, const struct ejection_kind *given)
{
	struct ejection_kind *kind = &ejection->kind[ejection->kinds++];

	*kind = *given;
	if (!kind->span)
		return true;
	kind->cycle = calloc((size_t)kind->cell_count + 1, sizeof(*kind->cycle));
	if (!kind->cycle)
		return false;
	for (uint32_t c = 1; c < kind->cell_count; c++) {
		uint32_t first = kind->cycle[c - 1];

		kind->cycle[c] = c < first + kind->span[first] ? first : c;
	}
	return true;
}

static bool allocate(struct ejection *ejection)
{
	size_t transfers = (size_t)ejection->routes->transfer_count + 1;

	ejection->pair_of = calloc(transfers, sizeof(*ejection->pair_of));
	ejection->frame = malloc(transfers * sizeof(*ejection->frame));
	ejection->phase = calloc(transfers, sizeof(*ejection->phase));
	ejection->item = calloc(transfers, sizeof(*ejection->item));
	ejection->waiting = calloc(transfers, sizeof(*ejection->waiting));
	return ejection->pair_of && ejection->frame && ejection->phase && ejection->item &&
	       ejection->waiting;
}

int ejection_new_kinds(struct ejection *ejection, const struct routes *routes,
		       const struct ejection_kind *kind, uint32_t kinds, uint64_t seed,
		       struct liquid_error *err)
{
	bool good;

	*ejection = (struct ejection){ .routes = routes, .random.state = seed, .at_once = 4 };
	good = allocate(ejection);
	for (uint32_t k = 0; k < kinds && good; k++)
		good = take_kind(ejection, &kind[k]);
	if (!good) {
		ejection_clear(ejection);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u transfers",
				   routes->transfer_count);
	}
	ejection->once = kind->first[routes->pair_count] / SHORT_PATH >= routes->pair_count;
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++) {
			ejection->pair_of[i] = pair;
			ejection->frame[i] = LIQUID_NONE;
			ejection->item[i].weight = 1;
			give_cells(ejection, i, 0);
		}
	return LIQUID_OK;
}

int ejection_new(struct ejection *ejection, const struct routes *routes, uint64_t seed,
		 struct liquid_error *err)
{
	const struct ejection_kind links = {
		.phases = 1, .cell_count = routes->link_count, .capacity = routes->capacity,
		.first = routes->first, .links = routes->links,
	};

	return ejection_new_kinds(ejection, routes, &links, 1, seed, err);
}

void ejection_put(struct ejection *ejection, uint32_t transfer, uint32_t kind, uint32_t phase,
		  uint32_t frame)
{
	give_cells(ejection, transfer, kind);
	ejection->phase[transfer] = (uint16_t)phase;
	ejection->frame[transfer] = frame;
}

/* Words that a cell of @capacity takes in owner[] for each frame. */
static size_t owner_words(uint32_t capacity)
{
	return capacity > 1 ? 1 + 2 * (size_t)capacity : 1;
}

/* Where the owners of each cell begin; returns the bytes of the table, or far too many. */
static uint64_t lay_out(struct ejection_kind *kind)
{
	uint64_t owners = 0;

	for (uint32_t c = 0; c < kind->cell_count; c++) {
		kind->owner_at[c] = owners;
		owners += owner_words(kind->capacity[c]) * kind->frames;
		if (owners > GRID_BYTES_MAX / 4)
			return UINT64_MAX / 4;
	}
	kind->owner_at[kind->cell_count] = owners;
	return 4 * owners + 2 * (uint64_t)kind->stride * kind->cell_count;
}

/* Returns whether there is memory. */
static bool allocate_kind(struct ejection_kind *kind)
{
	size_t cells = (size_t)kind->cell_count * kind->stride;

	kind->cells = aligned_alloc(64, (cells + EJECTION_BLOCK) * sizeof(*kind->cells));
	kind->owner = calloc(kind->owner_at[kind->cell_count] + 1, sizeof(*kind->owner));
	if (!kind->cells || !kind->owner)
		return false;
	memset(kind->cells, 0, cells * sizeof(*kind->cells));
	return true;
}

static int allocate_table(struct ejection *ejection, struct liquid_error *err)
{
	uint32_t stride = EJECTION_BLOCK;
	uint64_t bytes = 0;
	bool good = true;

	for (uint32_t k = 0; k < ejection->kinds && good; k++) {
		struct ejection_kind *kind = &ejection->kind[k];

		kind->stride = (kind->frames + EJECTION_BLOCK - 1) / EJECTION_BLOCK *
			       EJECTION_BLOCK;
		stride = kind->stride > stride ? kind->stride : stride;
		kind->owner_at = calloc((size_t)kind->cell_count + 1, sizeof(*kind->owner_at));
		good = kind->owner_at;
		bytes += good ? lay_out(kind) : 0;
	}
	if (bytes > GRID_BYTES_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "%u links x %u frames take too much memory",
				   ejection->kind->cell_count, ejection->kind->frames);
	for (uint32_t k = 0; k < ejection->kinds && good; k++)
		good = allocate_kind(&ejection->kind[k]);
	ejection->cost = aligned_alloc(64, stride * sizeof(*ejection->cost));
	return good && ejection->cost ? LIQUID_OK : liquid_no_memory(err);
}

/* ---- transfers by cell and frame ---- */

/* @cells, @phase further in their cycles; maybe in @own */
static const uint32_t *turn(const struct ejection_kind *kind, const uint32_t *cells,
			    uint32_t count, uint32_t phase, uint32_t own[LIQUID_PATH_MAX])
{
	if (!phase)
		return cells;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t first = kind->cycle[cells[i]];

		own[i] = first + (cells[i] - first + phase) % kind->span[cells[i]];
	}
	return own;
}

/* The cells that @transfer has where it was last, maybe in @own */
static const uint32_t *cells_of(const struct ejection *ejection, uint32_t transfer,
				uint32_t own[LIQUID_PATH_MAX], uint32_t *count)
{
	const struct ejection_item *item = &ejection->item[transfer];
	const struct ejection_kind *kind = &ejection->kind[item->kind];
	const uint32_t *cells = kind->links + item->first;

	*count = item->count;
	return turn(kind, cells, item->count, ejection->phase[transfer], own);
}

/* Value of a cell; different transfers mostly have different tags. */
static uint16_t cell_of(const struct ejection *ejection, uint32_t transfer)
{
	uint32_t tag = (transfer * 0x9e3779b1u) >> (32 - TAG_BITS);

	return (uint16_t)(tag << EJECTION_WEIGHT_BITS | ejection->item[transfer].weight);
}

static uint16_t *cell_at(const struct ejection_kind *kind, uint32_t cell, uint32_t frame)
{
	return &kind->cells[(size_t)cell * kind->stride + frame];
}

static uint32_t *owners_at(const struct ejection_kind *kind, uint32_t cell, uint32_t frame)
{
	return &kind->owner[kind->owner_at[cell] + frame * owner_words(kind->capacity[cell])];
}

/*
 * Move the lightest transfer of a full cell of @capacity above 1 to the front. It remains the
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

/* The lightest transfer of a full cell */
static uint32_t lightest(const struct ejection_kind *kind, uint32_t cell, uint32_t frame)
{
	return owners_at(kind, cell, frame)[kind->capacity[cell] > 1];
}

static void await_place(struct ejection *ejection, uint32_t transfer)
{
	ejection->waiting[ejection->waiting_count++] = transfer;
}

static void vacate(struct ejection *ejection, const struct ejection_kind *kind, uint32_t cell,
		   uint32_t frame, uint32_t transfer)
{
	uint32_t *owner = owners_at(kind, cell, frame), *seat = owner + 1, *last;

	*cell_at(kind, cell, frame) = 0;
	if (kind->capacity[cell] == 1)
		return;
	while (*seat != transfer)
		seat += 2;
	last = owner + 2 * *owner - 1;
	seat[0] = last[0];
	seat[1] = last[1];
	--*owner;
	ejection->work += (uint64_t)(seat - owner) / 2;
}

static void put_out(struct ejection *ejection, uint32_t transfer)
{
	uint32_t frame = ejection->frame[transfer], own[LIQUID_PATH_MAX], count;
	const struct ejection_kind *kind = &ejection->kind[ejection->item[transfer].kind];
	const uint32_t *cells = cells_of(ejection, transfer, own, &count);

	for (uint32_t i = 0; i < count; i++)
		vacate(ejection, kind, cells[i], frame, transfer);
	ejection->frame[transfer] = LIQUID_NONE;
	ejection->work += 8 * count;
	await_place(ejection, transfer);
}

/* Make room for @transfer, which has the full cell of @owner already: it takes it twice. */
static void put_out_other(struct ejection *ejection, const uint32_t *owner, uint32_t transfer)
{
	const uint32_t *best = NULL;

	for (const uint32_t *seat = owner + 1; seat < owner + 1 + 2 * (size_t)*owner; seat += 2)
		if (*seat != transfer && (!best || seat[1] < best[1]))
			best = seat;
	put_out(ejection, *best);
}

static void occupy(struct ejection *ejection, const struct ejection_kind *kind, uint32_t cell,
		   uint32_t frame, uint32_t transfer)
{
	uint32_t capacity = kind->capacity[cell];
	uint32_t *owner = owners_at(kind, cell, frame);

	if (capacity == 1) {
		*owner = transfer;
		*cell_at(kind, cell, frame) = cell_of(ejection, transfer);
		return;
	}
	if (*owner == capacity)
		put_out_other(ejection, owner, transfer);
	owner[1 + 2 * *owner] = transfer;
	owner[2 + 2 * *owner] = ejection->item[transfer].weight;
	ejection->work++;
	if (++*owner == capacity) {
		put_lightest_first(owner, capacity);
		*cell_at(kind, cell, frame) = cell_of(ejection, owner[1]);
		ejection->work += capacity;
	}
}

static void place(struct ejection *ejection, uint32_t transfer, uint32_t frame)
{
	uint32_t own[LIQUID_PATH_MAX], count;
	const struct ejection_kind *kind = &ejection->kind[ejection->item[transfer].kind];
	const uint32_t *cells = cells_of(ejection, transfer, own, &count);

	for (uint32_t i = 0; i < count; i++)
		occupy(ejection, kind, cells[i], frame, transfer);
	ejection->frame[transfer] = frame;
	ejection->work += 8 * count;
}

/*
 * The lightest of a few waiting transfers: a heavy one would remove many that are easy to
 * place now. Where there is patience, any of them. LIQUID_NONE: none waits.
 */
static uint32_t next_waiting(struct ejection *ejection)
{
	uint32_t *waiting = ejection->waiting, best = 0, least = UINT32_MAX, transfer;
	uint32_t candidates = ejection->patient ? 1 : CANDIDATES;

	if (!ejection->waiting_count)
		return LIQUID_NONE;
	for (uint32_t i = 0; i < candidates; i++) {
		uint32_t at = random_below(&ejection->random, ejection->waiting_count);
		uint32_t weight = ejection->item[waiting[at]].weight;

		best = weight < least ? at : best;
		least = weight < least ? weight : least;
	}
	transfer = waiting[best];
	waiting[best] = waiting[--ejection->waiting_count];
	__builtin_prefetch(ejection->kind[ejection->item[transfer].kind].links +
			   ejection->item[transfer].first);
	return transfer;
}

/* Give the frames past the last one the largest weight, so that no transfer is placed there. */
static void close_padding(const struct ejection_kind *kind)
{
	for (uint32_t cell = 0; cell < kind->cell_count; cell++)
		for (uint32_t frame = kind->frames; frame < kind->stride; frame++)
			*cell_at(kind, cell, frame) = (uint16_t)(cell << EJECTION_WEIGHT_BITS |
								 EJECTION_WEIGHT_MAX);
}

int ejection_open(struct ejection *ejection, uint32_t frames, struct liquid_error *err)
{
	int status;

	clear_table(ejection);
	if (frames > UINT32_MAX - EJECTION_BLOCK)
		return liquid_fail(err, LIQUID_LIMIT, "%u frames are too many", frames);
	ejection->kind->frames = frames;
	status = allocate_table(ejection, err);
	if (status)
		return status;
	for (uint32_t k = 0; k < ejection->kinds; k++)
		close_padding(&ejection->kind[k]);
	ejection->waiting_count = 0;
	for (uint32_t i = 0; i < ejection->routes->transfer_count; i++)
		if (ejection->frame[i] < ejection->kind[ejection->item[i].kind].frames) {
			place(ejection, i, ejection->frame[i]);
		} else {
			ejection->frame[i] = LIQUID_NONE;
			await_place(ejection, i);
		}
	return LIQUID_OK;
}

/* ---- the search ---- */

static void weigh_owners(struct ejection *ejection, const struct ejection_kind *kind, uint32_t cell,
			 uint32_t frame)
{
	uint32_t capacity = kind->capacity[cell];
	uint32_t *owner = owners_at(kind, cell, frame);
	uint16_t *at = cell_at(kind, cell, frame);

	for (uint32_t i = 0; capacity > 1 && i < *owner; i++)
		owner[2 + 2 * i] = ejection->item[owner[1 + 2 * i]].weight;
	if (capacity > 1 && *owner == capacity)
		put_lightest_first(owner, capacity);
	if (*at)
		*at = cell_of(ejection, lightest(kind, cell, frame));
}

/* Halve all weights, when one has reached the maximum. */
static void halve_weights(struct ejection *ejection)
{
	for (uint32_t i = 0; i < ejection->routes->transfer_count; i++)
		ejection->item[i].weight = (uint16_t)(ejection->item[i].weight / 2 + 1);
	for (uint32_t k = 0; k < ejection->kinds; k++) {
		const struct ejection_kind *kind = &ejection->kind[k];

		for (uint32_t cell = 0; cell < kind->cell_count; cell++)
			for (uint32_t frame = 0; frame < kind->frames; frame++)
				weigh_owners(ejection, kind, cell, frame);
		ejection->work += (uint64_t)kind->cell_count * kind->frames;
	}
}

static void gain_weight(struct ejection *ejection, uint32_t transfer)
{
	const uint32_t *same = ejection->routes->first_transfer + ejection->pair_of[transfer];
	uint32_t first = ejection->alike ? same[0] : transfer, own[LIQUID_PATH_MAX], count;
	uint32_t end = ejection->alike ? same[1] : transfer + 1;
	bool most = false;

	for (uint32_t i = first; i < end; i++) {
		const struct ejection_kind *kind = &ejection->kind[ejection->item[i].kind];
		const uint32_t *cells = cells_of(ejection, i, own, &count);

		most |= ++ejection->item[i].weight >= EJECTION_WEIGHT_MAX;
		if (ejection->frame[i] == LIQUID_NONE)
			continue;
		for (uint32_t k = 0; k < count; k++)
			weigh_owners(ejection, kind, cells[k], ejection->frame[i]);
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
	const struct ejection_kind *kind = ejection->kind;
	uint32_t cell = kind->links[ejection->item[transfer].first];

	if (!ejection->alike || kind->capacity[cell] > 1)
		return;
	for (uint32_t i = same[0]; i < same[1]; i++)
		if (ejection->frame[i] != LIQUID_NONE)
			*cell_at(kind, cell, ejection->frame[i]) =
				bar ? EJECTION_WEIGHT_MAX : cell_of(ejection, i);
	ejection->work += 4 * (same[1] - same[0]);
}

/* Where a transfer is to go */
struct target {
	const struct ejection_kind *kind;
	uint32_t frame, cost, count;
	const uint32_t *cells;
};

/* Prefetch what put_out_all() and place() will read. */
static void fetch_owners(const struct ejection *ejection, const struct target *to)
{
	for (uint32_t i = 0; i < to->count; i++)
		__builtin_prefetch(owners_at(to->kind, to->cells[i], to->frame), 1);
	for (uint32_t i = 0; to->cost && i < to->count; i++)
		if (*cell_at(to->kind, to->cells[i], to->frame))
			__builtin_prefetch(&ejection->item[lightest(to->kind, to->cells[i],
								    to->frame)]);
}

static void put_out_all(struct ejection *ejection, const struct target *to)
{
	for (uint32_t i = 0; i < to->count; i++)
		if (*cell_at(to->kind, to->cells[i], to->frame))
			put_out(ejection, lightest(to->kind, to->cells[i], to->frame));
}

/* The frame of @kind where the transfers in the way weigh least, if that is less than @below */
static uint32_t weigh_kind(struct ejection *ejection, const struct ejection_kind *kind,
			   const uint32_t *cells, uint32_t count, uint32_t below, uint32_t *frame)
{
	uint32_t start = random_below(&ejection->random, kind->frames), weighed;
	uint32_t cost = ejection_weigh(ejection, kind, cells, count, start, below, frame,
				       &weighed);

	ejection->work += (uint64_t)weighed / ejection->at_once * count + 32;
	/* The padding has the largest weight, but a long path may weigh as much elsewhere. */
	if (cost < below && *frame >= kind->frames)
		*frame = start;
	return cost;
}

/* The same for @transfer in @phase of its frames; UINT32_MAX: there is none. */
static uint32_t weigh_phase(struct ejection *ejection, const struct ejection_kind *kind,
			    uint32_t transfer, uint32_t phase, uint32_t below, uint32_t *frame)
{
	const uint32_t *first = kind->first + ejection->pair_of[transfer];
	uint32_t own[LIQUID_PATH_MAX], count = first[1] - first[0];
	const uint32_t *cells = kind->links + first[0];

	if (!count || !kind->frames)
		return UINT32_MAX;
	cells = turn(kind, cells, count, phase, own);
	return weigh_kind(ejection, kind, cells, count, below, frame);
}

/*
 * The frame, kind and phase where the transfers in the way weigh least; stores kind and phase.
 * UINT32_MAX: there is no frame.
 */
static uint32_t weigh_phases(struct ejection *ejection, uint32_t transfer, uint32_t *frame)
{
	const struct ejection_kind *kind = ejection->kind;
	uint32_t phases = kind[0].phases + kind[1].phases, least = UINT32_MAX;
	uint32_t start = random_below(&ejection->random, phases);

	for (uint32_t i = 0; i < phases && least; i++) {
		uint32_t phase = (start + i) % phases, k = phase >= kind[0].phases, at, cost;

		phase -= k ? kind[0].phases : 0;
		cost = weigh_phase(ejection, &kind[k], transfer, phase, least, &at);
		if (cost >= least)
			continue;
		least = cost;
		*frame = at;
		ejection_put(ejection, transfer, k, phase, LIQUID_NONE);
	}
	return least;
}

/* False: there is no frame for it, and it waits. */
static bool place_cheapest(struct ejection *ejection, uint32_t transfer)
{
	uint32_t own[LIQUID_PATH_MAX];
	struct target to = { .kind = ejection->kind };

	if (ejection->kind->span) {
		to.cost = weigh_phases(ejection, transfer, &to.frame);
		to.cells = cells_of(ejection, transfer, own, &to.count);
	} else {
		to.cells = cells_of(ejection, transfer, own, &to.count);
		bar_alike(ejection, transfer, true);
		to.cost = weigh_kind(ejection, to.kind, to.cells, to.count, UINT32_MAX,
				     &to.frame);
		bar_alike(ejection, transfer, false);
	}
	if (to.cost == UINT32_MAX) {
		await_place(ejection, transfer);
		return false;
	}
	to.kind = &ejection->kind[ejection->item[transfer].kind];
	fetch_owners(ejection, &to);
	if (to.cost) {
		gain_weight(ejection, transfer);
		put_out_all(ejection, &to);
	}
	place(ejection, transfer, to.frame);
	return true;
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
		if (!place_cheapest(ejection, transfer))
			outcome = EJECTION_NO_FRAME;
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
	*length = ejection->kind->frames;
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
		frame[transfer] = ejection->kind->frames + at;
		if (frame[transfer] >= *length)
			*length = frame[transfer] + 1;
	}
	grid_clear(&rest);
	return LIQUID_OK;
}
