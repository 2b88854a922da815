// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tori, meshes and other products of graphs as grids, by the structure alone
 *
 * Two links of a switch belong to the same axis if no square has both as its sides; opposite sides
 * of a square belong to the same one (Feder 1992). Removing an axis' links leaves a part for each
 * of its coordinates.
 */
#include <stdlib.h>
#include <string.h>

#include "page/draft.h"

#define STEPS_MAX 20000000u
#define AXES_MAX 32
#define DEEP 0.36			/* of a cell, by which the third axis goes up and right */

struct grid {
	const struct draft *draft;
	uint32_t *axis;			/* by place in peer[]: union of links, then its axis */
	uint32_t *part;			/* by switch, of one axis: union, then its coordinate */
	uint32_t *order;		/* by part */
	uint32_t axes;
	uint32_t size[AXES_MAX];
	bool ring[AXES_MAX];
	uint32_t *at;			/* at[axis * switches + s] */
};

/* The place of b among the peers of a */
static uint32_t link_of(const struct draft *draft, uint32_t a, uint32_t b)
{
	uint32_t low = draft->first[a], high = draft->first[a + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (draft->peer[middle] < b)
			low = middle + 1;
		else
			high = middle;
	}
	return low < draft->first[a + 1] && draft->peer[low] == b ? low : LIQUID_NONE;
}

static void judge_pair(const struct grid *grid, uint32_t v, uint32_t i, uint32_t j)
{
	const struct draft *draft = grid->draft;
	uint32_t a = draft->peer[i], b = draft->peer[j], common = 0, corner = 0;

	for (uint32_t k = draft->first[a]; k < draft->first[a + 1]; k++)
		if (draft->peer[k] != v && link_of(draft, b, draft->peer[k]) != LIQUID_NONE) {
			common++;
			corner = draft->peer[k];
		}
	if (common != 1 || link_of(draft, a, b) != LIQUID_NONE) {
		draft_join(grid->axis, i, j);
		return;
	}
	draft_join(grid->axis, i, link_of(draft, b, corner));
	draft_join(grid->axis, j, link_of(draft, a, corner));
}

static bool judge_links(const struct grid *grid)
{
	const struct draft *draft = grid->draft;
	uint64_t steps = 0;

	for (uint32_t s = 0; s < draft->switches; s++) {
		uint64_t peers = draft->first[s + 1] - draft->first[s];

		steps += peers * peers * peers;
		if (!peers || steps > STEPS_MAX)
			return false;
	}
	for (uint32_t i = 0; i < draft->first[draft->switches]; i++)
		grid->axis[i] = i;
	for (uint32_t s = 0; s < draft->switches; s++)
		for (uint32_t i = draft->first[s]; i < draft->first[s + 1]; i++) {
			draft_join(grid->axis, i, link_of(draft, draft->peer[i], s));
			for (uint32_t j = draft->first[s]; j < i; j++)
				judge_pair(grid, s, i, j);
		}
	return true;
}

/* Number the axes in the order of the first switch's peers. */
static bool number_axes(struct grid *grid)
{
	const struct draft *draft = grid->draft;
	uint32_t links = draft->first[draft->switches], root[AXES_MAX];

	for (uint32_t i = 0; i < links; i++)
		draft_find(grid->axis, i);
	for (uint32_t i = 0; i < draft->first[1]; i++) {
		uint32_t own = draft_find(grid->axis, i), k = 0;

		while (k < grid->axes && root[k] != own)
			k++;
		if (k == AXES_MAX)
			return false;
		root[k] = own;
		grid->axes += k == grid->axes;
	}
	for (uint32_t i = 0; i < links; i++)
		grid->axis[i] = draft_find(grid->axis, i);
	for (uint32_t i = 0; i < links; i++) {
		uint32_t k = 0;

		while (k < grid->axes && root[k] != grid->axis[i])
			k++;
		if (k == grid->axes)
			return false;
		grid->axis[i] = k;
	}
	return true;
}

/* Walk from part to part along a path or a ring; other graphs keep the order of switches. */
static void order_parts(struct grid *grid, uint32_t axis)
{
	const struct draft *draft = grid->draft;
	uint32_t size = grid->size[axis], ends = 0, start = 0, at, walked = 0;
	bool chain = true;
	uint32_t *next = grid->order, *taken = grid->order + 2 * (size_t)draft->switches;

	memset(next, 0xff, 2 * (size_t)draft->switches * sizeof(*next));
	memset(taken, 0xff, draft->switches * sizeof(*taken));
	for (uint32_t s = 0; s < draft->switches; s++)
		for (uint32_t i = draft->first[s]; i < draft->first[s + 1]; i++) {
			uint32_t a = grid->part[s], b = grid->part[draft->peer[i]];

			if (grid->axis[i] != axis || next[2 * a] == b || next[2 * a + 1] == b)
				continue;
			if (next[2 * a + 1] != LIQUID_NONE)
				chain = false;
			else
				next[2 * a + (next[2 * a] != LIQUID_NONE)] = b;
		}
	for (uint32_t p = size; p--;)
		if (next[2 * p + 1] == LIQUID_NONE) {
			ends++;
			start = p;
		}
	grid->ring[axis] = chain && !ends && size > 2;
	if (!chain || (ends && ends != 2))
		return;
	for (at = start; at != LIQUID_NONE && taken[at] == LIQUID_NONE;) {
		uint32_t one = next[2 * at], other = next[2 * at + 1];

		taken[at] = walked++;
		at = one != LIQUID_NONE && taken[one] == LIQUID_NONE ? one : other;
	}
	for (uint32_t s = 0; walked == size && s < draft->switches; s++)
		grid->part[s] = taken[grid->part[s]];
}

static bool find_parts(struct grid *grid, uint32_t axis)
{
	const struct draft *draft = grid->draft;
	uint32_t *number = grid->order;

	for (uint32_t s = 0; s < draft->switches; s++)
		grid->part[s] = s;
	for (uint32_t s = 0; s < draft->switches; s++)
		for (uint32_t i = draft->first[s]; i < draft->first[s + 1]; i++)
			if (grid->axis[i] != axis)
				draft_join(grid->part, s, draft->peer[i]);
	grid->size[axis] = 0;
	for (uint32_t s = 0; s < draft->switches; s++)
		if (draft_find(grid->part, s) == s)
			number[s] = grid->size[axis]++;
	for (uint32_t s = 0; s < draft->switches; s++)
		grid->part[s] = draft_find(grid->part, s);
	for (uint32_t s = 0; s < draft->switches; s++)
		grid->part[s] = number[grid->part[s]];
	if (grid->size[axis] < 2)
		return false;
	order_parts(grid, axis);
	memcpy(grid->at + (size_t)axis * draft->switches, grid->part,
	       draft->switches * sizeof(*grid->part));
	return true;
}

/* A ring of four is two axes of two: they are made one again. */
static void join_pairs(struct grid *grid)
{
	uint32_t switches = grid->draft->switches, kept = 0;

	for (uint32_t i = 0; i < grid->axes; i++) {
		uint32_t *at = grid->at + (size_t)i * switches, *to = grid->at +
			(size_t)kept * switches;
		bool pair = grid->axes > 2 && i + 1 < grid->axes && grid->size[i] == 2 &&
			grid->size[i + 1] == 2;

		for (uint32_t s = 0; s < switches; s++)
			to[s] = pair && at[s + switches] ? 3 - at[s] : at[s];
		grid->size[kept] = pair ? 4 : grid->size[i];
		grid->ring[kept++] = pair || grid->ring[i];
		i += pair;
	}
	grid->axes = kept;
}

/* ---- places ---- */

static int32_t widest(const struct draft *draft)
{
	int32_t box = 0;

	for (uint32_t s = 0; s < draft->switches; s++)
		box = draft_place(draft, s)->width > box ? draft_place(draft, s)->width : box;
	return box;
}

static uint32_t most_guests(const struct draft *draft)
{
	uint32_t guests = 0;

	for (uint32_t s = 0; s < draft->switches; s++)
		guests = draft_guests(draft, s) > guests ? draft_guests(draft, s) : guests;
	return guests;
}

static int32_t name_width(const struct draft *draft)
{
	size_t letters = 0;

	for (uint32_t h = 0; h < draft->hosts; h++) {
		size_t length = strlen(liquid_fabric_node_name(draft->fabric, h));

		letters = length > letters ? length : letters;
	}
	return (int32_t)letters * LAYOUT_LETTER + 60;
}

/* Hosts are below their switch; right of it where links lead down. */
static void place_guests(const struct draft *draft, uint32_t s, int32_t step)
{
	const struct liquid_place *own = draft_place(draft, s);
	bool row = draft->made->size[1] < 2 && draft->made->size[2] < 2;
	int32_t first = row ? -step * (int32_t)(draft_guests(draft, s) - 1) / 2 : 260;

	for (uint32_t i = 0; i < draft_guests(draft, s); i++) {
		struct liquid_place *place = &draft->made->place[draft->guest[draft->stay[s] + i]];

		place->x = own->x + (draft->made->layout.folded ? 260 : first + step * (int32_t)i);
		place->y = own->y + 340;
	}
}

static void place(const struct draft *draft)
{
	struct draft_layout *made = draft->made;
	int32_t guests = made->layout.folded ? 1 : (int32_t)most_guests(draft), cell, deep;
	int32_t name = made->layout.folded ? 500 : name_width(draft), step = name, down;

	if (guests > 2 && name > 250) {
		made->layout.upright = true;
		step = 150;
	}
	cell = widest(draft) + 400 + step * guests;
	deep = made->size[2] > 1 ? (int32_t)(cell * DEEP) : 0;
	cell += deep * (int32_t)(made->size[2] - 1) / 2;
	down = cell * 4 / 5 > 800 + (made->layout.upright ? name : 0) ? cell * 4 / 5 :
		800 + (made->layout.upright ? name : 0);
	for (uint32_t s = 0; s < draft->switches; s++) {
		const uint32_t *at = made->at[s];
		int32_t z = deep * (int32_t)at[2], up = deep * (int32_t)(made->size[2] - 1);

		*draft_place(draft, s) = (struct liquid_place){
			cell / 2 + 300 + cell * (int32_t)at[0] + z,
			600 + down * (int32_t)at[1] + up - z, draft_place(draft, s)->width
		};
		place_guests(draft, s, step);
	}
	made->layout.width = cell * (int32_t)made->size[0] + deep * (int32_t)made->size[2] + 600;
	made->layout.height = 1100 + down * (int32_t)(made->size[1] - 1) +
		deep * (int32_t)(made->size[2] - 1) + (made->layout.upright ? name : 0);
}

static bool take_axes(const struct grid *grid)
{
	const struct draft *draft = grid->draft;
	struct draft_layout *made = draft->made;
	uint64_t all = 1;

	if (grid->axes > GRID_AXES || !grid->axes)
		return false;
	for (uint32_t i = 0; i < GRID_AXES; i++) {
		made->size[i] = i < grid->axes ? grid->size[i] : 1;
		made->ring[i] = i < grid->axes && grid->ring[i];
		all *= made->size[i];
	}
	/* A single axis is drawn in a row, if it is one. */
	if (all != draft->switches || (grid->axes == 1 && grid->size[0] > 2 && !grid->ring[0]))
		return false;
	for (uint32_t s = 0; s < draft->switches; s++)
		for (uint32_t i = 0; i < GRID_AXES; i++)
			made->at[s][i] = i >= grid->axes ? 0 :
				grid->at[(size_t)i * draft->switches + s];
	return true;
}

static bool find(struct grid *grid)
{
	if (!judge_links(grid) || !number_axes(grid) || grid->axes > 6)
		return false;
	for (uint32_t i = 0; i < grid->axes; i++)
		if (!find_parts(grid, i))
			return false;
	join_pairs(grid);
	return take_axes(grid);
}

static int by_place(const void *a, const void *b, void *context)
{
	const struct draft *draft = context;
	uint32_t x = *(const uint32_t *)a - draft->hosts, y = *(const uint32_t *)b - draft->hosts;
	const struct liquid_place *p = draft_place(draft, x), *q = draft_place(draft, y);

	return p->y != q->y ? (p->y > q->y) - (p->y < q->y) : (p->x > q->x) - (p->x < q->x);
}

int draft_grid(struct draft *draft)
{
	struct grid grid = { .draft = draft };
	size_t switches = draft->switches, links = draft->first[switches];
	uint32_t *memory;

	if (!switches || switches > 65536)
		return 0;
	memory = draft->scratch = calloc(links + (4 + 6) * switches + 1, sizeof(*memory));
	draft->made->at = calloc(switches, sizeof(*draft->made->at));
	if (!memory || !draft->made->at)
		return LIQUID_NO_MEMORY;
	grid.axis = memory;
	grid.part = memory + links;
	grid.order = grid.part + switches;
	grid.at = grid.order + 3 * switches;
	if (switches > 1 && !find(&grid)) {
		free(draft->made->at);
		draft->made->at = NULL;
		return 0;
	}
	for (int i = 0; switches == 1 && i < GRID_AXES; i++)
		draft->made->size[i] = 1;
	memset(draft->made->level, 0, switches * sizeof(*draft->made->level));
	place(draft);
	qsort_r(draft->made->order, switches, sizeof(*draft->made->order), by_place, draft);
	return 1;
}
