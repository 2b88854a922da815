// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Base frames as exact covers
 *
 * Where links of several dimensions are busy in every frame, units that are placed one by one end
 * with many base frames that each lack a few cells. Tilings fill one base frame at a time, and take
 * microseconds for each. Several weights of the shifts take turns. The units that no tiling holds
 * are then packed next to the tiles, in as few base frames more as ejection finds; where those are
 * too many for it, all tiles are opened.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/solver.h"
#include "problem/divisor.h"
#include "problem/tiling.h"

#define MAPS_MAX 3
#define ORBITS_MAX (1u << 16)
/* The first turn of a map gets this part of the work; each round has longer ones. */
#define TURN_PARTS 64
/* But it lasts long enough to tile most frames that can be: operations for each place. */
#define TURN_WORK UINT64_C(2048)
#define REST_PARTS 8		/* a search for a place of the rest gets this part of a turn */
#define LONGER_MAX 4		/* base frames more */
/* Part of the work for tilings beside which the rest finds no place */
#define TILING_PARTS 3

/* Tiles that are opened for the rest. */
static const uint32_t openings[] = { 0, 4, 16 };
#define OPENINGS (sizeof(openings) / sizeof(openings[0]))

/* A choice with its own weights */
struct map {
	struct choice_of_kinds choice;
	struct pack pack;
	uint32_t *first_place;		/* by number in pack.order, and their number */
	struct tiling tiling;
	bool out;			/* it has no more turns */
};

struct tiler {
	struct solver *solver;
	struct map map[MAPS_MAX];
	uint32_t maps, frames;		/* frames: base frames that are to be tiled */
	bool placed;			/* a rest has found its place */
	struct liquid_schedule **schedule;	/* the best so far */
};

static void map_free(struct map *map)
{
	tiling_clear(&map->tiling);
	free(map->first_place);
	pack_free(&map->pack);
	choice_drop_cells(&map->choice);
}

/* ---- what suits ---- */

static const struct arena *arena_of(const struct map *map)
{
	return &map->pack.arena[map->pack.arenas - 1];
}

/* Do all cells have room for one, and all units fit? */
static bool suits(const struct map *map)
{
	const struct cells *cells = arena_of(map)->cells;

	if (cells->cells > COVER_CELLS_MAX || map->pack.orders > ORBITS_MAX)
		return false;
	for (uint32_t c = 0; c < cells->cells; c++)
		if (cells->room[c] != 1)
			return false;
	for (uint32_t i = 0; i < map->pack.orders; i++)
		if (!(map->pack.unit[map->pack.order[i]].fits & 1 << (map->pack.arenas - 1)))
			return false;
	return true;
}

/* Tell the cover what units use, and which cells are busy in all frames. Are there some? */
static bool fill(struct map *map, uint32_t frames)
{
	const struct cells *cells = arena_of(map)->cells;
	uint32_t uses[COVER_CELLS_MAX] = { 0 };
	struct cover *cover = &map->tiling.cover;
	bool any = false;

	for (uint32_t i = 0; i < map->pack.orders; i++) {
		uint32_t own[CELLS_OF_UNIT];
		const uint32_t *resource;
		int n = pack_path(&map->pack, map->pack.order[i], own, &resource);

		for (int k = 0; k < n; k++) {
			uses[cells->first[resource[k]]]++;
			for (uint32_t p = 0; p < cells->phases; p++)
				cover_use(cover, i, map->first_place[i] + p,
					  cells_of(cells, resource[k], p));
		}
	}
	for (uint32_t c = 0; c < cells->cells; c += cells->span[c])
		for (uint32_t k = 0; k < cells->span[c]; k++)
			if (uses[c] >= cells->span[c] * frames) {
				cell_set_add(&cover->tight, c + k);
				any = true;
			}
	cover_rate(cover);
	return any;
}

static int new_map(struct tiler *tiler, struct map *map, bool *good)
{
	struct solver *solver = tiler->solver;
	int status = solver_start_pack(solver, &map->choice, NULL, &map->pack);
	uint32_t orbits = map->pack.orders, phases;

	*good = !status && suits(map);
	if (!*good)
		return status;
	phases = arena_of(map)->cells->phases;
	map->first_place = calloc((size_t)orbits + 1, sizeof(*map->first_place));
	if (!map->first_place)
		return liquid_no_memory(solver->err);
	for (uint32_t i = 0; i <= orbits; i++)
		map->first_place[i] = i * phases;
	if (!tiling_init(&map->tiling, orbits, map->first_place, phases, tiler->frames,
			 solver->options.seed + tiler->maps))
		return liquid_no_memory(solver->err);
	*good = fill(map, tiler->frames);
	return LIQUID_OK;
}

/* The shifts of blocks get powers of @unit: none is then mapped onto fewer phases than it has. */
static int add_map(struct tiler *tiler, const struct choice_of_kinds *choice, uint32_t unit)
{
	struct map *map = &tiler->map[tiler->maps];
	uint32_t power = 1;
	bool good;
	int status;

	map->choice = *choice;
	for (uint32_t i = 0; i < choice->group.shifts; i++) {
		map->choice.factors.of[i] = power;
		power = power * unit % choice->phases;
	}
	status = new_map(tiler, map, &good);
	if (!status && good)
		tiler->maps++;
	else
		map_free(map);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

/* Unit 1 comes last: it is the worst, but without another shift there is no difference. */
static int add_maps(struct tiler *tiler, const struct choice_of_kinds *choice)
{
	uint32_t phases = choice->phases;
	uint32_t first = choice->group.shifts > 1 ? 2 : phases + 1;
	int status = LIQUID_OK;

	tiler->frames = choice->frames[1];
	for (uint32_t unit = first; !status && unit <= phases + 1 && tiler->maps < MAPS_MAX; unit++)
		if (common_divisor(unit, phases) == 1)
			status = add_map(tiler, choice, unit % phases);
	return status;
}

/* The first choice of most phases that has two kinds, the smaller one for the rest; or NULL */
static int find_choice(struct solver *solver, const struct choice_of_kinds **best)
{
	int status = LIQUID_OK;

	*best = NULL;
	for (uint32_t i = 0; !status && i < solver->choices; i++) {
		struct choice_of_kinds *choice = &solver->choice[i];

		if (!choice->rest || choice->phases <= choice->fine || choice->group.turns > 1 ||
		    (*best && choice->phases <= (*best)->phases))
			continue;
		status = choice_weigh(solver, choice);
		if (choice->bound)
			*best = choice;
	}
	return status;
}

/* ---- the rest ---- */

/* Put units where the tiling has them; those in no tile are left. */
static void put_tiles(struct map *map)
{
	const struct tiling_state *best = &map->tiling.best;
	struct pack *pack = &map->pack;
	uint32_t phases = arena_of(map)->cells->phases;

	pack_clear(pack);
	for (uint32_t i = pack->orders; i-- > 0;) {
		if (best->frame[i] == LIQUID_NONE)
			pack->left[pack->lefts++] = pack->order[i];
		else
			pack_put(pack, pack->order[i], pack->arenas - 1, best->frame[i],
				 best->place[i] % phases);
	}
}

static int offer(struct tiler *tiler, struct map *map)
{
	struct liquid_schedule *other = NULL;
	int status = result_make(tiler->solver, &map->pack, &map->choice, &other);

	if (status)
		liquid_schedule_free(other);
	else
		result_keep(tiler->schedule, other);
	return status;
}

/* Find places for the rest beside all tiles but @opened, in @over frames more. */
static int search_rest(struct tiler *tiler, struct map *map, uint32_t over, uint32_t opened,
		       uint64_t work, bool *found)
{
	struct pack *pack = &map->pack;
	uint32_t phases = arena_of(map)->cells->phases, tiled = map->tiling.best.tiled;
	int status;

	pack->arena[1].frames = tiler->frames + over / phases;
	pack->arena[0].frames = over % phases / pack->arena[0].cells->phases;
	pack->arena[1].closed = tiled > opened ? tiled - opened : 0;
	put_tiles(map);
	status = pack_fill(pack, work, tiler->solver->err);
	*found = !status && !pack->lefts;
	tiler->placed |= *found;
	return *found ? offer(tiler, map) : status;
}

/* Give all tiles and the rest to ejection, at first in as many frames more as there may be. */
static int open_all(struct tiler *tiler, struct map *map)
{
	struct pack *pack = &map->pack;
	int status;

	pack->arena[1].frames = tiler->frames + LONGER_MAX;
	pack->arena[0].frames = 0;
	pack->arena[1].closed = 0;
	put_tiles(map);
	status = pack_finish(pack, tiler->solver->err);
	return status ? status : offer(tiler, map);
}

static uint32_t longest_rest(const struct tiler *tiler, const struct map *map)
{
	uint32_t phases = arena_of(map)->cells->phases, tight = tiler->frames * phases;
	uint32_t length = UINT32_MAX;

	if (*tiler->schedule)
		length = liquid_schedule_info(*tiler->schedule)->length;
	if (length <= tight)
		return 0;
	return length - tight < LONGER_MAX * phases ? length - tight : LONGER_MAX * phases + 1;
}

/* Try lengths below the best one, the shortest first. */
static int place_rest(struct tiler *tiler, struct map *map, uint64_t work)
{
	uint32_t fine = map->pack.arena[0].cells->phases, over = map->tiling.best.left ? fine : 0;
	bool found = false;
	int status = LIQUID_OK;

	for (; !status && !found && over < longest_rest(tiler, map); over += fine)
		for (size_t i = 0; !status && !found && i < OPENINGS; i++)
			status = search_rest(tiler, map, over, openings[i], work / OPENINGS,
					     &found);
	return status;
}

/* ---- turns ---- */

static struct map *take_turns(struct tiler *tiler, uint64_t work)
{
	struct budget *budget = &tiler->solver->budget;
	struct map *best = NULL;

	for (uint32_t i = 0; i < tiler->maps && (!best || best->tiling.best.left); i++) {
		struct map *map = &tiler->map[i];
		uint64_t outer;

		if (map->out)
			continue;
		outer = budget_narrow(budget, work);
		tiling_run(&map->tiling, budget);
		budget_widen(budget, outer);
		if (!best || tiling_is_better(&map->tiling, &best->tiling))
			best = map;
	}
	return best;
}

/* The one that got least far has no more turns; those of the others are longer each time. */
static void drop_worst(struct tiler *tiler)
{
	struct map *worst = NULL;
	uint32_t left = 0;

	for (uint32_t i = 0; i < tiler->maps; i++) {
		struct map *map = &tiler->map[i];

		if (map->out)
			continue;
		left++;
		if (!worst || tiling_is_better(&worst->tiling, &map->tiling))
			worst = map;
	}
	if (left > 1)
		worst->out = true;
}

static uint64_t first_turn(const struct tiler *tiler)
{
	const struct map *map = &tiler->map[0];
	uint64_t left = budget_left(&tiler->solver->budget), turn = left / TURN_PARTS + 1;
	uint64_t least = TURN_WORK * map->first_place[map->pack.orders];

	least = least < left / 4 ? least : left / 4;
	return turn > least ? turn : least;
}

/* Where less than half of the frames can be tiled, tilings do not help. */
static int take_all_turns(struct tiler *tiler)
{
	struct budget *budget = &tiler->solver->budget;
	uint64_t turn = first_turn(tiler), last = budget_left(budget);
	struct map *best = NULL;
	bool liquid = false;
	int status = LIQUID_OK;

	last -= last / TILING_PARTS;
	for (; !status && !liquid && budget_left(budget) > (tiler->placed ? 0 : last);
	     turn += turn / 2) {
		if (best)
			drop_worst(tiler);
		best = take_turns(tiler, turn);
		if (best->tiling.best.tiled < tiler->frames / 2)
			return LIQUID_OK;
		status = place_rest(tiler, best, turn / REST_PARTS);
		liquid = !best->tiling.best.left;
	}
	return status || tiler->placed || !best ? status : open_all(tiler, best);
}

int tile_choices(struct solver *solver, struct liquid_schedule **schedule)
{
	const struct choice_of_kinds *choice;
	int status = find_choice(solver, &choice);
	struct tiler *tiler;

	if (status || !choice)
		return status;
	tiler = calloc(1, sizeof(*tiler));
	if (!tiler)
		return liquid_no_memory(solver->err);
	tiler->solver = solver;
	tiler->schedule = schedule;
	status = add_maps(tiler, choice);
	if (!status && tiler->maps)
		status = take_all_turns(tiler);
	for (uint32_t i = 0; i < tiler->maps; i++)
		map_free(&tiler->map[i]);
	free(tiler);
	return status;
}
