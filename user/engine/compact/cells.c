// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cells
 *
 * In phase 0 of a base frame, each unit there means its images by the shifts that keep phases:
 * those whose weights add up to 0. They use the links of a cell evenly, so that it is enough to
 * count: a unit that uses a link of the cell once puts as many transfers on each of them as there
 * are such shifts that leave the link where it is.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/cells.h"
#include "problem/divisor.h"

static uint32_t image_of(const struct group *group, uint32_t i, uint32_t resource)
{
	if (resource >= group->blocks)
		return group->link_to[i][resource - group->blocks] + group->blocks;
	return group->block[shift_step(&group->shift[i], group->first[resource])];
}

struct visit {
	struct cells *cells;
	uint32_t base;			/* first cell of the class */
	uint32_t size, cycle;		/* resources and cells of the class */
};

/* All images of @resource by the shifts from @i on */
static void visit_images(struct visit *visit, uint32_t i, uint32_t resource, uint64_t phase)
{
	struct cells *cells = visit->cells;
	const struct group *group = cells->group;
	uint32_t at = (uint32_t)(phase % cells->phases), other;

	if (i < group->shifts) {
		for (uint32_t x = 0; x < group->shift[i].count; x++) {
			visit_images(visit, i + 1, resource,
				     phase + (uint64_t)x * cells->weight[i]);
			resource = image_of(group, i, resource);
		}
		return;
	}
	if (cells->first[resource] == LIQUID_NONE) {
		cells->first[resource] = visit->base;
		cells->phase[resource] = at;
		visit->size++;
		return;
	}
	other = cells->phase[resource];
	visit->cycle = common_divisor(visit->cycle, at > other ? at - other : other - at);
}

static bool is_last(const struct group *group, uint32_t link)
{
	return liquid_fabric_link(group->fabric, link)->to <
	       liquid_fabric_host_count(group->fabric);
}

static uint32_t capacity_of(const struct group *group, uint32_t resource)
{
	uint32_t link = resource - group->blocks;

	if (resource < group->blocks || (group->pool && is_last(group, link)))
		return group->pool ? group->pool : group->turns;
	return liquid_fabric_capacity(group->fabric, link);
}

/* Number the cells of the class of @resource. */
static void number_class(struct cells *cells, uint32_t resource, uint32_t *cycle, uint32_t *room)
{
	struct visit visit = { cells, cells->cells, 0, cells->phases };
	uint64_t keep = group_order(cells->group) / cells->phases;

	visit_images(&visit, 0, resource, 0);
	*cycle = visit.cycle;
	/* keep * cycle / size of the shifts that keep phases leave a resource where it is */
	*room = (uint32_t)((uint64_t)capacity_of(cells->group, resource) * visit.size /
			   (keep * visit.cycle));
	cells->cells += visit.cycle;
}

static bool is_used(const struct group *group, uint32_t resource)
{
	uint32_t link = resource - group->blocks, place;

	if (resource < group->blocks)
		return true;
	if (liquid_fabric_link(group->fabric, link)->from <
	    liquid_fabric_host_count(group->fabric))
		return false;		/* the block means them */
	if (group->shifts && group->link_to[0][link] == LIQUID_NONE)
		return false;
	if (!group->pool || !is_last(group, link))
		return true;
	place = group->place[liquid_fabric_link(group->fabric, link)->to];
	return place != LIQUID_NONE && place % group->pool == 0;
}

static int number_all(struct cells *cells, uint32_t resources, struct liquid_error *err)
{
	uint32_t *cycle = malloc(((size_t)resources + 1) * sizeof(*cycle));
	uint32_t *room = malloc(((size_t)resources + 1) * sizeof(*room));
	uint32_t *class = malloc(((size_t)resources + 1) * sizeof(*class));
	uint32_t next = 0;

	/* cycle[] and room[] are by the first cell of a class until all cells are numbered */
	for (uint32_t r = 0; cycle && room && class && r < resources; r++) {
		uint32_t first = cells->cells;

		if (cells->first[r] != LIQUID_NONE || !is_used(cells->group, r))
			continue;
		number_class(cells, r, &cycle[next], &room[next]);
		class[next++] = first;
	}
	if (cycle && room && class) {
		cells->room = calloc((size_t)cells->cells + 1, sizeof(*cells->room));
		cells->span = calloc((size_t)cells->cells + 1, sizeof(*cells->span));
	}
	for (uint32_t i = 0; cells->room && cells->span && i < next; i++)
		for (uint32_t c = class[i]; c < class[i] + cycle[i]; c++) {
			cells->room[c] = room[i];
			cells->span[c] = cycle[i];
		}
	for (uint32_t r = 0; cells->room && cells->span && r < resources; r++)
		if (cells->first[r] != LIQUID_NONE)
			cells->cycle[r] = cells->span[cells->first[r]];
	free(cycle);
	free(room);
	free(class);
	return cells->room && cells->span ? LIQUID_OK : liquid_no_memory(err);
}

int cells_new(const struct group *group, uint32_t phases, const uint32_t *weight,
	      struct cells *cells, struct liquid_error *err)
{
	uint32_t resources = group->blocks + liquid_fabric_link_count(group->fabric);

	*cells = (struct cells){ .group = group, .phases = phases };
	memcpy(cells->weight, weight, group->shifts * sizeof(*weight));
	cells->first = malloc(((size_t)resources + 1) * sizeof(*cells->first));
	cells->phase = calloc((size_t)resources + 1, sizeof(*cells->phase));
	cells->cycle = calloc((size_t)resources + 1, sizeof(*cells->cycle));
	if (!cells->first || !cells->phase || !cells->cycle)
		return liquid_no_memory(err);
	memset(cells->first, 0xff, (size_t)resources * sizeof(*cells->first));
	return number_all(cells, resources, err);
}

void cells_free(struct cells *cells)
{
	free(cells->first);
	free(cells->phase);
	free(cells->cycle);
	free(cells->room);
	free(cells->span);
	*cells = (struct cells){ 0 };
}

int cells_unit(const struct group *group, uint32_t block, uint32_t place,
	       uint32_t resource[CELLS_OF_UNIT])
{
	int n;

	resource[0] = block;
	if (!group->pool && group->block[place] == block &&
	    group->first[block + 1] - group->first[block] == 1)
		return 0;		/* the only host of the block is the receiver */
	n = group_path(group, block, place, resource + 1);
	if (group->pool)
		resource[0] -= group->first[block] % group->pool / group->turns;
	if (group->pool && n > 0)
		resource[n] = group_last_link(group, place - place % group->pool);
	for (int k = 1; k <= n; k++)
		resource[k] += group->blocks;
	return n < 0 ? -1 : n + 1;
}

bool cells_hold(const struct cells *cells, const uint32_t *resource, int n)
{
	for (int k = 0; k < n; k++) {
		uint32_t cell = cells_of(cells, resource[k], 0), uses = 0;

		for (int i = 0; i < n; i++)
			uses += cells_of(cells, resource[i], 0) == cell;
		if (uses > cells->room[cell])
			return false;
	}
	return true;
}
