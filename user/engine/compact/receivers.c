// SPDX-License-Identifier: LGPL-2.1-or-later
/* Hosts of a switch that take turns */
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

/* Units that change places such that each host takes part in a frame once */
struct sharing {
	struct pack *pack;
	struct konig konig;
	bool senders;			/* those of a switch share, or else its receivers */
	uint32_t start[PACK_ARENAS], nodes;	/* nodes before the arena, and all */
	uint32_t *left, *right, *colour;	/* by unit */
	struct pack_unit *kept;		/* by unit */
};

/* The @edge-th unit to the switches from @class on, that of each block to its hosts; or to @host */
static uint32_t unit_of(const struct group *group, uint32_t class, uint32_t edge, uint32_t host)
{
	uint32_t node = edge / group->pool;

	return (class + node / group->blocks * group->pool + host) * group->blocks +
	       node % group->blocks;
}

static void number_nodes(struct sharing *sharing, bool senders)
{
	const struct pack *pack = sharing->pack;

	sharing->senders = senders;
	sharing->nodes = 0;
	for (uint32_t a = 0; a < pack->arenas; a++) {
		const struct cells *cells = pack->arena[a].cells;

		sharing->start[a] = sharing->nodes;
		sharing->nodes += pack->arena[a].frames * (senders ? cells->cells : cells->phases);
	}
}

/* Where @unit meets others of its switch: a base frame and phase, up to shifts for senders */
static uint32_t node_of(const struct sharing *sharing, uint32_t block, const struct pack_unit *unit)
{
	const struct arena *arena = &sharing->pack->arena[unit->arena];
	uint32_t pool = sharing->pack->group->pool;
	uint32_t at = !sharing->senders ? unit->phase :
		      cells_of(arena->cells, block / pool * pool, unit->phase);

	return sharing->start[unit->arena] + at * arena->frames + unit->frame;
}

/* The units to @places from @class on, in which a colour is a host */
static int share(struct sharing *sharing, uint32_t class, uint32_t places, struct liquid_error *err)
{
	struct pack *pack = sharing->pack;
	const struct group *group = pack->group;
	uint32_t pool = group->pool;
	struct konig_graph graph = {
		.edges = places * group->blocks, .lefts = places * group->blocks / pool,
		.rights = sharing->nodes, .left = sharing->left, .right = sharing->right,
	};

	for (uint32_t i = 0; i < graph.edges; i++) {
		sharing->kept[i] = pack->unit[unit_of(group, class, i, i % pool)];
		sharing->left[i] = i / pool;
		sharing->right[i] = node_of(sharing, i / pool % group->blocks, &sharing->kept[i]);
	}
	if (!konig_colour(&sharing->konig, &graph, pool, sharing->colour))
		return liquid_no_memory(err);
	for (uint32_t i = 0; i < graph.edges; i++) {
		uint32_t sender = i / pool % group->blocks % pool, to = sharing->colour[i];

		to = sharing->senders ? unit_of(group, class, i, sender) - sender + to :
					unit_of(group, class, i, to);
		pack->unit[to] = sharing->kept[i];
	}
	return LIQUID_OK;
}

int receivers_assign(struct pack *pack, struct liquid_error *err)
{
	uint32_t pool = pack->group->pool, classes = pack->units / pack->group->blocks;
	bool single = pack->group->turns == 1;
	size_t units = single ? pack->units : (size_t)pack->group->blocks * pool;
	struct sharing sharing = { .pack = pack };
	int status = LIQUID_OK;

	sharing.left = calloc(units + 1, sizeof(*sharing.left));
	sharing.right = calloc(units + 1, sizeof(*sharing.right));
	sharing.colour = calloc(units + 1, sizeof(*sharing.colour));
	sharing.kept = calloc(units + 1, sizeof(*sharing.kept));
	if (!sharing.left || !sharing.right || !sharing.colour || !sharing.kept)
		status = liquid_no_memory(err);
	number_nodes(&sharing, true);
	if (!status && single)
		status = share(&sharing, 0, classes, err);
	number_nodes(&sharing, false);
	for (uint32_t c = 0; !status && c < classes; c += pool)
		status = share(&sharing, c, pool, err);
	konig_clear(&sharing.konig);
	free(sharing.left);
	free(sharing.right);
	free(sharing.colour);
	free(sharing.kept);
	return status;
}
