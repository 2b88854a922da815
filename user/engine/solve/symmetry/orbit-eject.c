// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Placing many orbits by ejection
 *
 * Base frames are frames, cells are links, and an orbit is a transfer that can use one of
 * several sets of links: one for each coset, in the frames of each kind. The search ends soon
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
	struct ejection_range range[ORBIT_KINDS_MAX];
	uint32_t first_frame[ORBIT_KINDS_MAX];	/* by kind: its first frame in the schedule */
	uint32_t first_link[ORBIT_KINDS_MAX];	/* by kind: the link of its first cell */
	struct ejection_choices choices;
	uint32_t *coset;		/* by choice */
	uint32_t length;
	struct ejection ejection;
};

void orbit_eject_free(struct orbit_eject *s)
{
	if (!s)
		return;
	ejection_clear(&s->ejection);
	routes_clear(&s->routes);
	free(s->choices.first);
	free(s->choices.range);
	free(s->coset);
	free(s);
}

/* The base frames of a kind begin at a block; kinds share no links. */
static void lay_out_kinds(struct orbit_eject *s)
{
	const struct orbit_layout *layout = &s->layout;
	uint32_t at = 0;

	for (uint32_t k = 0; k < layout->kinds; k++) {
		s->range[k] = (struct ejection_range){ at, layout->frames[k] };
		s->first_link[k] = s->routes.link_count;
		s->first_frame[k] = s->length;
		s->routes.link_count += layout->kind[k]->cells;
		s->length += layout->frames[k] * layout->kind[k]->modulus * layout->repeat;
		at += (layout->frames[k] + EJECTION_BLOCK - 1) / EJECTION_BLOCK * EJECTION_BLOCK;
	}
	s->choices.ranges = s->range;
	s->choices.range_count = layout->kinds;
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

static void count_choices(const struct orbit_eject *s, uint64_t *choices, uint64_t *links)
{
	*choices = *links = 0;
	for (uint32_t o = 0; o < s->routes.pair_count; o++)
		for (uint32_t k = 0; k < s->layout.kinds; k++) {
			const struct orbit_kind *kind = s->layout.kind[k];
			uint32_t place = kind->first_place[o];

			if (!orbit_has_choices(kind, o))
				continue;
			*choices += kind->unit_cosets[o];
			*links += kind->first_use[place + kind->unit_cosets[o]] -
				  kind->first_use[place];
		}
}

static void add_choices(struct orbit_eject *s, uint32_t orbit, uint32_t k, uint32_t *choices,
			uint32_t *links)
{
	const struct orbit_kind *kind = s->layout.kind[k];

	for (uint32_t coset = 0; coset < kind->unit_cosets[orbit]; coset++) {
		uint32_t place = kind->first_place[orbit] + coset;

		for (uint32_t i = kind->first_use[place]; i < kind->first_use[place + 1]; i++)
			s->routes.links[(*links)++] = s->first_link[k] + kind->use[i];
		s->coset[*choices] = coset;
		s->choices.range[*choices] = (uint8_t)k;
		s->routes.first[++*choices] = *links;
	}
}

/* Returns false if out of memory. */
static bool list_choices(struct orbit_eject *s)
{
	uint32_t orbits = s->routes.pair_count, choice = 0, link = 0;
	uint64_t choices, links;

	count_choices(s, &choices, &links);
	if (choices >= UINT32_MAX || links >= UINT32_MAX)
		return false;
	s->routes.first = calloc(choices + 1, sizeof(*s->routes.first));
	s->routes.links = calloc(links + 1, sizeof(*s->routes.links));
	s->choices.first = calloc((size_t)orbits + 1, sizeof(*s->choices.first));
	s->choices.range = calloc(choices + 1, sizeof(*s->choices.range));
	s->coset = calloc(choices + 1, sizeof(*s->coset));
	if (!s->routes.first || !s->routes.links || !s->choices.first || !s->choices.range ||
	    !s->coset)
		return false;
	for (uint32_t o = 0; o < orbits; o++) {
		for (uint32_t k = 0; k < s->layout.kinds; k++)
			if (orbit_has_choices(s->layout.kind[k], o))
				add_choices(s, o, k, &choice, &link);
		s->choices.first[o + 1] = choice;
	}
	return true;
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

static bool set_capacities(struct orbit_eject *s)
{
	s->routes.capacity = calloc((size_t)s->routes.link_count + 1, sizeof(*s->routes.capacity));
	if (!s->routes.capacity)
		return false;
	for (uint32_t k = 0; k < s->layout.kinds; k++)
		memcpy(s->routes.capacity + s->first_link[k], s->layout.kind[k]->capacity,
		       s->layout.kind[k]->cells * sizeof(*s->routes.capacity));
	return true;
}

static int open_ejection(struct orbit_eject *s, uint64_t seed, struct liquid_error *err)
{
	const struct ejection_range *last = &s->range[s->layout.kinds - 1];
	int status = ejection_new(&s->ejection, &s->routes, seed, err);

	s->ejection.patient = true;
	if (!status)
		status = ejection_give_choices(&s->ejection, &s->choices, err);
	if (!status)
		status = ejection_open(&s->ejection, last->first + last->frames, err);
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
		lay_out_kinds(s);
		if (list_items(s) && list_choices(s) && set_capacities(s))
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
	uint32_t choice = s->ejection.choice[item], k = s->choices.range[choice];
	uint32_t base = s->ejection.frame[item] - s->range[k].first;
	struct orbit_place place = {
		.kind = s->layout.kind[k], .orbit = s->ejection.pair_of[item],
		.coset = s->coset[choice], .repeat = s->layout.repeat,
	};

	place.first = s->first_frame[k] + base * place.kind->modulus * place.repeat;
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
