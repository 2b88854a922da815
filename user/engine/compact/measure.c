// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Duration and fluid bound: what each link carries
 *
 * With shifts one link of each class is enough. Without them the routes of all pairs are counted.
 */
#include <stdlib.h>

#include "compact/solver.h"

static int no_route(const struct solver *solver, uint32_t place)
{
	const struct group *group = &solver->group;

	return liquid_fail(solver->err, LIQUID_BAD_INPUT, "no route to %.200s",
			   liquid_fabric_node_name(group->fabric, group->host[place]));
}

/* Hosts of @block that send to @place */
static uint32_t senders_of(const struct group *group, uint32_t block, uint32_t place)
{
	return group->first[block + 1] - group->first[block] - (group->block[place] == block);
}

/* ---- by classes ---- */

static int add_units(struct solver *solver, const struct choice_of_kinds *choice, uint64_t *load)
{
	const struct group *group = &solver->group;
	uint32_t resource[CELLS_OF_UNIT];

	for (uint32_t c = 0; c < choice->classes; c++)
		for (uint32_t b = 0; b < group->blocks; b++) {
			uint32_t place = choice->origin[c];
			int n = cells_unit(group, b, place, resource);

			if (n < 0)
				return no_route(solver, place);
			for (int k = 1; k < n; k++)
				load[choice->cells[0].first[resource[k]]] +=
					senders_of(group, b, place);
		}
	return LIQUID_OK;
}

/* All links of a class carry the same. */
static void share(const struct solver *solver, const struct cells *cells, const uint64_t *sum,
		  uint32_t *size, uint64_t *load)
{
	uint32_t links = liquid_fabric_link_count(solver->group.fabric);
	const uint32_t *first = cells->first + solver->group.blocks;

	for (uint32_t l = 0; l < links; l++)
		if (first[l] != LIQUID_NONE)
			size[first[l]]++;
	for (uint32_t l = 0; l < links; l++)
		if (first[l] != LIQUID_NONE)
			load[l] = sum[first[l]] * group_order(&solver->group) / size[first[l]];
}

static int load_by_classes(struct solver *solver, uint64_t *load)
{
	static const uint32_t none[LIQUID_SHIFTS_MAX];
	struct choice_of_kinds choice = { .group = solver->group };
	struct cells *cells = &choice.cells[0];
	int status = choice_find_origins(solver, &choice);
	uint32_t *size = NULL;
	uint64_t *sum = NULL;

	if (!status)
		status = cells_new(&solver->group, 1, none, cells, solver->err);
	if (!status) {
		sum = calloc((size_t)cells->cells + 1, sizeof(*sum));
		size = calloc((size_t)cells->cells + 1, sizeof(*size));
		status = sum && size ? add_units(solver, &choice, sum) :
				       liquid_no_memory(solver->err);
	}
	if (!status)
		share(solver, cells, sum, size, load);
	free(sum);
	free(size);
	cells_free(cells);
	free(choice.origin);
	return status;
}

/* ---- by routes ---- */

static int load_by_routes(struct solver *solver, uint64_t *load)
{
	const struct group *group = &solver->group;
	struct liquid_loads loads;
	int status = liquid_fabric_loads(group->fabric, group->host, group->places, load, &loads,
					 solver->err);

	return !status && loads.unreachable ? no_route(solver, group->place[loads.lost]) : status;
}

/* ---- figures ---- */

static void take_figures(struct solver *solver, const uint64_t *load)
{
	const struct liquid_fabric *fabric = solver->group.fabric;
	struct liquid_schedule_info *figures = &solver->figures;

	figures->duration = solver->group.places - 1;
	figures->fluid_bound = solver->group.places - 1;
	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		uint32_t capacity = liquid_fabric_capacity(fabric, l);
		uint64_t frames = (load[l] + capacity - 1) / capacity;
		double fluid = (double)load[l] / capacity;	/* the same for all who ask */

		figures->duration = frames > figures->duration ? (uint32_t)frames :
				    figures->duration;
		figures->fluid_bound = fluid > figures->fluid_bound ? fluid : figures->fluid_bound;
	}
}

int result_measure(struct solver *solver)
{
	uint32_t links = liquid_fabric_link_count(solver->group.fabric);
	uint64_t *load = calloc((size_t)links + 1, sizeof(*load));
	int status;

	if (!load)
		return liquid_no_memory(solver->err);
	status = solver->group.shifts ? load_by_classes(solver, load) :
		 load_by_routes(solver, load);
	if (!status)
		take_figures(solver, load);
	free(load);
	return status;
}
