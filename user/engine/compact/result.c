// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a schedule of orbits says: its shape, the slots of its units, and its figures */
#include <stdlib.h>
#include <string.h>

#include "compact/solver.h"
#include "fabric/fabric.h"

/* Frames that come before the @arena: those of the second are first. */
static uint32_t start_of(const struct pack *pack, uint32_t arena)
{
	return arena || pack->arenas == 1 ? 0 :
	       pack->arena[1].frames * pack->arena[1].cells->phases * pack->group->turns;
}

/* Cells of blocks come before all others. */
static uint32_t cells_of_blocks(const struct cells *cells)
{
	uint32_t end = 0;

	for (uint32_t b = 0; b < cells->group->blocks; b++)
		if (cells->first[b] + cells->cycle[b] > end)
			end = cells->first[b] + cells->cycle[b];
	return end;
}

/* Slots are given as units come; those of a block in a base frame and phase have others each. */
static int give_slots(struct solver *solver, const struct pack *pack, bool idle,
		      struct orbits *orbits)
{
	const struct group *group = pack->group;
	uint32_t *slots[PACK_ARENAS] = { NULL };
	int status = LIQUID_OK;

	for (uint32_t a = 0; a < pack->arenas; a++) {
		const struct arena *arena = &pack->arena[a];

		slots[a] = calloc((size_t)cells_of_blocks(arena->cells) * arena->frames + 1,
				  sizeof(*slots[a]));
		status = slots[a] ? status : liquid_no_memory(solver->err);
	}
	for (uint32_t u = 0; !status && u < pack->units; u++) {
		const struct pack_unit *unit = &pack->unit[u];
		const struct arena *arena = &pack->arena[unit->arena];
		uint32_t block = u % group->blocks, place = pack->origin[u / group->blocks], slot;

		orbits->frame[u] = 0;
		if (unit->frame == NO_FRAME)
			continue;
		slot = slots[unit->arena][(size_t)cells_of(arena->cells, block, unit->phase) *
					  arena->frames + unit->frame]++;
		/* in a frame of such units, those that send to themselves do so in the last turn */
		if (idle && unit->frame == arena->frames - 1 && !unit->arena)
			slot = place - group->first[block] + 1;
		orbits->frame[u] = start_of(pack, unit->arena) +
			(unit->frame * arena->cells->phases + unit->phase) * group->turns +
			(group->turns - slot % group->turns) % group->turns;
	}
	for (uint32_t a = 0; a < PACK_ARENAS; a++)
		free(slots[a]);
	return status;
}

/*
 * If some base frame of one phase has units of blocks to themselves alone, none sends in one of
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

		if (!pack->unit[u].arena && !pack_is_own(pack, u))
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

int result_take_figures(struct solver *solver, struct liquid_schedule *schedule)
{
	struct liquid_schedule_info *info = &schedule->info;

	info->transfers = orbits_transfers(schedule->orbits);
	info->duration = info->lower_bound = solver->figures.duration;
	info->fluid_bound = solver->figures.fluid_bound;
	info->certificate = info->length == info->duration ? LIQUID_CERT_LIQUID : LIQUID_CERT_GAP;
	return orbits_traffic_digest(schedule->orbits, schedule->traffic_digest, solver->err);
}

static int fill(struct solver *solver, struct liquid_schedule *schedule)
{
	const struct group *group = &solver->group;
	struct liquid_schedule_info *info = &schedule->info;
	char **names = schedule->orbits->names;
	int status;

	info->seed = solver->options.seed;
	info->work = solver->options.work;
	info->unit_bytes = solver->options.unit_bytes;
	info->link_rate_bps = solver->options.link_rate_bps;
	if (!schedule_set_text(&schedule->fabric_name, &info->fabric_name,
			       liquid_fabric_name(group->fabric)) ||
	    !schedule_set_text(&schedule->method, &info->method, "compact"))
		return liquid_no_memory(solver->err);
	for (uint32_t p = 0; p < group->places; p++) {
		names[p] = strdup(liquid_fabric_node_name(group->fabric, group->host[p]));
		if (!names[p])
			return liquid_no_memory(solver->err);
	}
	status = orbits_sort_names(schedule->orbits, solver->err);
	if (!status)
		status = result_take_figures(solver, schedule);
	return status ? status : fabric_digest_by(group->fabric, solver->threads,
						  schedule->fabric_digest, solver->err);
}

int result_of(struct solver *solver, struct orbits *orbits, bool idle,
	      struct liquid_schedule **schedule)
{
	int status;

	*schedule = schedule_of_orbits(orbits);
	if (!*schedule)
		return liquid_no_memory(solver->err);
	(*schedule)->info.length = orbits->shape.frames - idle;
	status = fill(solver, *schedule);
	if (status) {
		liquid_schedule_free(*schedule);
		*schedule = NULL;
	}
	return status;
}

int result_make(struct solver *solver, struct pack *pack, const struct choice_of_kinds *choice,
		struct liquid_schedule **schedule)
{
	bool idle = find_idle(pack);
	struct liquid_shape shape;
	struct orbits *orbits;
	int status;

	*schedule = NULL;
	shape_of(pack, choice, &shape);
	status = orbits_new(&shape, &orbits, solver->err);
	if (status)
		return status;
	status = give_slots(solver, pack, idle, orbits);
	if (!status)
		return result_of(solver, orbits, idle, schedule);
	orbits_free(orbits);
	return status;
}

void result_keep(struct liquid_schedule **best, struct liquid_schedule *other)
{
	if (*best && (*best)->info.length <= other->info.length) {
		liquid_schedule_free(other);
		return;
	}
	liquid_schedule_free(*best);
	*best = other;
}
