// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tile: all base frames as exact covers
 *
 * Where several dimensions are tight in both directions, placing one orbit after the other ends
 * with many frames that each lack a few cells, whatever is displaced. Exact covers of one frame
 * at a time are found in microseconds. Tilings with several maps of the translations onto the
 * integers modulo t take turns, until one holds all orbits.
 */
#include <stdlib.h>

#include "problem/divisor.h"
#include "solve/methods.h"
#include "solve/symmetry/cover-kind.h"
#include "solve/symmetry/structure.h"
#include "problem/tiling.h"

/* product needs no more phases than points for rings of up to so many. */
#define EASY_ORDER 7u
/* Maps that take turns. */
#define MAPS_MAX 3u
/* The first turn of a map, operations for each place; the next one is twice as long. */
#define TURN_WORK UINT64_C(8192)
/* What no tiling holds by then is for compact, which places the rest beside the tiles. */
#define TURNS 2u

struct map {
	struct orbit_kind kind;
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
};

static void map_clear(struct map *map)
{
	orbit_kind_clear(&map->kind);
	tiling_clear(&map->tiling);
}

static void method_clear(struct tile_method *m)
{
	for (uint32_t i = 0; i < MAPS_MAX; i++)
		map_clear(&m->map[i]);
	orbit_problem_clear(&m->problem);
	free(m);
}

static int out_of_memory(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the tilings");
}

/* ---- maps ---- */

/*
 * The generators map to powers of @unit: no dimension is then mapped onto fewer cosets than its
 * order allows.
 */
static int add_map(struct tile_method *m, uint32_t unit, struct liquid_error *err)
{
	struct map *map = &m->map[m->maps];
	uint32_t weight[SYMMETRY_GENERATORS_MAX] = { 0 }, power = 1;
	bool useful;
	int status;

	for (uint32_t g = 0; g < m->symmetry->generators; g++) {
		weight[g] = power;
		power = power * unit % m->modulus;
	}
	status = orbit_kind_init(&map->kind, &m->problem, m->modulus, weight, &useful, err);
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

/* ---- the plan ---- */

static bool make_plan(const struct tile_method *m, const struct map *map, uint32_t *left,
		      struct unit_plan *plan)
{
	const struct tiling_state *best = &map->tiling.best;
	bool memory = true;

	plan->frames = m->modulus * m->frames;
	routes_counts(m->problem.units, left);
	for (uint32_t o = 0; memory && o < m->problem.unit_orbits.count; o++) {
		struct orbit_place place = {
			.kind = &map->kind, .orbit = o, .repeat = 1,
			.coset = best->place[o] - map->kind.first_place[o],
			.first = best->frame[o] * m->modulus,
		};

		memory = orbit_plan_add(&m->problem, &place, left, plan);
	}
	return memory;
}

static int offer(const struct tile_method *m, const struct map *map, struct liquid_error *err)
{
	uint32_t *left = calloc((size_t)m->problem.units->pair_count + 1, sizeof(*left));
	struct unit_plan plan = { 0 };
	int status = left && make_plan(m, map, left, &plan) ?
		     quotient_offer(m->solving, m->quotient, &plan, err) : out_of_memory(err);

	unit_plan_clear(&plan);
	free(left);
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

/* Where less than half of the frames can be tiled, tilings do not help. */
static int search_tilings(struct tile_method *m, struct liquid_error *err)
{
	uint64_t work = TURN_WORK * m->map[0].kind.places;

	for (uint32_t turn = 0; turn < TURNS; turn++, work *= 2) {
		struct map *best;

		if (!budget_left(m->solving->budget) || solving_done(m->solving))
			break;
		take_turns(m, work, &best);
		if (!best->tiling.best.left)
			return offer(m, best, err);
		if (best->tiling.best.tiled < m->frames / 2)
			break;
	}
	return LIQUID_OK;
}

int method_tile(struct solving *solving, struct liquid_error *err)
{
	struct tile_method *m = calloc(1, sizeof(*m));
	int status;

	if (!m)
		return out_of_memory(err);
	m->solving = solving;
	status = prepare(m, err);
	if (!status)
		status = search_tilings(m, err);
	method_clear(m);
	return status;
}
