// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Placing units in base frames
 *
 * First fit, the hardest units first; then ejection. If that gets nowhere, a base frame more is
 * opened. When all units are placed, the rest of the work goes into frames less.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/pack.h"

#define HARD_FINE 24		/* binary places of full links: of 128 and more all are as hard */
#define WEIGHT_RARE 60		/* at first, of units that the first arena does not hold */
#define RANK_WORK 24		/* operations for each resource of a unit that is ranked, ... */
#define FIT_WORK 8		/* ... and of one that finds its place */
#define FEW 64			/* one in FEW units is left: more need a search */
#define FEW_WORK 64		/* operations for each resource of all units */
#define PATIENCE 8		/* part of the work that is left, before a frame more */
#define PATIENCE_LESS 4	/* part of it for several frames less at once */

/* ---- what is hard ---- */

/* Units that fit in few frames hold them against others. */
static void set_weights(struct pack *pack)
{
	for (uint32_t i = 0; i < pack->orders; i++) {
		struct pack_unit *unit = &pack->unit[pack->order[i]];

		unit->weight = pack->rest || unit->fits & 1 ? 1 : WEIGHT_RARE;
	}
}

/* In which arenas does @unit fit? @uses: of each arena, by class of cells at its first: units */
static void find_fit(struct pack *pack, struct pack_unit *unit, const uint32_t *resource, int n,
		     uint32_t *const *uses)
{
	for (uint32_t a = 0; a < pack->arenas; a++) {
		const struct cells *cells = pack->arena[a].cells;

		if (!cells_hold(cells, resource, n))
			continue;
		unit->fits |= 1u << a & 3;
		for (int k = 0; k < n; k++)
			uses[a][cells->first[resource[k]]]++;
	}
}

static int find_fits(struct pack *pack, uint32_t *const *uses, struct liquid_error *err)
{
	for (uint32_t u = 0; u < pack->units; u++) {
		uint32_t own[CELLS_OF_UNIT];
		const uint32_t *resource;
		int n = pack_path(pack, u, own, &resource);
		const struct group *group = pack->group;
		uint32_t receiver = group->host[pack->origin[u / group->blocks]];

		pack->unit[u] = (struct pack_unit){ .frame = NO_FRAME };
		/* the block means the first link */
		if (n < 0 || n > LIQUID_PATH_MAX)
			return liquid_fail(err, LIQUID_BAD_INPUT, "no route to %.200s",
					   liquid_fabric_node_name(group->fabric, receiver));
		if (!n)
			continue;
		find_fit(pack, &pack->unit[u], resource, n, uses);
		if (!pack->unit[u].fits)
			return liquid_fail(err, LIQUID_LIMIT, "a unit fits in no frame");
		pack->order[pack->orders++] = u;
	}
	return LIQUID_OK;
}

/* How full the links of @unit will be, in sum; one that not all arenas hold is above all others. */
static uint32_t how_hard(const struct pack *pack, uint32_t unit, uint32_t *const *uses)
{
	uint32_t a = !pack->rest && pack->unit[unit].fits & 1 ? 0 : pack->arenas - 1;
	const struct cells *cells = pack->arena[a].cells;
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n = pack_path(pack, unit, own, &resource);
	uint64_t hard = 0;

	for (int k = 1; k < n; k++) {
		uint32_t cell = cells->first[resource[k]];
		uint64_t room = (uint64_t)cells->room[cell] * cells->span[cell] *
				pack->arena[a].frames;

		hard += room ? ((uint64_t)uses[a][cell] << HARD_FINE) / room : INT32_MAX;
	}
	return a << 31 | (hard < INT32_MAX ? (uint32_t)hard : INT32_MAX);
}

static void rank_units(struct pack *pack, uint32_t *const *uses)
{
	for (uint32_t i = 0; i < pack->orders; i++) {
		uint32_t u = pack->order[i];

		ranks_set(&pack->unit[u], how_hard(pack, u, uses));
	}
	ranks_sort(pack);
	set_weights(pack);
}

/* ---- memory ---- */

int pack_new(struct pack *pack, struct liquid_error *err)
{
	uint32_t *uses[PACK_ARENAS] = { NULL };
	int status = LIQUID_OK;

	pack->unit = calloc((size_t)pack->units + 1, sizeof(*pack->unit));
	pack->order = calloc((size_t)pack->units + 1, sizeof(*pack->order));
	pack->left = calloc((size_t)pack->units + 1, sizeof(*pack->left));
	if (!pack->unit || !pack->order || !pack->left)
		return liquid_no_memory(err);
	status = pack_keep_paths(pack, err);
	for (uint32_t a = 0; !status && a < pack->arenas; a++) {
		uses[a] = calloc((size_t)pack->arena[a].cells->cells + 1, sizeof(*uses[a]));
		status = uses[a] ? LIQUID_OK : liquid_no_memory(err);
	}
	if (!status)
		status = find_fits(pack, uses, err);
	for (uint32_t a = 0; !status && a < pack->arenas; a++)
		status = arena_new(&pack->arena[a], uses[a], err);
	if (!status)
		rank_units(pack, uses);
	pack_count(pack, pack->resources * RANK_WORK);
	for (uint32_t a = 0; a < pack->arenas; a++)
		free(uses[a]);
	return status;
}

void pack_free(struct pack *pack)
{
	for (uint32_t a = 0; a < pack->arenas; a++)
		arena_free(&pack->arena[a]);
	free(pack->unit);
	free(pack->path);
	free(pack->path_of);
	free(pack->order);
	free(pack->left);
}

void pack_forget(struct pack *pack)
{
	for (uint32_t a = 0; a < pack->arenas; a++)
		arena_free(&pack->arena[a]);
	free(pack->path);
	free(pack->path_of);
	free(pack->left);
	pack->path = pack->path_of = pack->left = NULL;
}

/* ---- first fit ---- */

bool pack_put_first(struct pack *pack, uint32_t u, uint32_t a)
{
	const struct arena *arena = &pack->arena[a];
	uint32_t own[CELLS_OF_UNIT];
	const uint32_t *resource;
	int n;

	if (!(pack->unit[u].fits & 1 << a))
		return false;
	n = pack_path(pack, u, own, &resource);
	for (uint32_t p = 0; p < arena->cells->phases; p++) {
		uint32_t frame = arena_first_room(arena, resource, n, p);
		uint32_t seen = frame == LIQUID_NONE ? arena->frames : frame;

		pack_count(pack, (uint64_t)n * (seen / 64 + FIT_WORK));
		if (frame == LIQUID_NONE)
			continue;
		pack_put_path(pack, u, a, frame, p, resource, n);
		return true;
	}
	return false;
}

/* Into the first frame of any arena that has room, if there is one */
static bool put_anywhere(struct pack *pack, uint32_t u)
{
	for (uint32_t a = 0; a < pack->arenas; a++)
		if (pack->arena[a].frames > pack->arena[a].closed && pack_put_first(pack, u, a))
			return true;
	return false;
}

/* From the last that is left: those that are put out come after them. All, whatever the work. */
static void first_fit(struct pack *pack)
{
	for (uint32_t i = pack->lefts; i-- > 0;)
		if (put_anywhere(pack, pack->left[i]))
			pack->left[i] = pack->left[--pack->lefts];
}

/* A few that are left find a place by few moves, with work of their own. */
static int place_few(struct pack *pack, struct liquid_error *err)
{
	struct budget *outer = pack->budget;
	struct budget own = { .limit = pack->resources * FEW_WORK, .look = UINT64_MAX };
	int status = LIQUID_OK;

	if (!pack->lefts || pack->lefts > pack->orders / FEW)
		return status;
	pack->budget = &own;
	status = pack_eject(pack, own.limit, false, err);
	pack->budget = outer;
	pack_count(pack, own.spent);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

static int begin(struct pack *pack, bool self, struct liquid_error *err)
{
	for (uint32_t i = pack->orders; i-- > 0;) {
		uint32_t u = pack->order[i];

		if (self && pack_is_own(pack, u) && pack->unit[u].fits & 1)
			pack_put(pack, u, 0, 0, 0);
		else
			pack->left[pack->lefts++] = u;
	}
	first_fit(pack);
	return place_few(pack, err);
}

/* ---- more frames, and fewer ---- */

/* Close the last @count frames of an arena. */
static void close_frames(struct pack *pack, uint32_t a, uint32_t count)
{
	struct arena *arena = &pack->arena[a];

	count = count < arena->frames ? count : arena->frames;
	arena->frames -= count;
	for (uint32_t i = 0; i < pack->orders; i++) {
		const struct pack_unit *unit = &pack->unit[pack->order[i]];

		if (unit->arena == a && unit->frame != NO_FRAME && unit->frame >= arena->frames)
			pack_take_out(pack, pack->order[i]);
	}
}

/* A base frame of the second arena has as many phases as these of the first. */
static uint32_t exchange_rate(const struct pack *pack)
{
	return pack->arena[pack->arenas - 1].cells->phases / pack->arena[0].cells->phases;
}

static bool add_frames(struct arena *arena, uint64_t more)
{
	if (arena->frames == arena->most)
		return false;
	arena->frames += more < arena->most - arena->frames ? (uint32_t)more :
			 arena->most - arena->frames;
	return true;
}

/* Frames of the first arena, until they are as many as one of the second. */
static bool open_rest(struct pack *pack, uint64_t more)
{
	struct arena *first = &pack->arena[0];

	if (more)
		return add_frames(&pack->arena[1], more);
	if (first->frames + 1 < exchange_rate(pack))
		return add_frames(first, 1);
	close_frames(pack, 0, first->frames);
	return add_frames(&pack->arena[1], 1);
}

/*
 * Open a base frame more, of a kind that holds the rest; without work for ejection as many as
 * that has of them. False: there is no memory for it.
 */
static bool open_frames(struct pack *pack)
{
	struct arena *arena = &pack->arena[0];
	uint64_t more;

	for (uint32_t i = 0; i < pack->lefts; i++)
		if (pack->rest || !(pack->unit[pack->left[i]].fits & 1))
			arena = &pack->arena[1];
	/* a part of what the left have of all, so that it is not too many; in the end all of it */
	more = (uint64_t)pack->lefts * arena->frames / pack->orders /
	       (budget_left(pack->budget) ? 4 : 1);
	if (pack->rest)
		return open_rest(pack, more);
	if (!add_frames(arena, ++more))
		return false;
	/* not much more room than before, but of the kind that is needed */
	if (arena != pack->arena && budget_left(pack->budget))
		close_frames(pack, 0, (uint32_t)more * exchange_rate(pack) - 1);
	return true;
}

/* One frame less of the first arena, even if a base frame of the second is cut for it */
static void drop_frame(struct pack *pack)
{
	if (!pack->arena[0].frames) {
		close_frames(pack, 1, 1);
		add_frames(&pack->arena[0], exchange_rate(pack));
	}
	close_frames(pack, 0, 1);
}

static uint64_t phases_of(const struct pack *pack)
{
	uint64_t phases = 0;

	for (uint32_t a = 0; a < pack->arenas; a++)
		phases += (uint64_t)pack->arena[a].frames * pack->arena[a].cells->phases;
	return phases;
}

static int grow(struct pack *pack, struct liquid_error *err)
{
	while (pack->lefts) {
		uint64_t work = budget_left(pack->budget);
		int status = work ? pack_eject(pack, work / PATIENCE + 1, false, err) : LIQUID_OK;

		if (status)
			return status;
		if (!pack->lefts)
			break;
		if (!open_frames(pack))
			return liquid_fail(err, LIQUID_LIMIT, "%u units do not find a frame",
					   pack->lefts);
		first_fit(pack);
	}
	return LIQUID_OK;
}

struct kept {
	struct pack_unit *unit;
	uint32_t frames[PACK_ARENAS];
};

static void keep(const struct pack *pack, struct kept *kept)
{
	memcpy(kept->unit, pack->unit, pack->units * sizeof(*kept->unit));
	for (uint32_t a = 0; a < pack->arenas; a++)
		kept->frames[a] = pack->arena[a].frames;
}

static void go_back(struct pack *pack, const struct kept *kept)
{
	memcpy(pack->unit, kept->unit, pack->units * sizeof(*kept->unit));
	for (uint32_t a = 0; a < pack->arenas; a++)
		pack->arena[a].frames = kept->frames[a];
	pack->lefts = 0;
	pack_load(pack);
}

/* One try with @drop frames less; the last frame has all work that is left. */
static int try_fewer(struct pack *pack, uint64_t drop, struct liquid_error *err)
{
	uint64_t work = budget_left(pack->budget) / (drop > 1 ? PATIENCE_LESS : 1);

	for (uint64_t i = 0; i < drop; i++)
		drop_frame(pack);
	set_weights(pack);	/* what was hard in more frames is soon found out again */
	first_fit(pack);
	return pack_eject(pack, work, drop == 1, err);
}

/* Fewer frames, by smaller and smaller steps, as long as there is work. */
static int shrink(struct pack *pack, struct liquid_error *err)
{
	struct kept kept = { malloc(((size_t)pack->units + 1) * sizeof(*kept.unit)), { 0 } };
	uint64_t part = 2;
	int status = LIQUID_OK;

	if (!kept.unit)
		return liquid_no_memory(err);
	while (!status && budget_left(pack->budget) && phases_of(pack) > pack->least) {
		uint64_t over = phases_of(pack) - pack->least;
		uint64_t drop = over / pack->arena[0].cells->phases / part;

		keep(pack, &kept);
		status = try_fewer(pack, drop ? drop : 1, err);
		part *= pack->lefts && part <= over ? 2 : 1;
		if (pack->lefts)
			go_back(pack, &kept);
	}
	free(kept.unit);
	return status;
}

void pack_clear(struct pack *pack)
{
	for (uint32_t i = 0; i < pack->orders; i++)
		pack->unit[pack->order[i]].frame = NO_FRAME;
	pack->lefts = 0;
	set_weights(pack);
	pack_empty(pack);
}

int pack_fill(struct pack *pack, uint64_t work, struct liquid_error *err)
{
	first_fit(pack);
	return pack->lefts ? pack_eject(pack, work, false, err) : LIQUID_OK;
}

int pack_try(struct pack *pack, bool self, uint64_t *crowd, struct liquid_error *err)
{
	int status = begin(pack, self, err);

	*crowd = 0;
	return status || !pack->lefts ? status : pack_eject_rated(pack, crowd, err);
}

int pack_finish(struct pack *pack, struct liquid_error *err)
{
	int status = grow(pack, err);

	return status ? status : shrink(pack, err);
}

int pack_all(struct pack *pack, bool self, struct liquid_error *err)
{
	int status = begin(pack, self, err);

	return status ? status : pack_finish(pack, err);
}
