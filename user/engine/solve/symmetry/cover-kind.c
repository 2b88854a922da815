// SPDX-License-Identifier: LGPL-2.1-or-later
/* Covers of a kind of base frames */
#include <stdlib.h>
#include <string.h>

#include "solve/symmetry/cover-kind.h"

#define ORBITS_MAX 4096u	/* tilings of more take long */

static bool is_single(const struct orbit_problem *problem, uint32_t orbit)
{
	return problem->units->pairs[problem->unit_orbits.sample[orbit]].count == 1;
}

/* Whether every orbit is one item, and has a place. */
static bool orbits_suit(const struct orbit_problem *problem, const struct orbit_kind *kind)
{
	for (uint32_t o = 0; o < problem->unit_orbits.count; o++)
		if (!is_single(problem, o) || !kind->fits[o])
			return false;
	return true;
}

/* Grains that the orbits use of each resource orbit in all base frames. */
static void count_load(const struct orbit_problem *problem, const struct orbit_kind *kind,
		       uint64_t *load)
{
	for (uint32_t o = 0; o < problem->unit_orbits.count; o++) {
		uint32_t place = kind->first_place[o];

		for (uint32_t i = kind->first_use[place]; i < kind->first_use[place + 1]; i++)
			load[kind->cell_orbit[kind->use[i]]]++;
	}
}

/* The tight cells; false if there are none, or out of memory. */
static bool find_tight(const struct orbit_problem *problem, const struct orbit_kind *kind,
		       uint32_t frames, struct cell_set *tight)
{
	uint64_t *load = calloc((size_t)problem->resource_orbits.count + 1, sizeof(*load));
	bool any = false;

	memset(tight, 0, sizeof(*tight));
	if (!load)
		return false;
	count_load(problem, kind, load);
	for (uint32_t c = 0; c < kind->cells; c++) {
		uint32_t orbit = kind->cell_orbit[c];
		uint32_t cells = kind->first_cell[orbit + 1] - kind->first_cell[orbit];

		if (load[orbit] < (uint64_t)cells * frames)
			continue;
		cell_set_add(tight, c);
		any = true;
	}
	free(load);
	return any;
}

bool cover_suits(const struct orbit_problem *problem, const struct orbit_kind *kind,
		 uint32_t frames)
{
	struct cell_set tight;

	if (kind->cells > COVER_CELLS_MAX || problem->unit_orbits.count > ORBITS_MAX)
		return false;
	for (uint32_t c = 0; c < kind->cells; c++)
		if (kind->capacity[c] != 1)
			return false;
	return orbits_suit(problem, kind) && find_tight(problem, kind, frames, &tight);
}

bool cover_fill(struct cover *cover, const struct orbit_problem *problem,
		const struct orbit_kind *kind, uint32_t frames)
{
	for (uint32_t o = 0; o < cover->orbits; o++)
		for (uint32_t p = kind->first_place[o]; p < kind->first_place[o + 1]; p++)
			for (uint32_t i = kind->first_use[p]; i < kind->first_use[p + 1]; i++)
				cover_use(cover, o, p, kind->use[i]);
	return find_tight(problem, kind, frames, &cover->tight);
}
