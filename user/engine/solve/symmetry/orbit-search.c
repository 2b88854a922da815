// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Placing each orbit by guided ejection
 *
 * Each item has a weight. An item that fits nowhere goes to the place where the items in its
 * way (victims) have the least total weight; these are removed and placed again later, and the
 * weight of the item grows.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/random.h"
#include "solve/symmetry/orbit.h"

/* Measured operations of a counted step. */
#define WORK_UNIT 2
#define VICTIMS_MAX 64
/* Places compared for one move. */
#define WEIGHED_MAX 4096u

struct base_frame {
	const struct orbit_kind *kind;
	bool heavy;			/* some place uses more than one grain of a cell */
	uint32_t first;			/* first frame of the schedule that it stands for */
	uint32_t *used;			/* by cell: grains in use */
	uint32_t *owner;		/* by cell and slot: item; used[] slots are valid */
	uint64_t *full;			/* by resource orbit: full cells, a bit for each coset */
};

struct orbit_search {
	const struct orbit_problem *problem;
	struct orbit_layout layout;
	struct random random;
	struct base_frame *frame;
	uint32_t frames, length;
	uint32_t closed;		/* base frames 0 ... closed - 1 stay as they are */
	uint32_t items;
	uint32_t *orbit;		/* by item */
	uint32_t *place, *at;		/* by item: its place in its base frame, or LIQUID_NONE */
	uint64_t *weight;		/* by item */
	uint32_t *queue, queued;	/* items without a place */
	uint64_t work;			/* operations not yet charged to the budget */
	struct orbit_eject *many;	/* the search for many items; then nothing else is used */
};

struct move {
	uint32_t frame, place;
	uint32_t victims, victim[VICTIMS_MAX];
	uint64_t cost;
};

void orbit_search_free(struct orbit_search *s)
{
	uint32_t f;

	if (!s)
		return;
	orbit_eject_free(s->many);
	for (f = 0; s->frame && f < s->frames; f++) {
		free(s->frame[f].used);
		free(s->frame[f].owner);
		free(s->frame[f].full);
	}
	free(s->frame);
	free(s->orbit);
	free(s->place);
	free(s->at);
	free(s->weight);
	free(s->queue);
	free(s);
}

/* A bit is a coset: coset c uses cell c modulo the number of the orbit's cells. */
static void mark(struct base_frame *frame, uint32_t cell, bool full)
{
	const struct orbit_kind *kind = frame->kind;
	uint32_t orbit = kind->cell_orbit[cell], c = cell - kind->first_cell[orbit];
	uint32_t cosets = kind->first_cell[orbit + 1] - kind->first_cell[orbit];

	for (; c < kind->modulus; c += cosets)
		if (full)
			frame->full[orbit] |= 1ull << c;
		else
			frame->full[orbit] &= ~(1ull << c);
}

static bool init_frame(struct base_frame *frame, const struct orbit_kind *kind, uint32_t orbits,
		       uint32_t first)
{
	uint32_t c;

	frame->kind = kind;
	frame->first = first;
	frame->used = calloc(kind->cells + 1, sizeof(*frame->used));
	frame->owner = calloc(kind->first_slot[kind->cells] + 1, sizeof(*frame->owner));
	frame->full = calloc(orbits + 1, sizeof(*frame->full));
	if (!frame->used || !frame->owner || !frame->full)
		return false;
	for (c = 0; c < kind->cells; c++)
		if (!kind->capacity[c])
			mark(frame, c, true);
	return true;
}

static bool is_heavy(const struct orbit_kind *kind)
{
	uint32_t p, i, j;

	for (p = 0; p < kind->places; p++)
		for (i = kind->first_use[p]; i < kind->first_use[p + 1]; i++)
			for (j = kind->first_use[p]; j < i; j++)
				if (kind->use[i] == kind->use[j])
					return true;
	return false;
}

static bool init_frames(struct orbit_search *s)
{
	const struct orbit_layout *layout = &s->layout;
	uint32_t k, i, f = 0;

	for (k = 0; k < layout->kinds; k++)
		s->frames += layout->frames[k];
	s->frame = calloc(s->frames + 1, sizeof(*s->frame));
	if (!s->frame)
		return false;
	for (k = 0; k < layout->kinds; k++) {
		bool heavy = is_heavy(layout->kind[k]);

		for (i = 0; i < layout->frames[k]; i++, f++) {
			if (!init_frame(&s->frame[f], layout->kind[k],
					s->problem->resource_orbits.count, s->length))
				return false;
			s->frame[f].heavy = heavy;
			s->length += layout->kind[k]->modulus * layout->repeat;
		}
	}
	return true;
}

/* Copies of each unit of @orbit in one of its items; 0: kinds differ. */
static uint32_t item_copies(const struct orbit_layout *layout, uint32_t orbit)
{
	uint32_t copies = 0, k;

	for (k = 0; k < layout->kinds; k++) {
		uint32_t n = layout->kind[k]->modulus / layout->kind[k]->unit_cosets[orbit];

		if (copies && n != copies)
			return 0;
		copies = n;
	}
	return copies * layout->repeat;
}

static bool init_items(struct orbit_search *s)
{
	const struct orbit_problem *problem = s->problem;
	uint32_t orbits = problem->unit_orbits.count, o, k, n, each;
	uint64_t items = 0;

	for (o = 0; o < orbits; o++) {
		each = item_copies(&s->layout, o);
		n = problem->units->pairs[problem->unit_orbits.sample[o]].count;
		items += each ? (n + each - 1) / each : 0;
	}
	if (items >= UINT32_MAX)
		return false;
	s->orbit = calloc(items + 1, sizeof(*s->orbit));
	s->place = calloc(items + 1, sizeof(*s->place));
	s->at = calloc(items + 1, sizeof(*s->at));
	s->weight = calloc(items + 1, sizeof(*s->weight));
	s->queue = calloc(items + 1, sizeof(*s->queue));
	if (!s->orbit || !s->place || !s->at || !s->weight || !s->queue)
		return false;
	for (o = 0; o < orbits; o++) {
		each = item_copies(&s->layout, o);
		n = problem->units->pairs[problem->unit_orbits.sample[o]].count;
		for (k = 0; each && k < (n + each - 1) / each; k++)
			s->orbit[s->items++] = o;
	}
	return true;
}

static uint32_t uses(const struct orbit_kind *kind, uint32_t orbit)
{
	uint32_t place = kind->first_place[orbit];

	return kind->first_use[place + 1] - kind->first_use[place];
}

/* Sort by size, ascending: items are taken from the end of the queue. */
static bool fill_queue(struct orbit_search *s)
{
	const struct orbit_kind *kind = s->layout.kind[0];
	uint32_t most = 0, o, i, size;

	for (o = 0; o < s->problem->unit_orbits.count; o++)
		most = uses(kind, o) > most ? uses(kind, o) : most;
	for (size = 0; size <= most; size++)
		for (i = 0; i < s->items; i++)
			if (uses(kind, s->orbit[i]) == size)
				s->queue[s->queued++] = i;
	for (i = 0; i < s->items; i++) {
		s->at[i] = LIQUID_NONE;
		s->weight[i] = 1;
	}
	return true;
}

int orbit_search_new(const struct orbit_problem *problem, const struct orbit_layout *layout,
		     uint64_t seed, struct orbit_search **search, struct liquid_error *err)
{
	struct orbit_search *s = calloc(1, sizeof(*s));

	*search = NULL;
	if (s && orbit_eject_suits(problem, layout)) {
		int status;

		s->problem = problem;
		status = orbit_eject_new(problem, layout, seed, &s->many, err);
		if (status)
			orbit_search_free(s);
		else
			*search = s;
		return status;
	}
	if (s) {
		s->problem = problem;
		s->layout = *layout;
		s->random.state = seed;
		if (init_frames(s) && init_items(s) && fill_queue(s)) {
			*search = s;
			return LIQUID_OK;
		}
	}
	orbit_search_free(s);
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the search over orbits");
}

/* ---- frames ---- */

static uint32_t grains(const struct base_frame *frame, uint32_t place, uint32_t cell)
{
	const struct orbit_kind *kind = frame->kind;
	uint32_t i, n = 0;

	if (kind->mask) {
		n = kind->mask[(size_t)place * kind->words + cell / 64] >> cell % 64 & 1;
		if (!frame->heavy || !n)
			return n;
		n = 0;
	}
	for (i = kind->first_use[place]; i < kind->first_use[place + 1]; i++)
		n += kind->use[i] == cell;
	return n;
}

static void put(struct orbit_search *s, uint32_t item, uint32_t f, uint32_t place)
{
	struct base_frame *frame = &s->frame[f];
	const struct orbit_kind *kind = frame->kind;
	uint32_t i, c;

	s->at[item] = f;
	s->place[item] = place;
	for (i = kind->first_use[place]; i < kind->first_use[place + 1]; i++) {
		c = kind->use[i];
		frame->owner[kind->first_slot[c] + frame->used[c]] = item;
		if (++frame->used[c] == kind->capacity[c])
			mark(frame, c, true);
	}
}

/* Remove @item from the slots of a cell; @rest slots stay in use. */
static void leave_slot(uint32_t *slot, uint32_t rest, uint32_t item)
{
	uint32_t i;

	for (i = 0; slot[i] != item; i++)
		;
	slot[i] = slot[rest];
}

static void put_out(struct orbit_search *s, uint32_t item)
{
	struct base_frame *frame = &s->frame[s->at[item]];
	const struct orbit_kind *kind = frame->kind;
	uint32_t place = s->place[item], i, c;

	for (i = kind->first_use[place]; i < kind->first_use[place + 1]; i++) {
		c = kind->use[i];
		if (frame->used[c]-- == kind->capacity[c])
			mark(frame, c, false);
		leave_slot(frame->owner + kind->first_slot[c], frame->used[c], item);
	}
	s->at[item] = LIQUID_NONE;
	s->queue[s->queued++] = item;
}

void orbit_search_close(struct orbit_search *s, uint32_t frames, const uint32_t *frame,
			const uint32_t *place)
{
	uint32_t i, kept = 0;

	s->closed = frames;
	for (i = 0; i < s->queued; i++) {
		uint32_t item = s->queue[i], orbit = s->orbit[item];

		if (frame[orbit] < frames)
			put(s, item, frame[orbit], place[orbit]);
		else
			s->queue[kept++] = item;
	}
	s->queued = kept;
}

/* ---- moves ---- */

static bool is_victim(const struct move *move, uint32_t item)
{
	uint32_t i;

	for (i = 0; i < move->victims; i++)
		if (move->victim[i] == item)
			return true;
	return false;
}

/* The lightest item in @cell of @frame that is not a victim yet. */
static uint32_t least_weight(struct orbit_search *s, const struct base_frame *frame, uint32_t cell,
			      const struct move *move)
{
	const uint32_t *slot = frame->owner + frame->kind->first_slot[cell];
	uint32_t best = LIQUID_NONE, i;

	for (i = 0; i < frame->used[cell]; i++)
		if ((best == LIQUID_NONE || s->weight[slot[i]] < s->weight[best]) &&
		    !is_victim(move, slot[i]))
			best = slot[i];
	s->work += frame->used[cell];
	return best;
}

/* Grains that @cell lacks for the move after the victims are removed. */
static uint32_t lack(const struct orbit_search *s, const struct base_frame *frame, uint32_t cell,
		     const struct move *move)
{
	uint32_t need = frame->used[cell] + grains(frame, move->place, cell), i;

	for (i = 0; i < move->victims && need > frame->kind->capacity[cell]; i++)
		need -= grains(frame, s->place[move->victim[i]], cell);
	return need > frame->kind->capacity[cell] ? need - frame->kind->capacity[cell] : 0;
}

static bool add_victim(const struct orbit_search *s, struct move *move, uint32_t victim,
		       uint64_t bound)
{
	move->cost += s->weight[victim];
	if (move->cost >= bound || move->victims == VICTIMS_MAX)
		return false;
	move->victim[move->victims++] = victim;
	return true;
}

/* Add victims to make room in @cell; false if impossible, or at a cost of @bound or more. */
static inline __attribute__((always_inline))
bool clear_cell(struct orbit_search *s, struct move *move, uint32_t cell, uint64_t bound)
{
	const struct base_frame *frame = &s->frame[move->frame];
	uint32_t victim;

	s->work += 2;
	if (frame->kind->capacity[cell] == 1) {
		victim = frame->owner[frame->kind->first_slot[cell]];
		return is_victim(move, victim) || add_victim(s, move, victim, bound);
	}
	while (lack(s, frame, cell, move)) {
		victim = least_weight(s, frame, cell, move);
		if (victim == LIQUID_NONE || !add_victim(s, move, victim, bound))
			return false;
	}
	return true;
}

/* Find the victims of @move; false if impossible, or at a cost of @bound or more. */
static bool weigh(struct orbit_search *s, struct move *move, uint64_t bound)
{
	const struct base_frame *frame = &s->frame[move->frame];
	const struct orbit_kind *kind = frame->kind;
	uint32_t i, cell;

	move->victims = 0;
	move->cost = 0;
	for (i = kind->first_use[move->place]; i < kind->first_use[move->place + 1]; i++) {
		cell = kind->use[i];
		if (frame->used[cell] < kind->capacity[cell] &&
		    (!frame->heavy || kind->capacity[cell] == 1))
			continue;
		if (!clear_cell(s, move, cell, bound))
			return false;
	}
	return true;
}

/* Whether @place has room, if it may use more than one grain of a cell. */
static bool heavy_fits(const struct base_frame *frame, uint32_t place)
{
	const struct orbit_kind *kind = frame->kind;
	uint32_t i;

	for (i = kind->first_use[place]; i < kind->first_use[place + 1]; i++)
		if (frame->used[kind->use[i]] + grains(frame, place, kind->use[i]) >
		    kind->capacity[kind->use[i]])
			return false;
	return true;
}

/* The cosets at which the cell of turn @i is full: the cell depends on the coset. */
static uint64_t full_cosets(const struct base_frame *frame, uint32_t i)
{
	const struct orbit_kind *kind = frame->kind;
	uint64_t word = frame->full[kind->turn_orbit[i]];
	uint32_t shift = kind->turn[i];

	return shift ? word >> shift | word << (kind->modulus - shift) : word;
}

/* The cosets at which @orbit uses no full cell. */
static uint64_t free_cosets(struct orbit_search *s, const struct base_frame *frame, uint32_t orbit)
{
	const struct orbit_kind *kind = frame->kind;
	uint64_t full = 0;
	uint32_t i;

	for (i = kind->first_turn[orbit]; i < kind->first_turn[orbit + 1]; i++)
		full |= full_cosets(frame, i);
	s->work += 2 * (i - kind->first_turn[orbit]) + 4;
	return ~full & (kind->unit_cosets[orbit] < 64 ? (1ull << kind->unit_cosets[orbit]) - 1 :
			~0ull);
}

/* The first bit of @set from @from on, cyclically. */
static uint32_t next_bit(uint64_t set, uint32_t from)
{
	uint64_t above = set & ~0ull << from;

	return (uint32_t)__builtin_ctzll(above ? above : set);
}

/* Open frames are numbered from 0: the one of number @i, counted cyclically from @start. */
static uint32_t turned(const struct orbit_search *s, uint32_t start, uint32_t i)
{
	uint32_t open = s->frames - s->closed;

	return s->closed + (start + i < open ? start + i : start + i - open);
}

/* Find a place with room, starting at random. */
static bool find_free(struct orbit_search *s, uint32_t orbit, struct move *move)
{
	uint32_t open = s->frames - s->closed, start = random_below(&s->random, open), i;
	uint64_t turn = random_next(&s->random);

	move->victims = 0;
	for (i = 0; i < open; i++) {
		const struct base_frame *frame = &s->frame[turned(s, start, i)];
		uint64_t set;

		if (!frame->kind->fits[orbit])
			continue;
		move->frame = turned(s, start, i);
		for (set = free_cosets(s, frame, orbit); set; set &= ~(1ull << (move->place -
						frame->kind->first_place[orbit]))) {
			move->place = frame->kind->first_place[orbit] +
				      next_bit(set, turn % frame->kind->unit_cosets[orbit]);
			if (!frame->heavy || heavy_fits(frame, move->place))
				return true;
		}
	}
	return false;
}

static void keep_move(struct move *best, const struct move *move)
{
	best->frame = move->frame;
	best->place = move->place;
	best->victims = move->victims;
	best->cost = move->cost;
	memcpy(best->victim, move->victim, move->victims * sizeof(*move->victim));
}

/* weigh() for places that use a cell at most once; @full[]: the cosets at which each is full. */
static bool weigh_full(struct orbit_search *s, struct move *move, const uint64_t *full,
		       uint32_t coset, uint64_t bound)
{
	const struct base_frame *frame = &s->frame[move->frame];
	const struct orbit_kind *kind = frame->kind;
	uint32_t first = kind->first_use[move->place];
	uint32_t cells = kind->first_use[move->place + 1] - first;

	move->victims = 0;
	move->cost = 0;
	for (uint32_t i = 0; i < cells; i++)
		if ((full[i] >> coset & 1) && !clear_cell(s, move, kind->use[first + i], bound))
			return false;
	return true;
}

static void weigh_set(struct orbit_search *s, uint32_t orbit, uint32_t f, uint64_t set,
		      uint32_t turn, struct move *best)
{
	const struct base_frame *frame = &s->frame[f];
	const struct orbit_kind *kind = frame->kind;
	uint32_t first = kind->first_turn[orbit], cells = kind->first_turn[orbit + 1] - first;
	uint64_t full[LIQUID_PATH_MAX];
	struct move move;

	move.frame = f;
	for (uint32_t i = 0; i < cells && !frame->heavy; i++)
		full[i] = full_cosets(frame, first + i);
	while (set) {
		uint32_t coset = next_bit(set, turn);

		set &= ~(1ull << coset);
		move.place = kind->first_place[orbit] + coset;
		s->work += 4;
		if (frame->heavy ? weigh(s, &move, best->cost) :
		    weigh_full(s, &move, full, coset, best->cost))
			keep_move(best, &move);
	}
}

/* Find the place with the least cost, starting at random. */
static bool find_cheapest(struct orbit_search *s, uint32_t orbit, struct move *best)
{
	uint32_t open = s->frames - s->closed, start = random_below(&s->random, open);
	uint32_t weighed = 0, i;
	uint64_t turn = random_next(&s->random);

	best->cost = UINT64_MAX;
	for (i = 0; i < open && weighed < WEIGHED_MAX; i++) {
		uint32_t f = turned(s, start, i);
		const struct orbit_kind *kind = s->frame[f].kind;
		uint32_t cosets = kind->unit_cosets[orbit];

		if (!kind->fits[orbit])
			continue;
		weigh_set(s, orbit, f, cosets < 64 ? (1ull << cosets) - 1 : ~0ull,
			  (uint32_t)(turn % cosets), best);
		weighed += cosets;
	}
	return best->cost != UINT64_MAX;
}

static bool place_next(struct orbit_search *s)
{
	uint32_t item, i;
	struct move move;

	item = s->queue[--s->queued];
	if (!find_free(s, s->orbit[item], &move)) {
		s->weight[item]++;
		if (!find_cheapest(s, s->orbit[item], &move)) {
			s->queue[s->queued++] = item;
			return false;
		}
		for (i = 0; i < move.victims; i++)
			put_out(s, move.victim[i]);
	}
	put(s, item, move.frame, move.place);
	return true;
}

uint32_t orbit_search_run(struct orbit_search *s, struct budget *budget)
{
	if (s->many)
		return orbit_eject_run(s->many, budget);
	while (s->queued && budget_spend(budget, WORK_UNIT * s->work)) {
		s->work = 50;
		if (!place_next(s))
			break;
	}
	s->work = 0;
	return s->queued;
}

/* ---- the plan ---- */

/* Add the units of an orbit's item to the plan; a unit without copies left is omitted. */
static bool plan_item(const struct orbit_search *s, uint32_t item, uint32_t *left,
		      struct unit_plan *plan)
{
	const struct orbits *orbits = &s->problem->unit_orbits;
	const struct base_frame *frame = &s->frame[s->at[item]];
	const struct orbit_kind *kind = frame->kind;
	uint32_t orbit = s->orbit[item], cosets = kind->unit_cosets[orbit], i, c, r;
	uint32_t place = s->place[item] - kind->first_place[orbit];

	for (i = left[s->problem->units->pair_count + orbit]; i < orbits->size[orbit] +
	     left[s->problem->units->pair_count + orbit]; i++) {
		uint32_t x = orbits->next[i];

		for (r = 0; r < s->layout.repeat; r++)
			for (c = (kind->unit_potential[x] + cosets - place) % cosets;
			     c < kind->modulus; c += cosets) {
				if (!left[x])
					continue;
				left[x]--;
				if (!unit_plan_add(plan, frame->first + r * kind->modulus + c, x,
						   1))
					return false;
			}
	}
	return true;
}

int orbit_search_plan(const struct orbit_search *s, struct unit_plan *plan,
		      struct liquid_error *err)
{
	const struct routes *units = s->problem->units;
	const struct orbits *orbits = &s->problem->unit_orbits;
	uint32_t *left, i, begin = 0;
	bool memory;

	if (s->many)
		return orbit_eject_plan(s->many, plan, err);
	left = calloc((size_t)units->pair_count + orbits->count + 1, sizeof(*left));
	memory = left;
	plan->entries = 0;
	plan->frames = s->length;
	if (memory) {
		routes_counts(units, left);
		for (i = 0; i < orbits->count; begin += orbits->size[i++])
			left[units->pair_count + i] = begin;
	}
	for (i = 0; i < s->items && memory; i++)
		memory = plan_item(s, i, left, plan);
	free(left);
	if (!memory)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the frames");
	return LIQUID_OK;
}
