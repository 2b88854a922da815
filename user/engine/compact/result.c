// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a compact schedule says: its figures, its shape, and the slots of its units */
#include <stdlib.h>
#include <string.h>

#include "compact/solver.h"

/* ---- figures ---- */

/* Duration and fluid bound, by the loads of classes of links under all shifts */
int result_measure(struct solver *solver)
{
	const struct group *group = &solver->group;
	uint32_t links = liquid_fabric_link_count(group->fabric), resource[CELLS_OF_UNIT];
	static const uint32_t none[LIQUID_SHIFTS_MAX];
	struct choice_of_kinds choice = { .group = *group };
	uint64_t *load = NULL, *size = NULL;
	int status = choice_find_origins(solver, &choice);

	if (!status)
		status = cells_new(group, 1, none, &choice.cells[0], solver->err);
	if (!status) {
		load = calloc((size_t)choice.cells[0].cells + 1, sizeof(*load));
		size = calloc((size_t)choice.cells[0].cells + 1, sizeof(*size));
		status = load && size ? LIQUID_OK : solver_no_memory(solver);
	}
	for (uint32_t l = 0; !status && l < links; l++)
		if (choice.cells[0].first[group->blocks + l] != LIQUID_NONE)
			size[choice.cells[0].first[group->blocks + l]]++;
	for (uint32_t c = 0; !status && c < choice.classes; c++)
		for (uint32_t b = 0; !status && b < group->blocks; b++) {
			uint32_t place = choice.origin[c];
			uint64_t sent = group->first[b + 1] - group->first[b] -
					(group->block[place] == b);
			int n = cells_unit(group, b, place, resource);

			if (n < 0)
				status = liquid_fail(solver->err, LIQUID_BAD_INPUT,
						     "no route to %.200s",
						     liquid_fabric_node_name(group->fabric,
									     group->host[place]));
			for (int k = 1; k < n; k++)
				load[choice.cells[0].first[resource[k]]] += sent;
		}
	solver->figures.duration = group->places - 1;
	solver->figures.fluid_bound = group->places - 1;
	for (uint32_t l = 0; !status && l < links; l++) {
		uint32_t cell = choice.cells[0].first[group->blocks + l];
		uint64_t per = cell == LIQUID_NONE ? 0 :
			       size[cell] * liquid_fabric_capacity(group->fabric, l);
		uint64_t all = per ? load[cell] * group_order(group) : 0;

		if (per && (all + per - 1) / per > solver->figures.duration)
			solver->figures.duration = (uint32_t)((all + per - 1) / per);
		/* one division of whole numbers, so that all who compute it get the same */
		if (per && (double)(all / size[cell]) /
			   liquid_fabric_capacity(group->fabric, l) > solver->figures.fluid_bound)
			solver->figures.fluid_bound = (double)(all / size[cell]) /
				liquid_fabric_capacity(group->fabric, l);
	}
	free(load);
	free(size);
	cells_free(&choice.cells[0]);
	free(choice.origin);
	return status;
}

/* ---- the result ---- */

/* Frames that come before the @arena: those of the second are first. */
static uint32_t start_of(const struct pack *pack, uint32_t arena)
{
	return arena || pack->arenas == 1 ? 0 :
	       pack->arena[1].frames * pack->arena[1].cells->phases * pack->group->turns;
}

/* Slots are given as units come; those of a block in a base frame and phase have others each. */
static int give_slots(struct solver *solver, const struct pack *pack, bool idle,
		      struct liquid_compact *compact)
{
	const struct group *group = pack->group;
	uint32_t *slots[PACK_ARENAS] = { NULL };
	int status = LIQUID_OK;

	for (uint32_t a = 0; a < pack->arenas; a++) {
		const struct arena *arena = &pack->arena[a];

		slots[a] = calloc((size_t)arena->cells->cells * arena->frames + 1,
				  sizeof(*slots[a]));
		status = slots[a] ? status : solver_no_memory(solver);
	}
	for (uint32_t u = 0; !status && u < pack->units; u++) {
		const struct pack_unit *unit = &pack->unit[u];
		const struct arena *arena = &pack->arena[unit->arena];
		uint32_t block = u % group->blocks, place = pack->origin[u / group->blocks], slot;

		compact->frame[u] = 0;
		if (unit->frame == LIQUID_NONE)
			continue;
		slot = slots[unit->arena][(size_t)cells_of(arena->cells, block, unit->phase) *
					  arena->frames + unit->frame]++;
		/* in a frame of such units, those that send to themselves do so in the last turn */
		if (idle && unit->frame == arena->frames - 1 && !unit->arena)
			slot = place - group->first[block] + 1;
		compact->frame[u] = start_of(pack, unit->arena) +
			(unit->frame * arena->cells->phases + unit->phase) * group->turns +
			(group->turns - slot % group->turns) % group->turns;
	}
	for (uint32_t a = 0; a < PACK_ARENAS; a++)
		free(slots[a]);
	return status;
}

/*
 * If some base frame of one phase has units of blocks to themselves alone, nobody sends in one of
 * its turns: let it be the last, and leave that frame out.
 */
static bool find_idle(struct pack *pack)
{
	const struct group *group = pack->group;
	uint32_t frames = pack->arena[0].frames, idle = LIQUID_NONE;
	bool *other = calloc((size_t)frames + 1, sizeof(*other));

	if (pack->arena[0].cells->phases > 1 || group->turns == 1 || !other) {
		free(other);
		return false;
	}
	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t u = pack->order[i];

		if (!pack->unit[u].arena &&
		    group->block[pack->origin[u / group->blocks]] != u % group->blocks)
			other[pack->unit[u].frame] = true;
	}
	for (uint32_t f = 0; f < frames; f++)
		idle = other[f] ? idle : f;
	free(other);
	for (uint32_t i = 0; idle != LIQUID_NONE && i < pack->orders; i++) {
		struct pack_unit *unit = &pack->unit[pack->order[i]];

		if (unit->arena || (unit->frame != idle && unit->frame != frames - 1))
			continue;
		unit->frame = unit->frame == idle ? frames - 1 : idle;
	}
	return idle != LIQUID_NONE;
}

static void shape_of(const struct pack *pack, const struct choice_of_kinds *choice,
		     struct liquid_shape *shape)
{
	const struct group *group = &choice->group;

	*shape = (struct liquid_shape){
		.places = group->places, .turns = group->turns, .blocks = group->blocks,
		.classes = choice->classes, .shifts = group->shifts, .first = group->first,
	};
	memcpy(shape->shift, group->shift, sizeof(shape->shift));
	for (uint32_t a = pack->arenas; a-- > 0;) {
		const struct arena *arena = &pack->arena[a];
		struct liquid_kind *kind = &shape->kind[shape->kinds];

		if (!arena->frames)
			continue;
		*kind = (struct liquid_kind){ arena->cells->phases, arena->frames, { 0 } };
		memcpy(kind->weight, arena->cells->weight, sizeof(kind->weight));
		shape->frames += arena->frames * arena->cells->phases * group->turns;
		shape->kinds++;
	}
}

static int fill_figures(struct solver *solver, struct liquid_compact *compact, bool idle)
{
	const struct group *group = &solver->group;
	struct liquid_schedule *head = compact->head;
	struct liquid_schedule_info *info = &head->info;
	int status;

	info->seed = solver->options.seed;
	info->work = solver->options.work;
	info->unit_bytes = solver->options.unit_bytes;
	info->link_rate_bps = solver->options.link_rate_bps;
	info->transfers = (uint64_t)group->places * (group->places - 1);
	info->duration = info->lower_bound = solver->figures.duration;
	info->fluid_bound = solver->figures.fluid_bound;
	info->length = compact->shape.frames - idle;
	info->certificate = info->length == info->duration ? LIQUID_CERT_LIQUID : LIQUID_CERT_GAP;
	if (!schedule_set_text(&head->fabric_name, &info->fabric_name,
			       liquid_fabric_name(group->fabric)) ||
	    !schedule_set_text(&head->method, &info->method, "compact"))
		return solver_no_memory(solver);
	for (uint32_t p = 0; p < group->places; p++) {
		compact->names[p] = strdup(liquid_fabric_node_name(group->fabric, group->host[p]));
		if (!compact->names[p])
			return solver_no_memory(solver);
	}
	status = compact_sort_names(compact, solver->err);
	if (!status)
		status = compact_traffic_digest(compact, head->traffic_digest, solver->err);
	return status ? status : liquid_fabric_digest(group->fabric, head->fabric_digest,
						      solver->err);
}

int result_make(struct solver *solver, struct pack *pack,
		       const struct choice_of_kinds *choice, struct liquid_compact **compact)
{
	bool idle = find_idle(pack);
	struct liquid_shape shape;
	int status;

	shape_of(pack, choice, &shape);
	status = compact_new(&shape, compact, solver->err);
	if (!status)
		status = give_slots(solver, pack, idle, *compact);
	return status ? status : fill_figures(solver, *compact, idle);
}
