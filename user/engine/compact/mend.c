// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Mending what first fit leaves
 *
 * Where a unit finds no frame, there is mostly one in which a single link is in its way, and
 * whoever has that link has room elsewhere. To see that takes neither rows nor weights, whose
 * memory is many times that of first fit, so it comes before ejection. Only base frames of one
 * phase and kind.
 */
#include <stdlib.h>

#include "compact/pack.h"

#define FEW 256		/* one of so many units is left: more are not mended one by one */

struct mend {
	struct pack *pack;
	uint32_t *head, *next;		/* by frame, by unit: units of a frame */
};

static void enlist(struct mend *mend, uint32_t u)
{
	uint32_t *head = &mend->head[mend->pack->unit[u].frame];

	mend->next[u] = *head;
	*head = u;
}

/* The only one of these that is full in @frame, or LIQUID_NONE: none or several are */
static uint32_t only_full(const struct arena *arena, const uint32_t *resource, int n,
			  uint32_t frame)
{
	uint32_t full = LIQUID_NONE;

	for (int k = 0; k < n; k++) {
		uint32_t cell = cells_of(arena->cells, resource[k], 0);
		const uint64_t *row = arena->full + (size_t)cell * (arena->most / 64);

		if (!(row[frame / 64] >> frame % 64 & 1))
			continue;
		if (full != LIQUID_NONE)
			return LIQUID_NONE;
		full = cell;
	}
	return full;
}

/* Units of blocks to themselves stay where they are: they may have a frame of their own. */
static bool uses(const struct pack *pack, uint32_t u, uint32_t cell)
{
	const struct group *group = pack->group;
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);

	if (group->block[pack->origin[u / group->blocks]] == u % group->blocks)
		return false;
	for (int k = 0; k < n; k++)
		if (cells_of(pack->arena[0].cells, resource[k], 0) == cell)
			return true;
	return false;
}

/* Another frame for @u, which is in the way; LIQUID_NONE: there is none. Its own has no room. */
static uint32_t other_frame(const struct pack *pack, uint32_t u)
{
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);

	return arena_first_room(&pack->arena[0], resource, n, 0);
}

/* Move somebody who has @cell in @frame out of the way. */
static bool clear(struct mend *mend, uint32_t cell, uint32_t frame)
{
	struct pack *pack = mend->pack;

	for (uint32_t *at = &mend->head[frame]; *at != LIQUID_NONE; at = &mend->next[*at]) {
		uint32_t u = *at, to = uses(pack, u, cell) ? other_frame(pack, u) : LIQUID_NONE;

		if (to == LIQUID_NONE)
			continue;
		*at = mend->next[u];
		pack_take_out(pack, u);
		pack->lefts--;		/* the last that is left is @u */
		pack_put(pack, u, 0, to, 0);
		enlist(mend, u);
		return true;
	}
	return false;
}

static bool place(struct mend *mend, uint32_t u)
{
	struct pack *pack = mend->pack;
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);

	for (uint32_t f = 0; f < pack->arena[0].frames; f++) {
		uint32_t cell = only_full(&pack->arena[0], resource, n, f);

		if (cell == LIQUID_NONE || !clear(mend, cell, f))
			continue;
		if (arena_first_room(&pack->arena[0], resource, n, 0) != f)
			continue;	/* it takes more than that one had */
		pack_put(pack, u, 0, f, 0);
		enlist(mend, u);
		return true;
	}
	return false;
}

static bool is_simple(const struct pack *pack)
{
	return pack->lefts && pack->lefts <= pack->orders / FEW && pack->arenas == 1 &&
	       pack->arena[0].cells->phases == 1 && !pack->rows;
}

void pack_mend(struct pack *pack)
{
	struct mend mend = { .pack = pack };

	if (!is_simple(pack))
		return;
	mend.head = malloc(((size_t)pack->arena[0].frames + 1) * sizeof(*mend.head));
	mend.next = malloc(((size_t)pack->units + 1) * sizeof(*mend.next));
	if (mend.head && mend.next) {
		for (uint32_t f = 0; f < pack->arena[0].frames; f++)
			mend.head[f] = LIQUID_NONE;
		for (uint32_t i = 0; i < pack->orders; i++)
			if (pack->unit[pack->order[i]].frame != LIQUID_NONE)
				enlist(&mend, pack->order[i]);
		/* the hardest first; one that stays needs ejection, and so can the others */
		while (pack->lefts && place(&mend, pack->left[pack->lefts - 1]))
			pack->lefts--;
	}
	free(mend.head);
	free(mend.next);
}
