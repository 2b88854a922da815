// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is in the base frames of a kind: a bit for each cell and frame that has no room */
#include <stdlib.h>
#include <string.h>

#include "compact/pack.h"

#define PATHS_MAX (1u << 19)	/* units whose resources are kept */
#define LOAD_WORK 16		/* operations for each resource of the units */

/* ---- paths ---- */

static int walk(const struct pack *pack, uint32_t unit, uint32_t own[CELLS_OF_UNIT])
{
	uint32_t blocks = pack->group->blocks;

	return cells_unit(pack->group, unit % blocks, pack->origin[unit / blocks], own);
}

int pack_path(const struct pack *pack, uint32_t unit, uint32_t own[CELLS_OF_UNIT],
	      const uint32_t **resource)
{
	*resource = own;
	if (!pack->path)
		return walk(pack, unit, own);
	*resource = pack->path + pack->path_of[unit];
	return (int)(pack->path_of[unit + 1] - pack->path_of[unit]);
}

int pack_keep_paths(struct pack *pack, struct liquid_error *err)
{
	uint32_t own[CELLS_OF_UNIT], at = 0;

	if (pack->units > PATHS_MAX)
		return LIQUID_OK;
	pack->path_of = malloc(((size_t)pack->units + 1) * sizeof(*pack->path_of));
	pack->path = malloc((pack->resources + 1) * sizeof(*pack->path));
	if (!pack->path_of || !pack->path)
		return liquid_no_memory(err);
	for (uint32_t u = 0; u < pack->units; u++) {
		int n = walk(pack, u, own);

		pack->path_of[u] = at;
		if (n > 0)
			memcpy(pack->path + at, own, (size_t)n * sizeof(*own));
		at += n > 0 ? (uint32_t)n : 0;
	}
	pack->path_of[pack->units] = at;
	return LIQUID_OK;
}

/* ---- memory ---- */

static size_t rows_of(const struct arena *arena)
{
	return (size_t)arena->cells->cells * arena->most;
}

/* Units are counted where there is room for several. The bits of full[] are for the others. */
static int arena_new_counts(struct arena *arena, struct liquid_error *err)
{
	size_t counts = 0;

	for (uint32_t c = 0; c < arena->cells->cells; c++) {
		arena->used_of[c] = counts;
		counts += arena->room[c] > 1 ? arena->most : 0;
	}
	arena->used = calloc(counts + 1, sizeof(*arena->used));
	arena->useds = counts;
	return arena->used ? LIQUID_OK : liquid_no_memory(err);
}

int arena_new(struct arena *arena, const uint32_t *uses, struct liquid_error *err)
{
	uint32_t count = arena->cells->cells, first = 0;
	size_t rows;

	arena->most = (arena->most + 63) / 64 * 64;
	rows = rows_of(arena);
	if (rows > OWNERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "too large: %u cells in %u base frames",
				   count, arena->most);
	arena->room = calloc((size_t)count + 1, sizeof(*arena->room));
	arena->full = calloc(rows / 64 + 1, sizeof(*arena->full));
	arena->used_of = calloc((size_t)count + 1, sizeof(*arena->used_of));
	if (!arena->room || !arena->full || !arena->used_of)
		return liquid_no_memory(err);
	for (uint32_t c = 0; c < count; c++) {
		uint32_t room = arena->cells->room[c];

		if (c == first + arena->cells->span[first])
			first = c;
		room = room < uses[first] ? room : uses[first];
		arena->room[c] = room < UINT16_MAX ? room : UINT16_MAX;
	}
	return arena_new_counts(arena, err);
}

void arena_free(struct arena *arena)
{
	free(arena->room);
	free(arena->full);
	free(arena->used_of);
	free(arena->used);
	*arena = (struct arena){ .cells = arena->cells, .frames = arena->frames };
}

/* ---- taking and leaving ---- */

static uint32_t used_in(const struct arena *arena, uint32_t cell, uint32_t frame)
{
	if (arena->room[cell] <= 1)
		return arena_is_full(arena, cell, frame);
	return arena->used[arena->used_of[cell] + frame];
}

/* There is one unit more, or less, as @change says. */
static void count_unit(struct arena *arena, uint32_t cell, uint32_t frame, int change)
{
	size_t at = (size_t)cell * arena->most + frame;
	uint64_t bit = UINT64_C(1) << at % 64;
	bool full = change > 0;

	if (arena->room[cell] > 1) {
		uint16_t *used = &arena->used[arena->used_of[cell] + frame];

		*used = (uint16_t)(*used + change);
		full = *used >= arena->room[cell];
	}
	if (full)
		arena->full[at / 64] |= bit;
	else
		arena->full[at / 64] &= ~bit;
}

void pack_take_out(struct pack *pack, uint32_t u)
{
	struct pack_unit *unit = &pack->unit[u];
	struct arena *arena = &pack->arena[unit->arena];
	uint32_t own[CELLS_OF_UNIT], frame = unit->frame;
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);

	for (int k = 0; k < n; k++)
		count_unit(arena, cells_of(arena->cells, resource[k], unit->phase), frame, -1);
	unit->frame = NO_FRAME;
	pack->left[pack->lefts++] = u;
}

void pack_put_path(struct pack *pack, uint32_t u, uint32_t a, uint32_t frame, uint32_t phase,
		   const uint32_t *resource, int n)
{
	struct arena *arena = &pack->arena[a];

	pack->unit[u].arena = a & 1;
	pack->unit[u].frame = frame & NO_FRAME;
	pack->unit[u].phase = (uint16_t)phase;
	for (int k = 0; k < n; k++)
		count_unit(arena, cells_of(arena->cells, resource[k], phase), frame, 1);
}

void pack_put(struct pack *pack, uint32_t u, uint32_t a, uint32_t frame, uint32_t phase)
{
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);

	pack_put_path(pack, u, a, frame, phase, resource, n);
}

static void empty(struct arena *arena)
{
	size_t rows = rows_of(arena);

	memset(arena->used, 0, arena->useds * sizeof(*arena->used));
	memset(arena->full, 0, (rows / 64 + 1) * sizeof(*arena->full));
}

void pack_empty(struct pack *pack)
{
	for (uint32_t a = 0; a < pack->arenas; a++) {
		empty(&pack->arena[a]);
		pack_count(pack, rows_of(&pack->arena[a]) / 8);
	}
}

void pack_load(struct pack *pack)
{
	pack_empty(pack);
	pack_count(pack, pack->resources * LOAD_WORK);
	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t u = pack->order[i];
		const struct pack_unit *unit = &pack->unit[u];

		if (unit->frame != NO_FRAME)
			pack_put(pack, u, unit->arena, unit->frame, unit->phase);
	}
}

/* ---- looking ---- */

/* Is there room for a unit that uses a cell more than once? */
static bool has_room(const struct arena *arena, const uint32_t *cell, int n, uint32_t frame)
{
	for (int k = 0; k < n; k++) {
		uint32_t uses = used_in(arena, cell[k], frame);

		for (int i = 0; i < n; i++)
			uses += cell[i] == cell[k];
		if (uses > arena->room[cell[k]])
			return false;
	}
	return true;
}

bool arena_find_cells(const struct arena *arena, const uint32_t *resource, int n, uint32_t phase,
		      uint32_t cell[CELLS_OF_UNIT])
{
	bool twice = false;

	for (int k = 0; k < n; k++) {
		cell[k] = cells_of(arena->cells, resource[k], phase);
		for (int i = 0; i < k; i++)
			twice |= cell[i] == cell[k];
	}
	return twice;
}

/* The frames of @word in which none of these cells is full */
static uint64_t open_frames(const struct arena *arena, const uint32_t *cell, int n, uint32_t word)
{
	uint64_t full = 0;

	for (int k = 0; k < n; k++)
		full |= arena_full_word(arena, cell[k], word);
	return ~full;
}

uint32_t arena_first_room(const struct arena *arena, const uint32_t *resource, int n,
			  uint32_t phase)
{
	uint32_t cell[CELLS_OF_UNIT];
	bool twice = arena_find_cells(arena, resource, n, phase, cell);

	for (uint32_t w = 0; w * 64 < arena->frames; w++) {
		uint64_t open = open_frames(arena, cell, n, w);

		for (; open; open &= open - 1) {
			uint32_t frame = w * 64 + (uint32_t)__builtin_ctzll(open);

			if (frame >= arena->frames)
				break;
			if (!twice || has_room(arena, cell, n, frame))
				return frame;
		}
	}
	return LIQUID_NONE;
}
