// SPDX-License-Identifier: LGPL-2.1-or-later
/* Exact covers of a base frame. */
#include <stdlib.h>
#include <string.h>

#include "problem/cover.h"

/* The noise of a rank is up to that of 6 cells; a cell that is not tight may count for more. */
#define RANK_CELL 4u
#define RANK_LOOSE 6u
#define RANK_NOISE 24u
/* The levels of a search have no more candidates in all than this many times the places. */
#define POOL_PLACES 8u

/* Bits of the counts of candidates. */
#define PLANES 5u

/* ---- sets of cells ---- */

static inline bool is_empty(const struct cell_set *set)
{
	return !(set->words[0] | set->words[1]);
}

static inline bool meets(const struct cell_set *a, const struct cell_set *b)
{
	struct cell_set common = { a->words & b->words };

	return !is_empty(&common);
}

static inline bool holds_all(const struct cell_set *set, const struct cell_set *cells)
{
	struct cell_set lacking = { cells->words & ~set->words };

	return is_empty(&lacking);
}

static inline bool has_cell(const struct cell_set *set, uint32_t cell)
{
	return set->words[cell / 64] >> cell % 64 & 1;
}

void cell_set_add(struct cell_set *set, uint32_t cell)
{
	set->words[cell / 64] |= 1ull << cell % 64;
}

/* ---- the problem of the cover ---- */

void cover_clear(struct cover *cover)
{
	free(cover->cells);
	free(cover->length);
	free(cover->rank);
	free(cover->pool);
	memset(cover, 0, sizeof(*cover));
}

bool cover_init(struct cover *cover, uint32_t orbits, const uint32_t *first_place,
		uint32_t modulus, uint64_t seed)
{
	size_t places = first_place[orbits];

	memset(cover, 0, sizeof(*cover));
	cover->orbits = orbits;
	cover->first_place = first_place;
	cover->modulus = modulus;
	cover->random.state = seed;
	cover->room = POOL_PLACES * (places + COVER_CELLS_MAX);
	cover->cells = calloc(places + 1, sizeof(*cover->cells));
	cover->length = calloc((size_t)orbits + 1, sizeof(*cover->length));
	cover->rank = calloc((size_t)orbits + 1, sizeof(*cover->rank));
	cover->pool = malloc(cover->room * sizeof(*cover->pool));
	if (cover->cells && cover->length && cover->rank && cover->pool)
		return true;
	cover_clear(cover);
	return false;
}

void cover_use(struct cover *cover, uint32_t orbit, uint32_t place, uint32_t cell)
{
	cell_set_add(&cover->cells[place], cell);
	if (place == cover->first_place[orbit]) {
		cover->length[orbit]++;
		cover->rank[orbit] += RANK_CELL;
	}
}

static uint32_t count_cells(const struct cell_set *set)
{
	return (uint32_t)(__builtin_popcountll(set->words[0]) +
			  __builtin_popcountll(set->words[1]));
}

void cover_rate(struct cover *cover)
{
	struct cell_set all = { { 0 } };

	for (uint32_t o = 0; o < cover->orbits; o++) {
		struct cell_set tight = cover->cells[cover->first_place[o]];

		tight.words &= cover->tight.words;
		cover->easy |= is_empty(&tight);
		cover->uses += cover->length[o];
		cover->rank[o] = RANK_LOOSE * cover->length[o] -
				 (RANK_LOOSE - RANK_CELL) * count_cells(&tight);
	}
	for (uint32_t p = 0; p < cover->first_place[cover->orbits]; p++)
		all.words |= cover->cells[p].words;
	cover->frame_cells = count_cells(&all);
}

bool cover_is_hard(const struct cover *cover, uint32_t orbit)
{
	return meets(&cover->cells[cover->first_place[orbit]], &cover->tight);
}

/* ---- the search ---- */

static uint32_t rank(struct cover *cover, uint32_t orbit)
{
	return 1 + cover->rank[orbit] + random_below(&cover->random, RANK_NOISE + 1);
}

static void choose(struct cover *cover, const struct candidate *candidate)
{
	cover->chosen[cover->chosen_count++] = *candidate;
}

/* Copy the candidates that @taken leaves to @to[], which may be @from[]; returns their number. */
static uint32_t narrow(struct cover *cover, const struct candidate *from, uint32_t count,
		       const struct candidate *taken, struct candidate *to)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++) {
		to[left] = from[i];
		left += !meets(&from[i].cells, &taken->cells) & (from[i].orbit != taken->orbit);
	}
	cover->work += count;
	return left;
}

/* Add orbits that still fit, long ones first. */
static void fill_up(struct cover *cover, struct candidate *from, uint32_t count)
{
	while (count) {
		struct candidate best = { .rank = 0 };

		for (uint32_t i = 0; i < count; i++) {
			from[i].rank = rank(cover, from[i].orbit);
			if (from[i].rank > best.rank)
				best = from[i];
		}
		cover->work += 4 * (uint64_t)count;
		choose(cover, &best);
		count = narrow(cover, from, count, &best, from);
	}
}

/*
 * Count the candidates of every cell: plane p has bit p of the counts of all cells. Counts stop at
 * the largest that the planes hold.
 */
static void count_choices(const struct candidate *from, uint32_t count, cell_words *plane)
{
	for (uint32_t i = 0; i < count; i++) {
		cell_words carry = from[i].cells.words, both;

		for (uint32_t p = 0; p < PLANES; p++) {
			both = plane[p] & carry;
			plane[p] ^= carry;
			carry = both;
		}
		for (uint32_t p = 0; p < PLANES; p++)
			plane[p] |= carry;
	}
}

/*
 * The first tight cell that is not @used with the fewest candidates; false if one has none. Planes
 * are taken from the highest: where some cell lacks that bit, those that have it are out.
 */
static bool find_scarcest(struct cover *cover, const struct candidate *from, uint32_t count,
			  const struct cell_set *used, uint32_t *cell)
{
	cell_words plane[PLANES] = { { 0 } }, any = { 0 };
	struct cell_set few, fewer;

	count_choices(from, count, plane);
	cover->work += 6 * (uint64_t)count + 20;
	few.words = cover->tight.words & ~used->words;
	for (uint32_t p = 0; p < PLANES; p++)
		any |= plane[p];
	fewer.words = few.words & ~any;
	if (!is_empty(&fewer))
		return false;
	for (uint32_t p = PLANES; p--;) {
		fewer.words = few.words & ~plane[p];
		if (!is_empty(&fewer))
			few = fewer;
	}
	*cell = few.words[0] ? (uint32_t)__builtin_ctzll(few.words[0]) :
			       64 + (uint32_t)__builtin_ctzll(few.words[1]);
	return true;
}

/* Copy the candidates that use @cell to @to[], by rank. */
static uint32_t list_options(struct cover *cover, const struct candidate *from, uint32_t count,
			     uint32_t cell, struct candidate *to)
{
	uint32_t options = 0, at;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t ranked;

		if (!has_cell(&from[i].cells, cell))
			continue;
		ranked = rank(cover, from[i].orbit);
		for (at = options++; at && to[at - 1].rank < ranked; at--)
			to[at] = to[at - 1];
		to[at] = from[i];
		to[at].rank = ranked;
		cover->work += 8;
	}
	cover->work += count;
	return options;
}

static void leave_out(struct candidate *from, uint32_t *count, uint32_t place)
{
	for (uint32_t i = 0; i < *count; i++)
		if (from[i].place == place) {
			from[i] = from[--*count];
			return;
		}
}

/* Cover the tight cells that are not @used; an option that failed is left out below. */
static bool descend(struct cover *cover, struct candidate *from, uint32_t count,
		    const struct cell_set *used)
{
	uint32_t cell, options, left;
	struct candidate *option = from + count, *next;

	if (holds_all(used, &cover->tight)) {
		fill_up(cover, from, count);
		return true;
	}
	if (!cover->nodes || option + 2 * (size_t)count > cover->pool + cover->room)
		return false;
	cover->nodes--;
	if (!find_scarcest(cover, from, count, used, &cell))
		return false;
	options = list_options(cover, from, count, cell, option);
	next = option + options;
	for (uint32_t i = 0; i < options && (!i || cover->nodes); i++) {
		struct cell_set more = { used->words | option[i].cells.words };

		choose(cover, &option[i]);
		left = narrow(cover, from, count, &option[i], next);
		if (descend(cover, next, left, &more))
			return true;
		cover->chosen_count--;
		leave_out(from, &count, option[i].place);
	}
	return false;
}

/* Orbits that use no tight cell fit later by chance only: begin with them every other time. */
static uint32_t first_orbit(struct cover *cover, const uint32_t *orbit, uint32_t orbits)
{
	uint32_t best = 0, first = orbit[0];
	bool hard = true, any = !cover->easy || random_below(&cover->random, 2);

	for (uint32_t i = 0; i < orbits; i++) {
		uint32_t ranked = rank(cover, orbit[i]);
		bool is_hard = any || cover_is_hard(cover, orbit[i]);

		if (is_hard > hard || (is_hard == hard && ranked <= best))
			continue;
		hard = is_hard;
		best = ranked;
		first = orbit[i];
	}
	cover->work += 2 * (uint64_t)orbits;
	return first;
}

/* A tile may be turned: the coset of one of its orbits is free to choose. */
bool cover_find(struct cover *cover, const uint32_t *orbit, uint32_t orbits, uint32_t nodes)
{
	const uint32_t *first_place = cover->first_place;
	struct candidate first = { .rank = 0 };
	uint32_t count = 0;

	cover->chosen_count = 0;
	cover->nodes = nodes;
	if (!orbits)
		return false;
	first.orbit = first_orbit(cover, orbit, orbits);
	first.place = first_place[first.orbit];
	first.cells = cover->cells[first.place];
	choose(cover, &first);
	for (uint32_t i = 0; i < orbits; i++)
		for (uint32_t p = first_place[orbit[i]];
		     orbit[i] != first.orbit && p < first_place[orbit[i] + 1]; p++)
			if (!meets(&cover->cells[p], &first.cells))
				cover->pool[count++] = (struct candidate){ cover->cells[p], p,
									   orbit[i], 0 };
	cover->work += 2 * (uint64_t)orbits * cover->modulus;
	return descend(cover, cover->pool, count, &first.cells);
}
