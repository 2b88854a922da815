// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tile: base frames that are exact covers, and a search for the orbits that are left
 *
 * Where several dimensions are tight in both directions, placing one orbit after the other ends
 * with many frames that each lack a few cells, whatever is displaced. Exact covers of one frame
 * at a time are found in microseconds. Tilings with several maps of the translations onto the
 * integers modulo t take turns. When no tiling holds all orbits, the tiled frames stay, and the
 * other orbits are placed in as few more frames as a search can find.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "solve/methods.h"
#include "solve/symmetry/cover-kind.h"
#include "solve/symmetry/structure.h"
#include "problem/tiling.h"

/* product needs no more phases than points for rings of up to so many. */
#define EASY_ORDER 7u
/* Maps that take turns. */
#define MAPS_MAX 3u
/* The first turn of a map, operations for each place; the next ones are twice as long. */
#define TURN_WORK UINT64_C(8192)
/* A search for the orbits left gets this part of a turn. */
#define REST_PARTS 8u
/* Frames of the rest beyond the duration, in base frames. */
#define LONGER_MAX 4u
/* Kinds of base frames for the rest: more than the divisors that a modulus has. */
#define PARTS_MAX 16u

/*
 * Tiles that are opened for the rest. Few orbits left are placed best by opening none; an opened
 * tile helps where what is longer by little is easy to fill by displacements.
 */
static const uint32_t openings[] = { 0, 4, 16 };
#define OPENINGS ((uint32_t)(sizeof(openings) / sizeof(openings[0])))

struct map {
	struct orbit_kind kind;
	struct orbit_kind part[PARTS_MAX];	/* with divisors of t; modulus 0: unused */
	uint32_t unit;			/* generator g maps to the g-th power of it, modulo t */
	struct tiling tiling;
};

struct tile_method {
	struct solving *solving;
	const struct quotient *quotient;
	const struct symmetry *symmetry;
	struct orbit_problem problem;
	uint32_t modulus, frames;	/* t, and base frames of the duration */
	struct map map[MAPS_MAX];
	uint32_t maps;
	uint64_t seed;			/* of the next search for a rest */
	uint32_t length;		/* best one offered; 0: none */
	struct unit_plan plan;
};

static void map_clear(struct map *map)
{
	orbit_kind_clear(&map->kind);
	for (uint32_t i = 0; i < PARTS_MAX; i++)
		orbit_kind_clear(&map->part[i]);
	tiling_clear(&map->tiling);
}

static void method_clear(struct tile_method *m)
{
	for (uint32_t i = 0; i < MAPS_MAX; i++)
		map_clear(&m->map[i]);
	orbit_problem_clear(&m->problem);
	unit_plan_clear(&m->plan);
	free(m);
}

static int out_of_memory(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the tilings");
}

/* ---- maps ---- */

/*
 * The generators map to powers of a unit modulo @modulus: no dimension is then mapped onto
 * fewer cosets than its order allows.
 */
static int make_kind(const struct tile_method *m, uint32_t modulus, uint32_t unit,
		     struct orbit_kind *kind, bool *useful, struct liquid_error *err)
{
	uint32_t factor[SYMMETRY_GENERATORS_MAX] = { 0 }, power = 1;

	for (uint32_t g = 0; g < m->symmetry->generators; g++) {
		factor[g] = modulus / common_divisor(modulus, m->symmetry->order[g]) * power %
			    modulus;
		power = power * unit % modulus;
	}
	return orbit_kind_init(kind, &m->problem, modulus, factor, useful, err);
}

static int add_map(struct tile_method *m, uint32_t unit, struct liquid_error *err)
{
	struct map *map = &m->map[m->maps];
	bool useful;
	int status = make_kind(m, m->modulus, unit, &map->kind, &useful, err);

	if (status || !useful)
		return status;
	if (!cover_suits(&m->problem, &map->kind, m->frames)) {
		orbit_kind_clear(&map->kind);
		return LIQUID_OK;
	}
	if (!tiling_init(&map->tiling, m->problem.unit_orbits.count, map->kind.first_place,
			 m->modulus, m->frames, m->solving->seed + m->maps) ||
	    !cover_fill(&map->tiling.cover, &m->problem, &map->kind, m->frames))
		return out_of_memory(err);
	map->unit = unit;
	m->maps++;
	return LIQUID_OK;
}

/*
 * Unit 1 comes last: with a modulus of 4 n + 2, no tiling was found with it. With one generator,
 * all units are equivalent.
 */
static int add_maps(struct tile_method *m, struct liquid_error *err)
{
	uint32_t first = m->symmetry->generators > 1 ? 2 : m->modulus + 1;
	int status = LIQUID_OK;

	for (uint32_t unit = first; !status && unit <= m->modulus + 1 && m->maps < MAPS_MAX;
	     unit++)
		if (common_divisor(unit, m->modulus) == 1)
			status = add_map(m, unit % m->modulus, err);
	return status;
}

/* The largest order of a cyclic group onto which the translations map. */
static uint32_t largest_modulus(const struct symmetry *symmetry)
{
	uint64_t common = 1;

	for (uint32_t g = 0; g < symmetry->generators; g++) {
		uint32_t order = symmetry->order[g];

		common = common / common_divisor((uint32_t)common, order) * order;
		if (common > ORBIT_MODULUS_MAX)
			return 0;
	}
	return (uint32_t)common;
}

/* Rings up to 7, with one longer one at most, are liquid by their dimensions one by one. */
static bool is_easy(const struct symmetry *symmetry)
{
	uint32_t longer = 0;

	for (uint32_t g = 0; g < symmetry->generators; g++)
		longer += symmetry->order[g] > EASY_ORDER;
	return longer < 2;
}

static int unfit(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "tile: no translations divide a tight all-to-all into base frames");
}

/* Fails with LIQUID_BAD_INPUT if no tiling is possible. */
static int prepare(struct tile_method *m, struct liquid_error *err)
{
	uint32_t duration;
	int status = structure_translations(m->solving, &m->quotient, &m->symmetry, err);

	if (status)
		return status;
	if (!m->symmetry || is_easy(m->symmetry))
		return unfit(err);
	duration = m->quotient->units.duration;
	m->modulus = largest_modulus(m->symmetry);
	if (m->modulus < 2 || duration % m->modulus)
		return unfit(err);
	m->frames = duration / m->modulus;
	status = orbit_problem_init(&m->problem, &m->quotient->units, m->symmetry, err);
	if (!status)
		status = add_maps(m, err);
	return status || m->maps ? status : unfit(err);
}

/* ---- the rest ---- */

/* Find or make the kind of @map with @modulus; NULL in *@kind: there is none. */
static int find_part(const struct tile_method *m, struct map *map, uint32_t modulus,
		     const struct orbit_kind **kind, struct liquid_error *err)
{
	uint32_t i = 0;
	bool useful;
	int status = LIQUID_OK;

	*kind = NULL;
	while (map->part[i].modulus && map->part[i].modulus != modulus)
		i++;
	if (!map->part[i].modulus && i < PARTS_MAX - 1)
		status = make_kind(m, modulus, map->unit % modulus, &map->part[i], &useful, err);
	if (!status && map->part[i].modulus)
		*kind = &map->part[i];
	return status;
}

/* Whether both kinds divide each orbit in the same way. */
static bool divide_alike(const struct tile_method *m, const struct orbit_kind *a,
			 const struct orbit_kind *b)
{
	for (uint32_t o = 0; o < m->problem.unit_orbits.count; o++)
		if ((uint64_t)a->unit_cosets[o] * b->modulus !=
		    (uint64_t)b->unit_cosets[o] * a->modulus)
			return false;
	return true;
}

/*
 * The layout of @length frames. *@good is false if what is left of a base frame has no common
 * divisor with the modulus, or orbits do not divide evenly.
 */
static int lay_out(struct tile_method *m, struct map *map, uint32_t length,
		   struct orbit_layout *layout, bool *good, struct liquid_error *err)
{
	uint32_t rest = length % m->modulus, part = common_divisor(rest, m->modulus);
	const struct orbit_kind *kind = NULL;
	int status = LIQUID_OK;

	*layout = (struct orbit_layout){ .kinds = 1, .kind = { &map->kind },
					 .frames = { length / m->modulus }, .repeat = 1 };
	if (rest && part > 1)
		status = find_part(m, map, part, &kind, err);
	*good = !rest || (kind && divide_alike(m, &map->kind, kind));
	if (kind) {
		layout->kind[layout->kinds] = kind;
		layout->frames[layout->kinds++] = rest / part;
	}
	return status;
}

static int offer(struct tile_method *m, const struct orbit_search *search, uint32_t length,
		 struct liquid_error *err)
{
	int status = orbit_search_plan(search, &m->plan, err);

	m->length = length;
	return status ? status : quotient_offer(m->solving, m->quotient, &m->plan, err);
}

/* Place the orbits left by @map and those of @opened tiles in frames of @length. */
static int search_rest(struct tile_method *m, struct map *map, uint32_t length, uint32_t opened,
		       uint64_t work, bool *found, struct liquid_error *err)
{
	const struct tiling_state *best = &map->tiling.best;
	uint32_t closed = best->tiled > opened ? best->tiled - opened : 0;
	struct orbit_search *search = NULL;
	struct orbit_layout layout;
	uint64_t outer;
	bool good;
	int status = lay_out(m, map, length, &layout, &good, err);

	*found = false;
	if (status || !good)
		return status;
	status = orbit_search_new(&m->problem, &layout, m->seed++, &search, err);
	if (status)
		return status;
	orbit_search_close(search, closed, best->frame, best->place);
	outer = budget_narrow(m->solving->budget, work);
	*found = !orbit_search_run(search, m->solving->budget);
	budget_widen(m->solving->budget, outer);
	if (*found)
		status = offer(m, search, length, err);
	orbit_search_free(search);
	return status;
}

static int try_length(struct tile_method *m, struct map *map, uint32_t length, uint64_t work,
		      bool *found, struct liquid_error *err)
{
	int status = LIQUID_OK;

	*found = false;
	for (uint32_t i = 0; i < OPENINGS && !status && !*found; i++)
		status = search_rest(m, map, length, openings[i], work / OPENINGS, found, err);
	return status;
}

/* Try lengths below the best one offered, the shortest first. */
static int place_rest(struct tile_method *m, struct map *map, uint64_t work,
		      struct liquid_error *err)
{
	uint32_t duration = m->modulus * m->frames, length = duration + !!map->tiling.best.left;
	uint32_t most = m->length ? m->length : duration + LONGER_MAX * m->modulus + 1;
	bool found = false;
	int status = LIQUID_OK;

	for (; !status && !found && length < most; length++)
		status = try_length(m, map, length, work, &found, err);
	return status;
}

/* ---- turns ---- */

/* Give each map a turn of @work; *@best is the map with the best tiling. */
static void take_turns(struct tile_method *m, uint64_t work, struct map **best)
{
	struct budget *budget = m->solving->budget;

	*best = &m->map[0];
	for (uint32_t i = 0; i < m->maps && (*best)->tiling.best.left; i++) {
		uint64_t outer = budget_narrow(budget, work);

		tiling_run(&m->map[i].tiling, budget);
		budget_widen(budget, outer);
		if (tiling_is_better(&m->map[i].tiling, &(*best)->tiling))
			*best = &m->map[i];
	}
}

static uint64_t first_turn(const struct tile_method *m)
{
	return TURN_WORK * m->map[0].kind.places;
}

/* Where less than half of the frames can be tiled, tilings do not help. */
static int search_tilings(struct tile_method *m, struct liquid_error *err)
{
	struct budget *budget = m->solving->budget;
	uint64_t turn = first_turn(m);
	int status = LIQUID_OK;

	for (; !status && budget_left(budget) && !solving_done(m->solving); turn *= 2) {
		struct map *best;

		take_turns(m, turn, &best);
		if (best->tiling.best.tiled < m->frames / 2)
			break;
		status = place_rest(m, best, turn / REST_PARTS, err);
	}
	return status;
}

int method_tile(struct solving *solving, struct liquid_error *err)
{
	struct tile_method *m = calloc(1, sizeof(*m));
	int status;

	if (!m)
		return out_of_memory(err);
	m->solving = solving;
	m->seed = solving->seed;
	status = prepare(m, err);
	if (!status)
		status = search_tilings(m, err);
	method_clear(m);
	return status;
}
