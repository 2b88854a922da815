// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What is in the base frames of a kind
 *
 * First fit needs a bit for each cell and frame. Ejection has rows: for each cell the weight of
 * who is in the way, over all frames, next to each other in memory, so that a unit is weighed in
 * all frames at once. They are made when the first unit has to be put out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/machines.h"
#include "compact/pack.h"

#define PATHS_MAX (1u << 19)	/* units whose resources are kept */
#define LOAD_WORK 16		/* operations for each resource of the units, ... */
#define WEIGH_WORK 4		/* ... and for each frame of a cell */

/* Vectors of the compiler: the sums are the same on every machine. */
typedef uint16_t lanes __attribute__((vector_size(32), may_alias, aligned(2)));
#define LANES (sizeof(lanes) / sizeof(uint16_t))

static int no_memory(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory to place units");
}

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
		return no_memory(err);
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

/* Units are counted where there is room for several. The bits of full[] tell of the others. */
static int arena_new_counts(struct arena *arena, struct liquid_error *err)
{
	size_t counts = 0;

	for (uint32_t c = 0; c < arena->cells->cells; c++) {
		arena->used_of[c] = counts;
		counts += arena->room[c] > 1 ? arena->most : 0;
	}
	arena->used = calloc(counts + 1, sizeof(*arena->used));
	arena->useds = counts;
	return arena->used ? LIQUID_OK : no_memory(err);
}

/* Frames in whole vectors, such that no 64 bits of full[] are cut among cells */
static uint32_t whole_vectors(uint32_t frames)
{
	uint32_t vectors = (frames + (uint32_t)LANES - 1) / (uint32_t)LANES;

	if (vectors > 2)
		vectors = (vectors + 3) / 4 * 4;
	return vectors * (uint32_t)LANES;
}

int arena_new(struct arena *arena, const uint32_t *uses, struct liquid_error *err)
{
	uint32_t count = arena->cells->cells, first = 0;
	size_t rows;

	arena->most = whole_vectors(arena->most);
	rows = rows_of(arena);
	if (rows > OWNERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "too large: %u cells in %u base frames",
				   count, arena->most);
	arena->room = calloc((size_t)count + 1, sizeof(*arena->room));
	arena->full = calloc(rows / 64 + 1, sizeof(*arena->full));
	arena->used_of = calloc((size_t)count + 1, sizeof(*arena->used_of));
	if (!arena->room || !arena->full || !arena->used_of)
		return no_memory(err);
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
	free(arena->owner_of);
	free(arena->owner);
	free(arena->cost);
	free(arena->who);
	*arena = (struct arena){ .cells = arena->cells, .frames = arena->frames };
}

static int arena_open_rows(struct arena *arena, struct liquid_error *err)
{
	uint32_t count = arena->cells->cells;
	size_t owners = 0, rows = rows_of(arena);

	arena->owner_of = calloc((size_t)count + 1, sizeof(*arena->owner_of));
	if (!arena->owner_of)
		return no_memory(err);
	for (uint32_t c = 0; c < count; c++) {
		arena->owner_of[c] = owners;
		owners += (size_t)arena->room[c] * arena->most;
	}
	if (owners > OWNERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "too large: %u cells in %u base frames",
				   count, arena->most);
	arena->owner = calloc(owners + 1, sizeof(*arena->owner));
	arena->cost = calloc(rows + LANES, sizeof(*arena->cost));
	arena->who = calloc(rows + LANES, sizeof(*arena->who));
	return arena->owner && arena->cost && arena->who ? LIQUID_OK : no_memory(err);
}

/* ---- taking and leaving ---- */

static uint32_t *owners_of(const struct arena *arena, uint32_t cell, uint32_t frame)
{
	return arena->owner + arena->owner_of[cell] + (size_t)arena->room[cell] * frame;
}

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

/* Where there is room nobody is in the way, and nobody is who was there before. */
static void set_cost(const struct pack *pack, struct arena *arena, uint32_t cell, uint32_t frame)
{
	size_t at = (size_t)cell * arena->most + frame;
	const uint32_t *owner = owners_of(arena, cell, frame);
	uint32_t least = UINT32_MAX, who = 0, used = used_in(arena, cell, frame);

	if (used < arena->room[cell])
		least = 0;
	for (uint32_t i = 0; least && i < used; i++)
		if (pack->unit[owner[i]].weight < least) {
			least = pack->unit[owner[i]].weight;
			who = owner[i] % UINT16_MAX + 1;
		}
	arena->cost[at] = (uint16_t)least;
	arena->who[at] = (uint16_t)who;
}

static void disown(struct arena *arena, uint32_t cell, uint32_t frame, uint32_t u)
{
	uint32_t *owner = owners_of(arena, cell, frame), i = 0;

	while (owner[i] != u)
		i++;
	owner[i] = owner[used_in(arena, cell, frame) - 1];
}

void pack_take_out(struct pack *pack, uint32_t u)
{
	struct pack_unit *unit = &pack->unit[u];
	struct arena *arena = &pack->arena[unit->arena];
	uint32_t own[CELLS_OF_UNIT], frame = unit->frame;
	const uint32_t *resource;
	int n = pack_path(pack, u, own, &resource);

	for (int k = 0; k < n; k++) {
		uint32_t cell = cells_of(arena->cells, resource[k], unit->phase);

		if (pack->rows)
			disown(arena, cell, frame, u);
		count_unit(arena, cell, frame, -1);
		if (pack->rows)
			set_cost(pack, arena, cell, frame);
	}
	unit->frame = NO_FRAME;
	pack->left[pack->lefts++] = u;
}

/* The owner with the least weight that is not @u */
static uint32_t weakest(const struct pack *pack, const uint32_t *owner, uint32_t used, uint32_t u)
{
	uint32_t best = LIQUID_NONE;

	for (uint32_t i = 0; i < used; i++)
		if (owner[i] != u && (best == LIQUID_NONE || pack->unit[owner[i]].weight <
							     pack->unit[best].weight))
			best = owner[i];
	return best;
}

/* What @u has itself in the cell fits, see cells_hold(). Without rows there is room. */
static void take(struct pack *pack, struct arena *arena, uint32_t cell, uint32_t frame, uint32_t u)
{
	if (pack->rows) {
		uint32_t *owner = owners_of(arena, cell, frame), used;

		while ((used = used_in(arena, cell, frame)) == arena->room[cell])
			pack_take_out(pack, weakest(pack, owner, used, u));
		owner[used] = u;
	}
	count_unit(arena, cell, frame, 1);
	if (pack->rows)
		set_cost(pack, arena, cell, frame);
}

void pack_put_path(struct pack *pack, uint32_t u, uint32_t a, uint32_t frame, uint32_t phase,
		   const uint32_t *resource, int n)
{
	struct arena *arena = &pack->arena[a];

	pack->unit[u].arena = a & 1;
	pack->unit[u].frame = frame & NO_FRAME;
	pack->unit[u].phase = (uint16_t)phase;
	for (int k = 0; k < n; k++)
		take(pack, arena, cells_of(arena->cells, resource[k], phase), frame, u);
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
	if (arena->cost) {
		memset(arena->cost, 0, rows * sizeof(*arena->cost));
		memset(arena->who, 0, rows * sizeof(*arena->who));
	}
}

void pack_empty(struct pack *pack)
{
	for (uint32_t a = 0; a < pack->arenas; a++) {
		empty(&pack->arena[a]);
		pack_count(pack, rows_of(&pack->arena[a]) / 8);
	}
}

void pack_load_rows(struct pack *pack)
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

int pack_open_rows(struct pack *pack, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t a = 0; !status && a < pack->arenas; a++)
		status = arena_open_rows(&pack->arena[a], err);
	pack->rows = !status;
	if (!status)
		pack_load_rows(pack);
	return status;
}

void pack_weigh_rows(struct pack *pack)
{
	for (uint32_t a = 0; a < pack->arenas; a++) {
		pack_count(pack, rows_of(&pack->arena[a]) * WEIGH_WORK);
		for (uint32_t c = 0; c < pack->arena[a].cells->cells; c++)
			for (uint32_t f = 0; f < pack->arena[a].frames; f++)
				set_cost(pack, &pack->arena[a], c, f);
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

/* Who is put out by two links that follow each other is counted once. */
FOR_EACH_MACHINE
static uint16_t sum_rows(const uint16_t *const *cost, const uint16_t *const *who, int n,
			 uint32_t frames, uint16_t *sum)
{
	lanes least = (lanes){ 0 } + UINT16_MAX, smaller;
	uint16_t best = UINT16_MAX;

	for (uint32_t f = 0; f < frames; f += LANES) {
		lanes all = *(const lanes *)(cost[0] + f), last = *(const lanes *)(who[0] + f);

		for (int k = 1; k < n; k++) {
			lanes next = *(const lanes *)(who[k] + f);

			all += *(const lanes *)(cost[k] + f) & (lanes)(next != last);
			last = next;
		}
		for (uint32_t i = frames - f; i < LANES; i++)
			all[i] = UINT16_MAX;
		*(lanes *)(sum + f) = all;
		smaller = (lanes)(all < least);
		least = (all & smaller) | (least & ~smaller);
	}
	for (uint32_t i = 0; i < LANES; i++)
		best = least[i] < best ? least[i] : best;
	return best;
}

uint16_t pack_sum_rows(struct pack *pack, const struct arena *arena, const uint32_t *resource,
		       int n, uint32_t phase)
{
	const uint16_t *cost[CELLS_OF_UNIT], *who[CELLS_OF_UNIT];
	uint32_t frames = arena->frames - arena->closed;

	for (int k = 0; k < n; k++) {
		size_t at = (size_t)cells_of(arena->cells, resource[k], phase) * arena->most +
			    arena->closed;

		cost[k] = arena->cost + at;
		who[k] = arena->who + at;
	}
	budget_spend(pack->budget, (uint64_t)(n + 2) * frames / 8 + (uint64_t)n * 8 + 24);
	return sum_rows(cost, who, n, frames, pack->sum);
}
