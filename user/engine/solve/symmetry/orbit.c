// SPDX-License-Identifier: LGPL-2.1-or-later
/* Orbits of a group of translations, and the reduced problem of a subgroup. */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "solve/symmetry/orbit.h"

/* Limit of the cells of all places: larger tables cost more than they save. */
#define TABLE_MAX (UINT64_C(1) << 26)

static void *array(uint64_t count, size_t size)
{
	return calloc(count + 1, size);
}

static void orbits_clear(struct orbits *orbits)
{
	free(orbits->of);
	free(orbits->size);
	free(orbits->first);
	free(orbits->sample);
	free(orbits->next);
	free(orbits->from);
	free(orbits->by);
	memset(orbits, 0, sizeof(*orbits));
}

/* Trace the orbit of @start breadth first. */
static void trace_orbit(struct orbits *orbits, uint32_t *const *image, uint32_t generators,
			uint32_t start, uint32_t *filled)
{
	uint32_t orbit = orbits->count++, head = *filled, g;

	orbits->first[orbit] = head;
	orbits->sample[orbit] = start;
	orbits->of[start] = orbit;
	orbits->from[start] = start;
	orbits->next[(*filled)++] = start;
	for (; head < *filled; head++)
		for (g = 0; g < generators; g++) {
			uint32_t to = image[g][orbits->next[head]];

			if (orbits->of[to] != LIQUID_NONE)
				continue;
			orbits->of[to] = orbit;
			orbits->from[to] = orbits->next[head];
			orbits->by[to] = (uint8_t)g;
			orbits->next[(*filled)++] = to;
		}
}

static bool orbits_init(struct orbits *orbits, uint32_t *const *image, uint32_t generators,
			uint32_t count)
{
	uint32_t x, filled = 0;

	orbits->of = array(count, sizeof(*orbits->of));
	orbits->size = array(count, sizeof(*orbits->size));
	orbits->first = array(count, sizeof(*orbits->first));
	orbits->sample = array(count, sizeof(*orbits->sample));
	orbits->next = array(count, sizeof(*orbits->next));
	orbits->from = array(count, sizeof(*orbits->from));
	orbits->by = array(count, sizeof(*orbits->by));
	if (!orbits->of || !orbits->size || !orbits->first || !orbits->sample || !orbits->next ||
	    !orbits->from || !orbits->by)
		return false;
	memset(orbits->of, 0xff, count * sizeof(*orbits->of));
	for (x = 0; x < count; x++)
		if (orbits->of[x] == LIQUID_NONE)
			trace_orbit(orbits, image, generators, x, &filled);
	for (x = 0; x < count; x++)
		orbits->size[orbits->of[x]]++;
	return true;
}

void orbit_problem_clear(struct orbit_problem *problem)
{
	orbits_clear(&problem->unit_orbits);
	orbits_clear(&problem->resource_orbits);
	memset(problem, 0, sizeof(*problem));
}

int orbit_problem_init(struct orbit_problem *problem, const struct routes *units,
		       const struct symmetry *symmetry, struct liquid_error *err)
{
	memset(problem, 0, sizeof(*problem));
	problem->units = units;
	problem->symmetry = symmetry;
	if (orbits_init(&problem->unit_orbits, symmetry->unit_image, symmetry->generators,
			units->pair_count) &&
	    orbits_init(&problem->resource_orbits, symmetry->resource_image, symmetry->generators,
			units->link_count))
		return LIQUID_OK;
	orbit_problem_clear(problem);
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the orbits");
}

void orbit_kind_clear(struct orbit_kind *kind)
{
	free(kind->unit_potential);
	free(kind->resource_potential);
	free(kind->unit_cosets);
	free(kind->first_cell);
	free(kind->cell_orbit);
	free(kind->grain);
	free(kind->capacity);
	free(kind->first_place);
	free(kind->first_use);
	free(kind->use);
	free(kind->fits);
	memset(kind, 0, sizeof(*kind));
}

/*
 * The potential of an element is the sum of the generators' factors on the path from its orbit's
 * sample, modulo t. Different paths may give different sums; so the potentials of an orbit are
 * determined only modulo a divisor of t, which goes to @cosets.
 */
static void compute_potentials(const struct orbit_kind *kind, const struct symmetry *symmetry,
			       const struct orbits *orbits, uint32_t *const *image, uint32_t count,
			       uint32_t *potential, uint32_t *cosets)
{
	uint32_t t = kind->modulus, i, x, g;

	for (i = 0; i < orbits->count; i++)
		cosets[i] = t;
	for (i = 0; i < count; i++) {
		x = orbits->next[i];
		potential[x] = orbits->from[x] == x ? 0 :
			       (potential[orbits->from[x]] + kind->factor[orbits->by[x]]) % t;
	}
	for (g = 0; g < symmetry->generators; g++)
		for (x = 0; x < count; x++) {
			uint32_t there = potential[image[g][x]];
			uint32_t counted = (potential[x] + kind->factor[g]) % t;

			if (there != counted)
				cosets[orbits->of[x]] =
					common_divisor(cosets[orbits->of[x]],
						       (there + t - counted) % t);
		}
}

static bool init_cells(struct orbit_kind *kind, const struct orbit_problem *problem)
{
	const struct orbits *resources = &problem->resource_orbits;
	uint32_t *cosets = array(resources->count, sizeof(*cosets)), o, c;

	kind->resource_potential = array(problem->units->link_count,
					 sizeof(*kind->resource_potential));
	kind->first_cell = array(resources->count + 1, sizeof(*kind->first_cell));
	if (!cosets || !kind->resource_potential || !kind->first_cell) {
		free(cosets);
		return false;
	}
	compute_potentials(kind, problem->symmetry, resources, problem->symmetry->resource_image,
			  problem->units->link_count, kind->resource_potential, cosets);
	for (o = 0; o < resources->count; o++)
		kind->first_cell[o + 1] = kind->first_cell[o] + cosets[o];
	free(cosets);
	kind->cells = kind->first_cell[o];
	kind->capacity = array(kind->cells, sizeof(*kind->capacity));
	kind->cell_orbit = array(kind->cells, sizeof(*kind->cell_orbit));
	if (!kind->capacity || !kind->cell_orbit)
		return false;
	for (o = 0; o < resources->count; o++)
		for (c = kind->first_cell[o]; c < kind->first_cell[o + 1]; c++) {
			kind->capacity[c] = problem->units->capacity[resources->sample[o]];
			kind->cell_orbit[c] = o;
		}
	return true;
}

static bool init_places(struct orbit_kind *kind, const struct orbit_problem *problem)
{
	const struct orbits *orbits = &problem->unit_orbits;
	uint32_t o;

	kind->unit_potential = array(problem->units->pair_count, sizeof(*kind->unit_potential));
	kind->unit_cosets = array(orbits->count, sizeof(*kind->unit_cosets));
	kind->first_place = array(orbits->count + 1, sizeof(*kind->first_place));
	kind->fits = array(orbits->count, sizeof(*kind->fits));
	if (!kind->unit_potential || !kind->unit_cosets || !kind->first_place || !kind->fits)
		return false;
	compute_potentials(kind, problem->symmetry, orbits, problem->symmetry->unit_image,
			  problem->units->pair_count, kind->unit_potential, kind->unit_cosets);
	for (o = 0; o < orbits->count; o++)
		kind->first_place[o + 1] = kind->first_place[o] + kind->unit_cosets[o];
	kind->places = kind->first_place[o];
	return true;
}

static uint32_t cosets_of(const struct orbit_kind *kind, uint32_t resource_orbit)
{
	return kind->first_cell[resource_orbit + 1] - kind->first_cell[resource_orbit];
}

/* Amount that an orbit at one place uses of each of its resources; 0: amounts differ. */
static uint32_t amount(const struct orbit_kind *kind, const struct orbit_problem *problem,
		       uint32_t orbit, uint32_t resource)
{
	uint32_t ro = problem->resource_orbits.of[resource];
	uint32_t units = problem->unit_orbits.size[orbit] / kind->unit_cosets[orbit];
	uint32_t resources = problem->resource_orbits.size[ro] / cosets_of(kind, ro);

	return units % resources || kind->unit_cosets[orbit] % cosets_of(kind, ro) ?
	       0 : units / resources;
}

/* Fill in the cells of each place of @orbit from its sample, or only count them. */
static void list_uses(struct orbit_kind *kind, const struct orbit_problem *problem, uint32_t orbit,
		      uint64_t *total)
{
	const struct routes *units = problem->units;
	uint32_t sample = problem->unit_orbits.sample[orbit], place, i, k, n;

	for (place = 0; place < kind->unit_cosets[orbit]; place++) {
		if (kind->use)
			kind->first_use[kind->first_place[orbit] + place] = (uint32_t)*total;
		for (i = units->first[sample]; i < units->first[sample + 1]; i++) {
			uint32_t r = units->links[i], ro = problem->resource_orbits.of[r];
			uint32_t cell = kind->first_cell[ro] +
					(kind->resource_potential[r] + place) % cosets_of(kind, ro);

			n = amount(kind, problem, orbit, r) / kind->grain[ro];
			for (k = 0; kind->use && k < n; k++)
				kind->use[*total + k] = cell;
			*total += n;
		}
	}
}

/* Sets *@useful to false if the orbits do not divide evenly. */
static bool init_grains(struct orbit_kind *kind, const struct orbit_problem *problem, bool *useful)
{
	const struct routes *units = problem->units;
	const struct orbits *resources = &problem->resource_orbits;
	uint32_t o, i, c;

	kind->grain = array(resources->count, sizeof(*kind->grain));
	if (!kind->grain)
		return false;
	*useful = true;
	for (o = 0; o < problem->unit_orbits.count; o++) {
		uint32_t sample = problem->unit_orbits.sample[o];

		for (i = units->first[sample]; i < units->first[sample + 1]; i++) {
			uint32_t ro = resources->of[units->links[i]];
			uint32_t n = amount(kind, problem, o, units->links[i]);

			*useful &= n != 0;
			kind->grain[ro] = common_divisor(kind->grain[ro], n);
		}
	}
	for (o = 0; o < resources->count && *useful; o++)
		for (c = kind->first_cell[o]; c < kind->first_cell[o + 1]; c++)
			kind->capacity[c] /= kind->grain[o] ? kind->grain[o] : 1;
	for (c = 0; c < kind->cells; c++)
		kind->slots += kind->capacity[c];
	*useful = *useful && kind->slots <= TABLE_MAX;
	return true;
}

static bool init_uses(struct orbit_kind *kind, const struct orbit_problem *problem, bool *useful)
{
	uint32_t orbits = problem->unit_orbits.count, o;
	uint64_t total = 0, again = 0;

	*useful = true;
	for (o = 0; o < orbits && *useful; o++) {
		list_uses(kind, problem, o, &total);
		*useful = total <= TABLE_MAX;
	}
	if (!*useful)
		return true;
	kind->use = array(total, sizeof(*kind->use));
	kind->first_use = array(kind->places + 1, sizeof(*kind->first_use));
	if (!kind->use || !kind->first_use)
		return false;
	for (o = 0; o < orbits; o++)
		list_uses(kind, problem, o, &again);
	kind->first_use[kind->places] = (uint32_t)total;
	return true;
}

/* Which orbits fit into an empty frame */
static bool init_fits(struct orbit_kind *kind, const struct orbit_problem *problem)
{
	uint32_t *used = array(kind->cells, sizeof(*used)), o, p, i;

	if (!used)
		return false;
	for (o = 0; o < problem->unit_orbits.count; o++) {
		p = kind->first_place[o];
		kind->fits[o] = true;
		for (i = kind->first_use[p]; i < kind->first_use[p + 1]; i++)
			if (++used[kind->use[i]] > kind->capacity[kind->use[i]])
				kind->fits[o] = false;
		for (i = kind->first_use[p]; i < kind->first_use[p + 1]; i++)
			used[kind->use[i]] = 0;
	}
	free(used);
	return true;
}

int orbit_kind_init(struct orbit_kind *kind, const struct orbit_problem *problem, uint32_t modulus,
		    const uint32_t *weight, bool *useful, struct liquid_error *err)
{
	const struct symmetry *symmetry = problem->symmetry;
	bool memory;

	memset(kind, 0, sizeof(*kind));
	*useful = false;
	if (modulus > ORBIT_MODULUS_MAX)
		return LIQUID_OK;
	kind->modulus = modulus;
	for (uint32_t g = 0; g < symmetry->generators; g++)
		kind->factor[g] = (uint32_t)((uint64_t)(modulus / common_divisor(modulus,
							symmetry->order[g])) *
					     weight[g] % modulus);
	memory = init_cells(kind, problem) && init_places(kind, problem) &&
		 init_grains(kind, problem, useful) &&
		 (!*useful || init_uses(kind, problem, useful)) &&
		 (!*useful || init_fits(kind, problem));
	if (memory && *useful)
		return LIQUID_OK;
	orbit_kind_clear(kind);
	if (memory)
		return LIQUID_OK;
	*useful = false;
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the places of the orbits");
}

bool orbit_plan_add(const struct orbit_problem *problem, const struct orbit_place *place,
		    uint32_t *left, struct unit_plan *plan)
{
	const struct orbit_kind *kind = place->kind;
	const struct orbits *orbits = &problem->unit_orbits;
	const uint32_t *unit = orbits->next + orbits->first[place->orbit];
	uint32_t cosets = kind->unit_cosets[place->orbit], t = kind->modulus;

	for (uint32_t i = 0; i < orbits->size[place->orbit]; i++)
		for (uint32_t r = 0; r < place->repeat; r++) {
			uint32_t c = (kind->unit_potential[unit[i]] + cosets - place->coset) %
				     cosets;

			for (; c < t && left[unit[i]]; c += cosets, left[unit[i]]--)
				if (!unit_plan_add(plan, place->first + r * t + c, unit[i], 1))
					return false;
		}
	return true;
}
