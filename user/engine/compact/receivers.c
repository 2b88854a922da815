// SPDX-License-Identifier: LGPL-2.1-or-later
/* Receivers of a switch */
#include <stdlib.h>
#include <string.h>

#include "compact/receivers.h"
#include "problem/edge-colour.h"

/* Does each switch have one block, all of the same size, and shifts none within a block? */
static bool has_whole_blocks(const struct group *group)
{
	for (uint32_t b = 0; b < group->blocks; b++)
		if (group->first[b + 1] - group->first[b] != group->turns ||
		    (b && group->home[b] == group->home[b - 1]))
			return false;
	for (uint32_t i = 0; i < group->shifts; i++)
		if (group->shift[i].stride < group->turns)
			return false;
	return group->turns > 1;
}

/*
 * Is the route from @block to @place that to the first host of the same block, except for the end?
 */
static bool is_twin(const struct group *group, uint32_t block, uint32_t place)
{
	uint32_t one[LIQUID_PATH_MAX], other[LIQUID_PATH_MAX];
	uint32_t first = group->first[group->block[place]];
	int n = group_path(group, block, place, one);

	return n > 0 && n == group_path(group, block, first, other) &&
	       !memcmp(one, other, (size_t)(n - 1) * sizeof(*one)) &&
	       liquid_fabric_capacity(group->fabric, one[n - 1]) == 1;
}

bool receivers_may_pool(const struct group *group, const uint32_t *origin, uint32_t classes)
{
	if (group->pool || !has_whole_blocks(group))
		return false;
	for (uint32_t b = 0; b < group->blocks; b++)
		for (uint32_t c = 0; c < classes; c++)
			if (!is_twin(group, b, origin[c]))
				return false;
	return true;
}

struct assigning {
	struct pack *pack;
	struct konig konig;
	uint32_t start[PACK_ARENAS];	/* phases before the arena */
	uint32_t phases;
	uint32_t *block, *phase, *host;	/* by unit of a switch */
	struct pack_unit *kept;		/* by the same */
};

static void list_units(struct assigning *now, uint32_t class)
{
	struct pack *pack = now->pack;
	uint32_t blocks = pack->group->blocks;

	for (uint32_t i = 0; i < blocks * pack->group->turns; i++) {
		const struct pack_unit *unit = &pack->unit[class * blocks + i];

		now->kept[i] = *unit;
		now->block[i] = i % blocks;
		now->phase[i] = now->start[unit->arena] + unit->phase +
				unit->frame * pack->arena[unit->arena].cells->phases;
	}
}

/* The units to the hosts of @class and those after it, which share a switch */
static int assign(struct assigning *now, uint32_t class, struct liquid_error *err)
{
	struct pack *pack = now->pack;
	uint32_t blocks = pack->group->blocks, units = blocks * pack->group->turns;
	struct konig_graph graph = {
		.edges = units, .lefts = blocks, .rights = now->phases,
		.left = now->block, .right = now->phase,
	};

	list_units(now, class);
	if (!konig_colour(&now->konig, &graph, pack->group->turns, now->host))
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for receivers");
	for (uint32_t i = 0; i < units; i++)
		pack->unit[(class + now->host[i]) * blocks + i % blocks] = now->kept[i];
	return LIQUID_OK;
}

int receivers_assign(struct pack *pack, struct liquid_error *err)
{
	uint32_t turns = pack->group->turns, classes = pack->units / pack->group->blocks;
	size_t units = (size_t)pack->group->blocks * turns;
	struct assigning now = { .pack = pack };
	int status = LIQUID_OK;

	for (uint32_t a = 0; a < pack->arenas; a++) {
		now.start[a] = now.phases;
		now.phases += pack->arena[a].frames * pack->arena[a].cells->phases;
	}
	now.block = calloc(units + 1, sizeof(*now.block));
	now.phase = calloc(units + 1, sizeof(*now.phase));
	now.host = calloc(units + 1, sizeof(*now.host));
	now.kept = calloc(units + 1, sizeof(*now.kept));
	if (!now.block || !now.phase || !now.host || !now.kept)
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for receivers");
	for (uint32_t c = 0; !status && c < classes; c += turns)
		status = assign(&now, c, err);
	konig_clear(&now.konig);
	free(now.block);
	free(now.phase);
	free(now.host);
	free(now.kept);
	return status;
}
