// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Steps: in a frame all hosts send the same way
 *
 * Where each host sends to few others, as in a stencil, most transfers go as many hosts ahead as
 * many others do: they are of one step. The frames begin with whole steps, each in the frame where
 * most of it fits. Transfers at the borders of a stencil have their own steps, and fit beside
 * the step that they mean. What fits nowhere is placed by ejection, one by one: such chains
 * move little of what fits, while together they would move nearly all. A stencil of 6x8x9 processes
 * on a fat tree k=12 has six frames, which no other method finds; steps leave 48 of its 2,592
 * transfers to be placed so.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/grid.h"
#include "problem/routes-slim.h"
#include "solve/ejection/ejection.h"
#include "solve/methods.h"

#define STEPS_FRAMES_MAX 64
#define STEP_SHARE 4		/* transfers that take the same step, on average at least */

/* A transfer, and how many of the hosts in use are from its sender to its receiver */
struct stepping {
	uint32_t transfer, pair;
	uint32_t step, copy;		/* copy: of the pair */
	uint32_t alike;			/* transfers of this step and copy */
};

static int compare_step(const void *a, const void *b)
{
	const struct stepping *left = a, *right = b;

	if (left->copy != right->copy)
		return left->copy < right->copy ? -1 : 1;
	if (left->step != right->step)
		return left->step < right->step ? -1 : 1;
	return left->transfer < right->transfer ? -1 : left->transfer > right->transfer;
}

/* Large steps first: small ones fit beside them, not the other way round. */
static int compare_alike(const void *a, const void *b)
{
	const struct stepping *left = a, *right = b;

	if (left->alike != right->alike)
		return left->alike > right->alike ? -1 : 1;
	return compare_step(a, b);
}

/* Number the hosts that send or receive: @rank, by host; returns how many. */
static uint32_t rank_hosts(const struct routes *routes, uint32_t *rank, uint32_t hosts)
{
	uint32_t count = 0;

	for (uint32_t p = 0; p < routes->pair_count; p++)
		rank[routes->pairs[p].src] = rank[routes->pairs[p].dst] = 1;
	for (uint32_t h = 0; h < hosts; h++)
		rank[h] = rank[h] ? count++ : 0;
	return count;
}

static bool list_steps(const struct routes *routes, struct stepping *list)
{
	uint32_t span = routes_host_span(routes), hosts;
	uint32_t *rank = calloc((size_t)span + 1, sizeof(*rank));

	if (!rank)
		return false;
	hosts = rank_hosts(routes, rank, span);
	for (uint32_t p = 0; p < routes->pair_count; p++)
		for (uint32_t t = routes->first_transfer[p]; t < routes->first_transfer[p + 1]; t++)
			list[t] = (struct stepping){
				.transfer = t, .pair = p, .copy = t - routes->first_transfer[p],
				.step = (rank[routes->pairs[p].dst] + hosts -
					 rank[routes->pairs[p].src]) % hosts,
			};
	free(rank);
	return true;
}

/* Sort all transfers into the order in which they are placed; returns the number of steps. */
static uint32_t sort_steps(struct stepping *list, uint32_t transfers)
{
	uint32_t steps = 0;

	qsort(list, transfers, sizeof(*list), compare_step);
	for (uint32_t i = 0, end; i < transfers; i = end, steps++) {
		for (end = i; end < transfers && list[end].step == list[i].step &&
			      list[end].copy == list[i].copy; end++)
			;
		for (uint32_t k = i; k < end; k++)
			list[k].alike = end - i;
	}
	qsort(list, transfers, sizeof(*list), compare_alike);
	return steps;
}

static bool fits_at(struct grid *grid, uint32_t pair, uint32_t frame)
{
	return grid_first_fit(grid, pair, frame) == frame;
}

/* Place the transfers of a step in the frame where most of them fit. */
static void place_step(struct grid *grid, const struct stepping *list)
{
	uint32_t best = 0, most = 0;

	for (uint32_t frame = 0; frame < grid->frames && most < list->alike; frame++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < list->alike; i++)
			count += fits_at(grid, list[i].pair, frame);
		best = count > most ? frame : best;
		most = count > most ? count : most;
	}
	for (uint32_t i = 0; i < list->alike; i++)
		if (fits_at(grid, list[i].pair, best))
			grid_place(grid, list[i].transfer, best);
}

/* Frames of the transfers whose steps fit; the others have none. */
static int place_steps(struct solving *solving, const struct routes *routes,
		       const struct stepping *list, uint32_t *frame, struct liquid_error *err)
{
	struct grid grid;
	enum grid_outcome outcome = grid_new(&grid, routes, solving->lower_bound);

	if (outcome == GRID_NO_MEMORY)
		return liquid_no_memory(err);
	if (outcome == GRID_TOO_LARGE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "too many links and frames");
	for (uint32_t i = 0; i < routes->transfer_count; i += list[i].alike) {
		place_step(&grid, &list[i]);
		if (!budget_spend(solving->budget, grid.work + 8))
			break;
		grid.work = 0;
	}
	memcpy(frame, grid.frame, routes->transfer_count * sizeof(*frame));
	grid_clear(&grid);
	return LIQUID_OK;
}

static int place_rest(struct solving *solving, struct ejection *ejection, struct liquid_error *err)
{
	int status = ejection_open(ejection, solving->lower_bound, err);

	if (!status && ejection_run_singly(ejection, solving->budget) == EJECTION_PLACED)
		status = solving_offer(solving, ejection->frame, ejection->kind->frames, err);
	return status == LIQUID_LIMIT ? LIQUID_OK : status;
}

static int place_all(struct solving *solving, const struct routes *routes,
		     const struct stepping *list, struct liquid_error *err)
{
	struct ejection ejection;
	int status = ejection_new(&ejection, routes, solving->seed, err);

	if (status)
		return status;
	status = place_steps(solving, routes, list, ejection.frame, err);
	if (!status)
		status = place_rest(solving, &ejection, err);
	ejection_clear(&ejection);
	return status;
}

static int solve_steps(struct solving *solving, struct stepping *list, struct liquid_error *err)
{
	uint32_t transfers = solving->routes->transfer_count;
	struct routes slim;
	int status;

	if (!list || !list_steps(solving->routes, list))
		return liquid_no_memory(err);
	if ((uint64_t)sort_steps(list, transfers) * STEP_SHARE > transfers)
		return liquid_fail(err, LIQUID_BAD_INPUT, "few transfers take the same step");
	status = slim_init(&slim, solving->routes, &solving->inverse, err);
	if (status)
		return status;
	status = place_all(solving, &slim, list, err);
	slim_clear(&slim);
	return status;
}

int method_steps(struct solving *solving, struct liquid_error *err)
{
	struct stepping *list;
	int status;

	if (solving->lower_bound > STEPS_FRAMES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a host sends to too many others");
	list = calloc((size_t)solving->routes->transfer_count + 1, sizeof(*list));
	status = solve_steps(solving, list, err);
	free(list);
	return status;
}
