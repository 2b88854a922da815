// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Placing units in base frames
 *
 * First fit, the hardest units first; then ejection: a unit that is left goes where it puts out the
 * least, by weights that grow with each time a unit was left. What it costs is a sum of rows, one
 * for each cell that it takes, over all base frames of an arena at once. If that gets nowhere, a
 * base frame more is opened.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/pack.h"

#define LANES 8			/* frames that are summed at once */
#define WEIGHT_MAX 900		/* times CELLS_OF_UNIT below 65,536 */
#define WEIGHT_RARE 60		/* at first, of units that the first arena does not hold */
#define OWNERS_MAX (1u << 28)
#define PATIENCE 3		/* part of work and moves that are left, before a frame more */
#define MOVES_OF_UNIT 300	/* of ejection, for each unit: more gain little */

static int no_memory(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_NO_MEMORY, "no memory to place units");
}

static int resources_of(const struct pack *pack, uint32_t unit, uint32_t resource[CELLS_OF_UNIT])
{
	uint32_t blocks = pack->group->blocks;

	return cells_unit(pack->group, unit % blocks, pack->origin[unit / blocks], resource);
}

/* ---- what is hard ---- */

/* By class of cells, at its first: units that use it */
static uint32_t *count_uses(const struct pack *pack, const struct arena *arena, uint8_t bit)
{
	uint32_t *uses = calloc((size_t)arena->cells->cells + 1, sizeof(*uses));

	for (uint32_t u = 0; uses && u < pack->units; u++) {
		uint32_t resource[CELLS_OF_UNIT];
		int n = pack->unit[u].fits & bit ? resources_of(pack, u, resource) : 0;

		for (int k = 0; k < n; k++)
			uses[arena->cells->first[resource[k]]]++;
	}
	return uses;
}

static int find_fits(struct pack *pack, struct liquid_error *err)
{
	for (uint32_t u = 0; u < pack->units; u++) {
		uint32_t resource[CELLS_OF_UNIT];
		int n = resources_of(pack, u, resource);
		const struct group *group = pack->group;
		uint32_t receiver = group->host[pack->origin[u / group->blocks]];

		pack->unit[u] = (struct pack_unit){ .frame = LIQUID_NONE, .weight = 1 };
		if (n < 0)
			return liquid_fail(err, LIQUID_BAD_INPUT, "no route to %.200s",
					   liquid_fabric_node_name(group->fabric, receiver));
		if (!n)
			continue;
		for (uint32_t a = 0; a < pack->arenas; a++)
			if (cells_hold(pack->arena[a].cells, resource, n))
				pack->unit[u].fits |= (uint8_t)(1 << a);
		if (!pack->unit[u].fits)
			return liquid_fail(err, LIQUID_LIMIT, "a unit fits in no frame");
		if (!(pack->unit[u].fits & 1))
			pack->unit[u].weight = WEIGHT_RARE;
		pack->order[pack->orders++] = u;
	}
	return LIQUID_OK;
}

struct rank {
	double hard;
	uint32_t unit;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *one = a, *other = b;

	if (one->hard != other->hard)
		return one->hard > other->hard ? -1 : 1;
	return one->unit < other->unit ? -1 : 1;
}

/* Those that not all arenas hold first; then by how full the links of a unit will be, in sum */
static int rank_units(struct pack *pack, uint32_t *const *uses, struct liquid_error *err)
{
	struct rank *rank = calloc((size_t)pack->orders + 1, sizeof(*rank));

	if (!rank)
		return no_memory(err);
	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t resource[CELLS_OF_UNIT], u = pack->order[i];
		uint32_t a = pack->unit[u].fits & 1 ? 0 : 1;
		const struct cells *cells = pack->arena[a].cells;
		int n = resources_of(pack, u, resource);

		rank[i] = (struct rank){ a * 1e6, u };
		for (int k = 1; k < n; k++) {
			uint32_t cell = cells->first[resource[k]];

			rank[i].hard += uses[a][cell] /
					((double)cells->room[cell] * cells->span[cell] *
					 pack->arena[a].frames);
		}
	}
	qsort(rank, pack->orders, sizeof(*rank), compare_ranks);
	for (uint32_t i = 0; i < pack->orders; i++)
		pack->order[i] = rank[i].unit;
	free(rank);
	return LIQUID_OK;
}

/* ---- memory ---- */

static int arena_new(struct arena *arena, const uint32_t *uses, struct liquid_error *err)
{
	uint32_t count = arena->cells->cells;
	size_t owners = 0, rows;

	arena->most = (arena->most + LANES - 1) / LANES * LANES;
	arena->room = calloc((size_t)count + 1, sizeof(*arena->room));
	arena->owner_of = calloc((size_t)count + 1, sizeof(*arena->owner_of));
	if (!arena->room || !arena->owner_of)
		return no_memory(err);
	for (uint32_t c = 0, first = 0; c < count; c++) {
		if (c == first + arena->cells->span[first])
			first = c;
		arena->room[c] = arena->cells->room[c] < uses[first] ? arena->cells->room[c] :
				 uses[first];
		arena->owner_of[c] = owners;
		owners += (size_t)arena->room[c] * arena->most;
	}
	rows = (size_t)count * arena->most;
	if (owners > OWNERS_MAX || rows > OWNERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "too large: %u cells in %u base frames",
				   count, arena->most);
	arena->cost = calloc(rows + 1, sizeof(*arena->cost));
	arena->who = calloc(rows + 1, sizeof(*arena->who));
	arena->used = calloc(rows + 1, sizeof(*arena->used));
	arena->owner = calloc(owners + 1, sizeof(*arena->owner));
	return arena->cost && arena->who && arena->used && arena->owner ? LIQUID_OK :
	       no_memory(err);
}

int pack_new(struct pack *pack, struct liquid_error *err)
{
	uint32_t *uses[PACK_ARENAS] = { NULL }, most = 0;
	int status = LIQUID_OK;

	pack->unit = calloc((size_t)pack->units + 1, sizeof(*pack->unit));
	pack->order = calloc((size_t)pack->units + 1, sizeof(*pack->order));
	pack->left = calloc((size_t)pack->units + 1, sizeof(*pack->left));
	if (!pack->unit || !pack->order || !pack->left)
		return no_memory(err);
	status = find_fits(pack, err);
	for (uint32_t a = 0; !status && a < pack->arenas; a++) {
		uses[a] = count_uses(pack, &pack->arena[a], (uint8_t)(1 << a));
		status = uses[a] ? arena_new(&pack->arena[a], uses[a], err) : no_memory(err);
		most = pack->arena[a].most > most ? pack->arena[a].most : most;
	}
	if (!status)
		status = rank_units(pack, uses, err);
	for (uint32_t a = 0; a < pack->arenas; a++)
		free(uses[a]);
	pack->sum = calloc((size_t)most + 1, sizeof(*pack->sum));
	return pack->sum || status ? status : no_memory(err);
}

void pack_free(struct pack *pack)
{
	for (uint32_t a = 0; a < pack->arenas; a++) {
		free(pack->arena[a].room);
		free(pack->arena[a].owner_of);
		free(pack->arena[a].cost);
		free(pack->arena[a].who);
		free(pack->arena[a].used);
		free(pack->arena[a].owner);
	}
	free(pack->unit);
	free(pack->order);
	free(pack->left);
	free(pack->sum);
}

/* ---- taking and leaving ---- */

static uint32_t *owners_of(const struct arena *arena, uint32_t cell, uint32_t frame)
{
	return arena->owner + arena->owner_of[cell] + (size_t)arena->room[cell] * frame;
}

static void set_cost(const struct pack *pack, struct arena *arena, uint32_t cell, uint32_t frame)
{
	size_t at = (size_t)cell * arena->most + frame;
	const uint32_t *owner = owners_of(arena, cell, frame);
	uint32_t least = WEIGHT_MAX;

	arena->cost[at] = 0;
	if (arena->used[at] < arena->room[cell])
		return;
	for (uint32_t i = 0; i < arena->used[at]; i++)
		if (i == 0 || pack->unit[owner[i]].weight < least) {
			least = pack->unit[owner[i]].weight;
			arena->who[at] = (uint16_t)owner[i];
		}
	arena->cost[at] = (uint16_t)least;
}

static void take_out(struct pack *pack, uint32_t u)
{
	struct pack_unit *unit = &pack->unit[u];
	struct arena *arena = &pack->arena[unit->arena];
	uint32_t resource[CELLS_OF_UNIT];
	int n = resources_of(pack, u, resource);

	for (int k = 0; k < n; k++) {
		uint32_t cell = cells_of(arena->cells, resource[k], unit->phase), i = 0;
		uint32_t *owner = owners_of(arena, cell, unit->frame);
		uint32_t *used = &arena->used[(size_t)cell * arena->most + unit->frame];

		while (owner[i] != u)
			i++;
		owner[i] = owner[--*used];
		set_cost(pack, arena, cell, unit->frame);
	}
	unit->frame = LIQUID_NONE;
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

static void put(struct pack *pack, uint32_t u, uint32_t a, uint32_t frame, uint32_t phase)
{
	struct arena *arena = &pack->arena[a];
	uint32_t resource[CELLS_OF_UNIT];
	int n = resources_of(pack, u, resource);

	pack->unit[u].arena = (uint8_t)a;
	pack->unit[u].frame = frame;
	pack->unit[u].phase = (uint16_t)phase;
	for (int k = 0; k < n; k++) {
		uint32_t cell = cells_of(arena->cells, resource[k], phase);
		uint32_t *owner = owners_of(arena, cell, frame);
		uint32_t *used = &arena->used[(size_t)cell * arena->most + frame];

		/* what it has itself in the cell fits, see cells_hold() */
		while (*used == arena->room[cell])
			take_out(pack, weakest(pack, owner, *used, u));
		owner[(*used)++] = u;
		set_cost(pack, arena, cell, frame);
	}
}

/* ---- choosing ---- */

struct choice {
	uint32_t arena, phase, frame, cost;
};

/*
 * The cost of each frame into sum[]; returns the least. With @exact, who is put out by two links
 * that follow each other is counted once.
 */
static uint32_t sum_rows(struct pack *pack, const struct arena *arena, const uint32_t *resource,
			 int n, uint32_t phase, bool exact)
{
	uint32_t rows = (arena->frames + LANES - 1) / LANES * LANES;
	uint16_t *restrict sum = pack->sum;
	const uint16_t *last = arena->who;
	uint16_t low[LANES];
	uint32_t least = UINT16_MAX;

	memset(sum, 0, rows * sizeof(*sum));
	for (int k = 0; k < n; k++) {
		size_t at = (size_t)cells_of(arena->cells, resource[k], phase) * arena->most;
		const uint16_t *row = arena->cost + at, *who = arena->who + at;

		for (uint32_t f = 0; !exact && f < rows; f += LANES)
			for (uint32_t i = 0; i < LANES; i++)
				sum[f + i] = (uint16_t)(sum[f + i] + row[f + i]);
		for (uint32_t f = 0; exact && f < rows; f += LANES)
			for (uint32_t i = 0; i < LANES; i++) {
				uint16_t other = (uint16_t)-(k == 0 || who[f + i] != last[f + i]);

				sum[f + i] = (uint16_t)(sum[f + i] + (row[f + i] & other));
			}
		last = who;
	}
	for (uint32_t f = arena->frames; f < rows; f++)
		sum[f] = UINT16_MAX;
	memset(low, 0xff, sizeof(low));
	for (uint32_t f = 0; f < rows; f += LANES)
		for (uint32_t i = 0; i < LANES; i++)
			low[i] = sum[f + i] < low[i] ? sum[f + i] : low[i];
	for (uint32_t i = 0; i < LANES; i++)
		least = low[i] < least ? low[i] : least;
	pack->spent += (uint64_t)(n + 2) * rows / LANES + 16;
	return least;
}

/* A frame of the least cost: the first, or with @any one by chance */
static uint32_t pick_frame(struct pack *pack, uint32_t frames, uint32_t least, bool any)
{
	uint32_t ties = 0, found = 0;

	for (uint32_t f = 0; f < frames; f++) {
		if (pack->sum[f] != least)
			continue;
		if (!ties++ || !random_below(&pack->random, ties))
			found = f;
		if (!any)
			break;
	}
	return found;
}

/* Where @u costs least. Without @any: the first place where there is room, if there is one. */
static struct choice choose(struct pack *pack, uint32_t u, bool any)
{
	struct choice best = { .cost = UINT32_MAX };
	uint32_t resource[CELLS_OF_UNIT], ties = 0;
	int n = resources_of(pack, u, resource);

	for (uint32_t a = 0; a < pack->arenas; a++) {
		const struct arena *arena = &pack->arena[a];

		if (!(pack->unit[u].fits & 1 << a) || !arena->frames)
			continue;
		for (uint32_t p = 0; p < arena->cells->phases; p++) {
			uint32_t cost = sum_rows(pack, arena, resource, n, p, any);

			ties = cost < best.cost ? 0 : ties;
			if (cost > best.cost || (ties++ && (!any || random_below(&pack->random,
										 ties))))
				continue;
			best = (struct choice){ a, p, pick_frame(pack, arena->frames, cost, any),
						cost };
			if (!any && !cost)
				return best;
		}
	}
	return best;
}

/* ---- all of it ---- */

/* From the last that is left: those that are put out come after them. It counts as no work. */
static void first_fit(struct pack *pack)
{
	uint64_t spent = pack->spent;

	for (uint32_t i = pack->lefts; i-- > 0;) {
		uint32_t u = pack->left[i];
		struct choice choice = choose(pack, u, false);

		if (choice.cost)
			continue;
		pack->left[i] = pack->left[--pack->lefts];
		put(pack, u, choice.arena, choice.frame, choice.phase);
	}
	pack->spent = spent;
}

/* Is the block of @u that of its receiver? */
static bool is_own(const struct pack *pack, uint32_t u)
{
	const struct group *group = pack->group;

	return group->block[pack->origin[u / group->blocks]] == u % group->blocks;
}

/* Close the last @count frames of the first arena. */
static void close_frames(struct pack *pack, uint32_t count)
{
	struct arena *arena = &pack->arena[0];

	count = count < arena->frames ? count : arena->frames;
	arena->frames -= count;
	for (uint32_t i = 0; i < pack->orders; i++) {
		const struct pack_unit *unit = &pack->unit[pack->order[i]];

		if (!unit->arena && unit->frame != LIQUID_NONE && unit->frame >= arena->frames)
			take_out(pack, pack->order[i]);
	}
}

/*
 * Open a base frame more, of a kind that holds what is left; without work for ejection as many as
 * that has of them. False: there is no memory for it.
 */
static bool open_frames(struct pack *pack)
{
	struct arena *arena = &pack->arena[0];
	uint64_t more = 1;

	for (uint32_t i = 0; i < pack->lefts; i++)
		if (!(pack->unit[pack->left[i]].fits & 1))
			arena = &pack->arena[1];
	/* a part of what the left have of all, so that it is not too many; in the end all of it */
	more += (uint64_t)pack->lefts * arena->frames / pack->orders /
		(pack->spent < pack->work ? 4 : 1);
	if (arena->frames == arena->most)
		return false;
	arena->frames += more < arena->most - arena->frames ? (uint32_t)more :
			 arena->most - arena->frames;
	/* not much more room than before, but of the kind that is needed */
	if (arena != pack->arena && pack->spent < pack->work)
		close_frames(pack, (uint32_t)more * arena->cells->phases - 1);
	return true;
}

/* Move units until all are placed, or a part of the work is done. */
static void eject(struct pack *pack)
{
	uint64_t end = pack->spent + (pack->work - pack->spent) / PATIENCE;
	uint64_t moves = pack->moves / PATIENCE + 1;

	pack->moves -= moves < pack->moves ? moves : pack->moves;
	while (pack->lefts && pack->spent < end && moves--) {
		uint32_t i = random_below(&pack->random, pack->lefts), u = pack->left[i];
		struct choice choice = choose(pack, u, true);

		pack->left[i] = pack->left[--pack->lefts];
		if (choice.cost && pack->unit[u].weight < WEIGHT_MAX)
			pack->unit[u].weight++;
		put(pack, u, choice.arena, choice.frame, choice.phase);
	}
}

int pack_all(struct pack *pack, bool self, struct liquid_error *err)
{
	pack->moves = (uint64_t)MOVES_OF_UNIT * pack->orders;
	for (uint32_t i = pack->orders; i-- > 0;) {
		uint32_t u = pack->order[i];

		if (self && is_own(pack, u) && pack->unit[u].fits & 1)
			put(pack, u, 0, 0, 0);
		else
			pack->left[pack->lefts++] = u;
	}
	first_fit(pack);
	while (pack->lefts) {
		if (pack->moves < MOVES_OF_UNIT)
			pack->spent = pack->work;
		if (pack->spent < pack->work)
			eject(pack);
		if (!pack->lefts)
			break;
		if (!open_frames(pack))
			return liquid_fail(err, LIQUID_LIMIT, "%u units do not find a frame",
					   pack->lefts);
		first_fit(pack);
	}
	return LIQUID_OK;
}
