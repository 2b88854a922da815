// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Units by ejection
 *
 * Those that are left, and those in frames that are not closed, are its transfers. An arena is a
 * kind of frames, where the cells of a class are a cycle; phases turn it the other way round.
 */
#include <stdlib.h>

#include "compact/pack.h"
#include "solve/ejection/ejection.h"

#define SLICES 16		/* of a run that is rated */
#define AT_ONCE 16		/* the cells of units are few, so they are in the cache */

struct moving {
	struct pack *pack;
	struct routes routes;		/* a pair and a transfer for each unit */
	struct ejection_kind kind[PACK_ARENAS];
	uint32_t *first[PACK_ARENAS], *links[PACK_ARENAS];	/* of the kinds */
	uint32_t *unit;			/* by transfer */
	struct ejection ejection;
};

static void moving_free(struct moving *moving)
{
	ejection_clear(&moving->ejection);
	for (uint32_t a = 0; a < PACK_ARENAS; a++) {
		free(moving->first[a]);
		free(moving->links[a]);
	}
	free(moving->routes.first_transfer);
	free(moving->unit);
}

static bool is_moving(const struct pack *pack, uint32_t u)
{
	const struct pack_unit *unit = &pack->unit[u];

	return unit->frame != NO_FRAME && unit->frame >= pack->arena[unit->arena].closed;
}

static bool list_units(struct moving *moving)
{
	const struct pack *pack = moving->pack;
	uint32_t count = pack->lefts;

	for (uint32_t i = 0; i < pack->orders; i++)
		count += is_moving(pack, pack->order[i]);
	moving->unit = calloc((size_t)count + 1, sizeof(*moving->unit));
	moving->routes.first_transfer = calloc((size_t)count + 1,
					       sizeof(*moving->routes.first_transfer));
	if (!moving->unit || !moving->routes.first_transfer)
		return false;
	for (count = 0; count < pack->lefts; count++)
		moving->unit[count] = pack->left[count];
	for (uint32_t i = 0; i < pack->orders; i++)
		if (is_moving(pack, pack->order[i]))
			moving->unit[count++] = pack->order[i];
	for (uint32_t i = 0; i <= count; i++)
		moving->routes.first_transfer[i] = i;
	moving->routes.pair_count = moving->routes.transfer_count = count;
	return true;
}

/* The cells of all units that @a holds, in phase 0 */
static bool list_cells(struct moving *moving, uint32_t a)
{
	const struct pack *pack = moving->pack;
	const struct arena *arena = &pack->arena[a];
	uint32_t count = moving->routes.pair_count, at = 0;
	uint32_t *first = calloc((size_t)count + 1, sizeof(*first));
	uint32_t *links = malloc((pack->resources + 1) * sizeof(*links));

	moving->first[a] = first;
	moving->links[a] = links;
	if (!first || !links)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t own[CELLS_OF_UNIT], u = moving->unit[i];
		const uint32_t *resource;
		int n = pack_path(pack, u, own, &resource);

		for (int k = 0; k < n && pack->unit[u].fits & 1 << a; k++)
			links[at++] = cells_of(arena->cells, resource[k], 0);
		first[i + 1] = at;
	}
	moving->kind[a] = (struct ejection_kind){
		.frames = arena->frames - arena->closed, .phases = arena->cells->phases,
		.cell_count = arena->cells->cells, .capacity = arena->room,
		.first = first, .links = links, .span = arena->cells->span,
	};
	return true;
}

/* A phase of ejection in @arena, and back */
static uint32_t other_way(const struct arena *arena, uint32_t phase)
{
	return phase ? arena->cells->phases - phase : 0;
}

static void put_units(struct moving *moving)
{
	const struct pack *pack = moving->pack;

	moving->ejection.once = true;
	moving->ejection.patient = true;
	moving->ejection.at_once = AT_ONCE;
	for (uint32_t i = 0; i < moving->routes.transfer_count; i++) {
		const struct pack_unit *unit = &pack->unit[moving->unit[i]];
		const struct arena *arena = &pack->arena[unit->arena];

		moving->ejection.item[i].weight = unit->weight;
		if (i >= pack->lefts)
			ejection_put(&moving->ejection, i, unit->arena,
				     other_way(arena, unit->phase), unit->frame - arena->closed);
	}
}

static int moving_new(struct moving *moving, struct pack *pack, struct liquid_error *err)
{
	int status;

	*moving = (struct moving){ .pack = pack };
	if (pack->resources > UINT32_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "too many units to move");
	for (uint32_t a = 0; a < pack->arenas; a++)
		if ((!a && !list_units(moving)) || !list_cells(moving, a))
			return liquid_no_memory(err);
	status = ejection_new_kinds(&moving->ejection, &moving->routes, moving->kind, pack->arenas,
				    random_next(&pack->random), err);
	if (status)
		return status;
	put_units(moving);
	return ejection_open(&moving->ejection, moving->kind->frames, err);
}

/* @on: even if there is too little progress */
static void run(struct moving *moving, uint64_t work, bool on)
{
	struct budget *budget = moving->pack->budget;
	uint64_t outer = budget_narrow(budget, work), done = budget->state.done;

	while (ejection_run(&moving->ejection, budget) == EJECTION_STUCK && on)
		;
	budget_widen(budget, outer);
	budget->state.done = done;
}

/* Where ejection has a unit; NO_FRAME: nowhere */
static struct pack_unit place_of(const struct moving *moving, uint32_t transfer)
{
	struct pack_unit place = moving->pack->unit[moving->unit[transfer]];
	uint32_t a = moving->ejection.item[transfer].kind;
	const struct arena *arena = &moving->pack->arena[a];

	place.frame = NO_FRAME;
	if (moving->ejection.frame[transfer] == LIQUID_NONE)
		return place;
	place.arena = a & 1;
	place.frame = (moving->ejection.frame[transfer] + arena->closed) & NO_FRAME;
	place.phase = (uint16_t)other_way(arena, moving->ejection.phase[transfer]);
	return place;
}

/* Move all units to where ejection has them. */
static void take_places(const struct moving *moving)
{
	struct pack *pack = moving->pack;
	uint32_t count = moving->routes.transfer_count;

	for (uint32_t i = 0; i < count; i++) {
		struct pack_unit *unit = &pack->unit[moving->unit[i]], place = place_of(moving, i);

		if (unit->frame != NO_FRAME && (unit->frame != place.frame ||
						unit->arena != place.arena ||
						unit->phase != place.phase))
			pack_take_out(pack, moving->unit[i]);
	}
	pack->lefts = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct pack_unit *unit = &pack->unit[moving->unit[i]], place = place_of(moving, i);

		unit->weight = moving->ejection.item[i].weight;
		if (place.frame == NO_FRAME)
			pack->left[pack->lefts++] = moving->unit[i];
		else if (unit->frame == NO_FRAME)
			pack_put(pack, moving->unit[i], place.arena, place.frame, place.phase);
	}
}

int pack_eject(struct pack *pack, uint64_t work, bool on, struct liquid_error *err)
{
	struct moving moving;
	int status = moving_new(&moving, pack, err);

	if (!status) {
		run(&moving, work, on);
		take_places(&moving);
	}
	moving_free(&moving);
	return status;
}

int pack_eject_rated(struct pack *pack, uint64_t *crowd, struct liquid_error *err)
{
	struct moving moving;
	int status = moving_new(&moving, pack, err);
	uint64_t slice = budget_left(pack->budget) / SLICES;
	uint32_t *left = &moving.ejection.waiting_count;

	*crowd = 0;
	for (uint32_t i = 0; i < SLICES && !status && *left; i++) {
		run(&moving, slice, false);
		*crowd += i < SLICES / 2 ? 0 : *left * 64 / (SLICES / 2);
	}
	if (!status)
		take_places(&moving);
	if (!pack->lefts)
		*crowd = 0;
	moving_free(&moving);
	return status;
}
