// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dsatur: colour the congestion graph: transfers, and an edge between each two that congest
 *
 * Brélaz, "New methods to color the vertices of a graph" (1979): the next transfer is the one
 * whose neighbours have the most colours; of equal ones the one with the most neighbours
 * without a colour, then the first. If a link takes more than one transfer in a frame,
 * congestion is not a relation of pairs, and there is no such graph.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/congestion.h"
#include "solve/methods.h"

#define DSATUR_TRANSFERS_MAX 20000

struct dsatur {
	const struct solving *solving;
	uint32_t transfers, words;	/* words of a set of colours */
	uint64_t *taken;		/* by transfer: colours of its neighbours */
	uint32_t *saturation;		/* by transfer: number of these */
	uint32_t *degree;		/* by transfer: number of neighbours without a colour */
	uint32_t *pair_of;
	uint32_t *colour;		/* by transfer, or LIQUID_NONE */
	uint32_t *seen, seen_count;	/* by pair: value of seen_count when last visited */
	uint64_t work;
};

static bool dsatur_new(struct dsatur *d, const struct solving *solving)
{
	const struct routes *routes = solving->routes;
	size_t count = (size_t)routes->transfer_count + 1;

	/* A greedy colouring needs at most one colour more than the largest degree. */
	*d = (struct dsatur){ .solving = solving, .transfers = routes->transfer_count };
	d->saturation = calloc(count, sizeof(*d->saturation));
	d->degree = calloc(count, sizeof(*d->degree));
	d->pair_of = calloc(count, sizeof(*d->pair_of));
	d->colour = malloc(count * sizeof(*d->colour));
	d->seen = calloc((size_t)routes->pair_count + 1, sizeof(*d->seen));
	if (!d->saturation || !d->degree || !d->pair_of || !d->colour || !d->seen)
		return false;
	memset(d->colour, 0xff, count * sizeof(*d->colour));
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first_transfer[pair];
		     i < routes->first_transfer[pair + 1]; i++)
			d->pair_of[i] = pair;
	return true;
}

static void dsatur_clear(struct dsatur *d)
{
	free(d->taken);
	free(d->saturation);
	free(d->degree);
	free(d->pair_of);
	free(d->colour);
	free(d->seen);
}

/* Call @visit once for each transfer that congests with @transfer. */
static void each_neighbour(struct dsatur *d, uint32_t transfer,
			   void (*visit)(struct dsatur *d, uint32_t from, uint32_t neighbour))
{
	const struct routes *routes = d->solving->routes;
	const struct routes_inverse *inverse = &d->solving->inverse;
	uint32_t count;
	const uint32_t *links = routes_links(routes, d->pair_of[transfer], &count);

	d->seen_count++;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = inverse->first[links[i]]; j < inverse->first[links[i] + 1]; j++) {
			uint32_t pair = inverse->pairs[j];

			d->work++;
			if (d->seen[pair] == d->seen_count || routes->capacity[links[i]] > 1)
				continue;
			d->seen[pair] = d->seen_count;
			for (uint32_t k = routes->first_transfer[pair];
			     k < routes->first_transfer[pair + 1]; k++)
				if (k != transfer)
					visit(d, transfer, k);
			d->work += routes->pairs[pair].count;
		}
}

static void count_degree(struct dsatur *d, uint32_t from, uint32_t neighbour)
{
	(void)neighbour;
	d->degree[from]++;
}

/* @from has just got its colour. */
static void tell_colour(struct dsatur *d, uint32_t from, uint32_t neighbour)
{
	uint64_t *word = &d->taken[(size_t)neighbour * d->words + d->colour[from] / 64];
	uint64_t bit = UINT64_C(1) << d->colour[from] % 64;

	d->degree[neighbour]--;
	d->saturation[neighbour] += !(*word & bit);
	*word |= bit;
}

static bool size_colours(struct dsatur *d)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < d->transfers; i++) {
		each_neighbour(d, i, count_degree);
		most = d->degree[i] > most ? d->degree[i] : most;
	}
	d->words = most / 64 + 1;
	d->taken = calloc((size_t)d->words * d->transfers + 1, sizeof(*d->taken));
	return d->taken != NULL;
}

static uint32_t most_saturated(struct dsatur *d)
{
	uint32_t best = LIQUID_NONE;

	for (uint32_t i = 0; i < d->transfers; i++) {
		if (d->colour[i] != LIQUID_NONE)
			continue;
		if (best == LIQUID_NONE || d->saturation[i] > d->saturation[best] ||
		    (d->saturation[i] == d->saturation[best] && d->degree[i] > d->degree[best]))
			best = i;
	}
	d->work += d->transfers;
	return best;
}

static uint32_t first_colour(const struct dsatur *d, uint32_t transfer)
{
	const uint64_t *taken = d->taken + (size_t)transfer * d->words;
	uint32_t word = 0;

	while (!~taken[word])
		word++;
	return 64 * word + (uint32_t)__builtin_ctzll(~taken[word]);
}

/* The number of colours; 0: the budget ended. */
static uint32_t colour_all(struct dsatur *d, struct budget *budget)
{
	uint32_t colours = 0, transfer;

	while ((transfer = most_saturated(d)) != LIQUID_NONE) {
		d->colour[transfer] = first_colour(d, transfer);
		if (d->colour[transfer] >= colours)
			colours = d->colour[transfer] + 1;
		each_neighbour(d, transfer, tell_colour);
		if (!budget_spend(budget, d->work))
			return 0;
		d->work = 0;
	}
	return colours;
}

static int refuse(const struct solving *solving, struct liquid_error *err)
{
	const struct routes *routes = solving->routes;
	uint32_t link;

	if (routes->transfer_count > DSATUR_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "dsatur: %u transfers; this method takes at most %u",
				   routes->transfer_count, DSATUR_TRANSFERS_MAX);
	if (!congestion_unpaired(routes, &solving->inverse, &link))
		return liquid_no_memory(err);
	if (link != LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "dsatur: a link has capacity %u and load %u; it colours graphs, "
				   "where any two transfers that share a link congest",
				   routes->capacity[link], routes->load[link]);
	return LIQUID_OK;
}

int method_dsatur(struct solving *solving, struct liquid_error *err)
{
	int status = refuse(solving, err);
	uint32_t colours;
	struct dsatur d;

	if (status)
		return status;
	if (dsatur_new(&d, solving) && size_colours(&d)) {
		colours = colour_all(&d, solving->budget);
		if (colours)
			status = solving_offer(solving, d.colour, colours, err);
	} else {
		status = liquid_no_memory(err);
	}
	dsatur_clear(&d);
	return status;
}
