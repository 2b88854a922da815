// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Placing many orbits by ejection
 *
 * Base frames are frames, cosets are their phases, and an orbit is a transfer. The search ends soon
 * if it makes no progress.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/ejection/ejection.h"
#include "solve/symmetry/orbit.h"

struct orbit_eject {
	const struct orbit_problem *problem;
	struct orbit_layout layout;
	struct routes routes;		/* pairs are orbits, transfers the items to be placed */
	struct ejection_kind kind[ORBIT_KINDS_MAX];
	uint32_t first_frame[ORBIT_KINDS_MAX];	/* by kind: its first frame in the schedule */
	/* By kind, what it points to */
	uint32_t *first[ORBIT_KINDS_MAX], *links[ORBIT_KINDS_MAX], *span[ORBIT_KINDS_MAX];
	uint32_t length;
	struct ejection ejection;
};

void orbit_eject_free(struct orbit_eject *s)
{
	if (!s)
		return;
	ejection_clear(&s->ejection);
	routes_clear(&s->routes);
	for (uint32_t k = 0; k < ORBIT_KINDS_MAX; k++) {
		free(s->first[k]);
		free(s->links[k]);
		free(s->span[k]);
	}
	free(s);
}

/* Whether @place uses at most one grain of each cell; other places are not choices. */
static bool takes_once(const struct orbit_kind *kind, uint32_t place)
{
	for (uint32_t i = kind->first_use[place]; i < kind->first_use[place + 1]; i++)
		for (uint32_t j = kind->first_use[place]; j < i; j++)
			if (kind->use[i] == kind->use[j])
				return false;
	return true;
}

bool orbit_has_choices(const struct orbit_kind *kind, uint32_t orbit)
{
	return kind->fits[orbit] && takes_once(kind, kind->first_place[orbit]);
}

/* The cells of each orbit in the first coset. Returns false if out of memory. */
static bool list_cells(struct orbit_eject *s, uint32_t k)
{
	const struct orbit_kind *kind = s->layout.kind[k];
	uint32_t orbits = s->routes.pair_count, at = 0;
	uint32_t *first = calloc((size_t)orbits + 1, sizeof(*first));
	uint32_t *links = calloc((size_t)kind->first_use[kind->places] + 1, sizeof(*links));
	uint32_t *span = calloc((size_t)kind->cells + 1, sizeof(*span));

	s->first[k] = first;
	s->links[k] = links;
	s->span[k] = span;
	if (!first || !links || !span)
		return false;
	for (uint32_t c = 0; c < kind->cells; c++)
		span[c] = kind->first_cell[kind->cell_orbit[c] + 1] -
			  kind->first_cell[kind->cell_orbit[c]];
	for (uint32_t o = 0; o < orbits; o++) {
		uint32_t place = kind->first_place[o], i = kind->first_use[place];

		for (; orbit_has_choices(kind, o) && i < kind->first_use[place + 1]; i++)
			links[at++] = kind->use[i];
		first[o + 1] = at;
	}
	return true;
}

static bool lay_out_kinds(struct orbit_eject *s)
{
	const struct orbit_layout *layout = &s->layout;
	bool good = true;

	for (uint32_t k = 0; k < layout->kinds && good; k++) {
		const struct orbit_kind *kind = layout->kind[k];

		good = list_cells(s, k);
		s->kind[k] = (struct ejection_kind){
			.frames = layout->frames[k], .phases = kind->modulus,
			.cell_count = kind->cells, .capacity = kind->capacity,
			.first = s->first[k], .links = s->links[k], .span = s->span[k],
		};
		s->first_frame[k] = s->length;
		s->length += layout->frames[k] * kind->modulus * layout->repeat;
	}
	return good;
}

/* Copies of each unit of @orbit in one of its items; the same for all kinds. */
static uint32_t item_copies(const struct orbit_layout *layout, uint32_t orbit)
{
	const struct orbit_kind *kind = layout->kind[0];

	return kind->modulus / kind->unit_cosets[orbit] * layout->repeat;
}

static bool list_items(struct orbit_eject *s)
{
	const struct orbit_problem *problem = s->problem;
	uint32_t orbits = s->routes.pair_count;
	uint64_t items = 0;

	s->routes.first_transfer = calloc((size_t)orbits + 1, sizeof(*s->routes.first_transfer));
	if (!s->routes.first_transfer)
		return false;
	for (uint32_t o = 0; o < orbits; o++) {
		uint32_t copies = problem->units->pairs[problem->unit_orbits.sample[o]].count;
		uint32_t each = item_copies(&s->layout, o);

		items += copies / each + (copies % each != 0);
		if (items >= UINT32_MAX)
			return false;
		s->routes.first_transfer[o + 1] = (uint32_t)items;
	}
	s->routes.transfer_count = (uint32_t)items;
	return true;
}

static int open_ejection(struct orbit_eject *s, uint64_t seed, struct liquid_error *err)
{
	int status = ejection_new_kinds(&s->ejection, &s->routes, s->kind, s->layout.kinds, seed,
					err);

	s->ejection.patient = true;
	if (!status)
		status = ejection_open(&s->ejection, s->kind->frames, err);
	return status;
}

int orbit_eject_new(const struct orbit_problem *problem, const struct orbit_layout *layout,
		     uint64_t seed, struct orbit_eject **out, struct liquid_error *err)
{
	struct orbit_eject *s = calloc(1, sizeof(*s));
	int status = LIQUID_NO_MEMORY;

	*out = NULL;
	if (s) {
		s->problem = problem;
		s->layout = *layout;
		s->routes.pair_count = problem->unit_orbits.count;
		if (list_items(s) && lay_out_kinds(s))
			status = open_ejection(s, seed, err);
		else
			liquid_fail(err, status, "no memory for the search over orbits");
	} else {
		liquid_fail(err, status, "no memory for the search over orbits");
	}
	if (status)
		orbit_eject_free(s);
	else
		*out = s;
	return status;
}

uint32_t orbit_eject_run(struct orbit_eject *s, struct budget *budget)
{
	uint64_t done = budget->state.done;

	ejection_run(&s->ejection, budget);
	budget->state.done = done;
	return s->ejection.waiting_count;
}

/* ---- the plan ---- */

static bool plan_item(const struct orbit_eject *s, uint32_t item, uint32_t *left,
		      struct unit_plan *plan)
{
	uint32_t k = s->ejection.item[item].kind, orbit = s->ejection.pair_of[item];
	struct orbit_place place = {
		.kind = s->layout.kind[k], .orbit = orbit, .repeat = s->layout.repeat,
		.coset = s->ejection.phase[item] % s->layout.kind[k]->unit_cosets[orbit],
	};

	place.first = s->first_frame[k] +
		      s->ejection.frame[item] * place.kind->modulus * place.repeat;
	return orbit_plan_add(s->problem, &place, left, plan);
}

int orbit_eject_plan(const struct orbit_eject *s, struct unit_plan *plan,
		      struct liquid_error *err)
{
	const struct routes *units = s->problem->units;
	uint32_t *left = calloc((size_t)units->pair_count + 1, sizeof(*left));
	bool memory = left;

	plan->entries = 0;
	plan->frames = s->length;
	if (memory)
		routes_counts(units, left);
	for (uint32_t i = 0; i < s->routes.transfer_count && memory; i++)
		memory = plan_item(s, i, left, plan);
	free(left);
	if (!memory)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the frames");
	return LIQUID_OK;
}
