// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * first-fit: each transfer into the first frame where it fits
 *
 * There are two attempts, and the shorter schedule counts. Both place the transfers on the
 * fullest links first. One searches from frame 0, the other from the frame that a round-robin
 * shift would give the transfer.
 */
#include <stdlib.h>

#include "problem/grid.h"
#include "solve/methods.h"

struct ordered {
	uint64_t urgency;
	uint32_t pair;
};

static int compare_ordered(const void *a, const void *b)
{
	const struct ordered *left = a, *right = b;

	if (left->urgency != right->urgency)
		return left->urgency > right->urgency ? -1 : 1;
	return left->pair < right->pair ? -1 : left->pair > right->pair;
}

/* Pairs by how full the duration makes their links; the fullest link counts most. */
static struct ordered *order_pairs(const struct routes *routes)
{
	struct ordered *order = calloc((size_t)routes->pair_count + 1, sizeof(*order));

	for (uint32_t pair = 0; order && pair < routes->pair_count; pair++) {
		uint32_t count;
		const uint32_t *links = routes_links(routes, pair, &count);
		uint64_t fullest = 0, sum = 0;

		for (uint32_t i = 0; i < count; i++) {
			uint64_t full = ((uint64_t)routes->load[links[i]] << 10) /
				((uint64_t)routes->capacity[links[i]] * routes->duration);

			fullest = full > fullest ? full : fullest;
			sum += full;
		}
		order[pair] = (struct ordered){ fullest << 32 | sum, pair };
	}
	if (order)
		qsort(order, routes->pair_count, sizeof(*order), compare_ordered);
	return order;
}

/* The frame of the pair in a round-robin shift over the hosts in use. */
static uint32_t shift_of(const struct liquid_pair *pair, uint32_t hosts)
{
	return (pair->dst + hosts - pair->src) % hosts;
}

/*
 * Enough frames for first fit from frame 0 never to fail, unless that is too many: a pair
 * needs one more than the other pairs on its links can fill.
 */
static uint32_t frames_enough(const struct routes *routes)
{
	uint64_t most = 0;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		uint32_t count;
		const uint32_t *links = routes_links(routes, pair, &count);
		uint64_t all = 0, others = 0;

		for (uint32_t i = 0; i < count; i++) {
			all += routes->load[links[i]] / routes->capacity[links[i]];
			others += (routes->load[links[i]] - 1) / routes->capacity[links[i]];
		}
		all = others >= all ? others + 1 : all;
		most = all > most ? all : most;
	}
	if (most > routes->transfer_count)
		most = routes->transfer_count;
	return most > routes->duration ? (uint32_t)most : routes->duration;
}

/* Returns false if the budget ended before the last transfer. */
static bool fit_all(struct grid *grid, const struct ordered *order, uint32_t shift_hosts,
		    struct budget *budget)
{
	const struct routes *routes = grid->routes;

	for (uint32_t i = 0; i < routes->pair_count; i++) {
		uint32_t pair = order[i].pair, from = 0;

		if (shift_hosts)
			from = shift_of(&routes->pairs[pair], shift_hosts) % routes->duration;
		for (uint32_t j = routes->first_transfer[pair];
		     j < routes->first_transfer[pair + 1]; j++) {
			from = grid_first_fit(grid, pair, from);
			grid_place(grid, j, from);	/* the next unit goes after it */
			if (!budget_spend(budget, grid->work + 8))
				return false;
			grid->work = 0;
		}
	}
	return true;
}

static int fit_once(struct solving *solving, const struct ordered *order, uint32_t frames,
		    uint32_t shift_hosts, struct liquid_error *err)
{
	enum grid_outcome outcome;
	int status = LIQUID_OK;
	struct grid grid;

	outcome = grid_new(&grid, solving->routes, frames);
	if (outcome == GRID_NO_MEMORY)
		return liquid_no_memory(err);
	if (outcome == GRID_TOO_LARGE) {
		solving->too_large = true;
		return LIQUID_OK;
	}
	if (fit_all(&grid, order, shift_hosts, solving->budget))
		status = solving_offer(solving, grid.frame, frames, err);
	grid_clear(&grid);
	return status;
}

int method_first_fit(struct solving *solving, struct liquid_error *err)
{
	const struct routes *routes = solving->routes;
	struct ordered *order = order_pairs(routes);
	uint32_t frames = frames_enough(routes);
	int status;

	if (!order)
		return liquid_no_memory(err);
	status = fit_once(solving, order, frames, 0, err);
	if (!status && !solving_done(solving))
		status = fit_once(solving, order, frames, routes_host_span(routes), err);
	free(order);
	return status;
}
