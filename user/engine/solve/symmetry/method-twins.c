// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * twins: ejection chains over groups of twins, from coarse to fine
 *
 * If the twin quotient exists, its units are scheduled instead of transfers: the hosts' own
 * links become capacities of groups, which are far easier to satisfy. A unit has many copies;
 * so bundles of r copies are scheduled first, into frames that are then used r times each. The
 * result is refined with smaller bundles, down to single copies. A bundle that is not full
 * wastes capacity, and few frames leave little freedom: r is the largest number that avoids
 * both.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/ejection/ejection.h"
#include "solve/methods.h"
#include "solve/symmetry/structure.h"

/* Bundles may lengthen the bound by 1 / WASTE_MOST. */
#define WASTE_MOST 100
#define BUNDLE_MOST 4096u	/* copies */
/* Fewer frames of bundles leave too little freedom. */
#define FRAMES_FEWEST 512
#define PATIENCE 6		/* tries in vain before bundles are smaller */

struct twins {
	struct solving *outer;
	const struct quotient *quotient;
	struct routes routes;		/* the bundles as a problem for ejection */
	struct routes_inverse inverse;
	uint32_t bundle;		/* copies of a unit in one transfer of @routes */
	struct solving level;
};

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* Write the units as bundles of @bundle copies. */
static void set_bundle(struct twins *twins, uint32_t bundle)
{
	const struct routes *units = &twins->quotient->units;

	twins->bundle = bundle;
	for (uint32_t unit = 0; unit < units->pair_count; unit++)
		twins->routes.own_pairs[unit].count = divide_up(units->pairs[unit].count, bundle);
	routes_measure(&twins->routes);
}

/* The largest bundle up to @most that needs at most @limit frames of single copies. */
static uint32_t choose_bundle(struct twins *twins, uint32_t most, uint32_t limit)
{
	const struct routes *units = &twins->quotient->units;

	for (uint32_t bundle = most; bundle > 1; bundle--) {
		if (!budget_spend(twins->outer->budget, units->first[units->pair_count]))
			break;
		set_bundle(twins, bundle);
		if ((uint64_t)twins->routes.duration * bundle <= limit)
			return bundle;
	}
	return 1;
}

static uint32_t smallest_factor(uint32_t number)
{
	for (uint32_t factor = 2; factor < number && factor < 64; factor++)
		if (number % factor == 0)
			return factor;
	return number;
}

/* The bundles use the links of the units. */
static bool twins_new(struct twins *twins)
{
	const struct routes *units = &twins->quotient->units;
	struct routes *routes = &twins->routes;

	*routes = *units;
	routes->first_transfer = calloc((size_t)units->pair_count + 1,
					sizeof(*routes->first_transfer));
	routes->load = calloc((size_t)units->link_count + 1, sizeof(*routes->load));
	routes->own_pairs = calloc((size_t)units->pair_count + 1, sizeof(*routes->own_pairs));
	routes->pairs = routes->own_pairs;
	if (!routes->first_transfer || !routes->load || !routes->own_pairs)
		return false;
	memcpy(routes->own_pairs, units->pairs, units->pair_count * sizeof(*units->pairs));
	routes_measure(routes);
	return routes_invert(routes, &twins->inverse);
}

static void twins_clear(struct twins *twins)
{
	routes_inverse_clear(&twins->inverse);
	free(twins->routes.first_transfer);
	free(twins->routes.load);
	free(twins->routes.own_pairs);
	free(twins->level.frame);
}

/*
 * Before a finer level, frame f becomes frames f * @parts ... f * @parts + @parts - 1, and each
 * of these gets one part of the bundle while there are any.
 */
static int refine(struct twins *twins, uint32_t parts, struct liquid_error *err)
{
	const struct routes *units = &twins->quotient->units;
	uint32_t *coarse = twins->level.frame, *fine, from = 0;

	set_bundle(twins, twins->bundle / parts);
	fine = calloc((size_t)twins->routes.transfer_count + 1, sizeof(*fine));
	if (!fine)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u transfers",
				   twins->routes.transfer_count);
	for (uint32_t unit = 0; unit < units->pair_count; unit++) {
		uint32_t first = twins->routes.first_transfer[unit];
		uint32_t count = twins->routes.pairs[unit].count;

		for (uint32_t i = 0; i < count; i++)
			fine[first + i] = coarse[from + i / parts] * parts + i % parts;
		from += divide_up(count, parts);
	}
	free(coarse);
	twins->level.frame = fine;
	twins->level.length *= parts;
	return LIQUID_OK;
}

/* Offer the schedule of the level, expanded to transfers, if it is shorter than the best. */
static bool is_shorter(const struct twins *twins)
{
	uint64_t length = (uint64_t)twins->level.length * twins->bundle * twins->quotient->repeat;

	return twins->level.length && length < UINT32_MAX &&
	       (!twins->outer->length || length < twins->outer->length);
}

static int offer_level(void *context, struct liquid_error *err)
{
	struct twins *twins = context;
	const struct routes *units = &twins->quotient->units;
	struct unit_plan plan = { .frames = twins->level.length * twins->bundle };
	uint32_t at = 0;
	bool memory = true;
	int status;

	if (!is_shorter(twins))
		return LIQUID_OK;
	for (uint32_t unit = 0; memory && unit < units->pair_count; unit++) {
		for (uint32_t i = 0; memory && i < units->pairs[unit].count; i++)
			memory = unit_plan_add(&plan, twins->level.frame[at + i / twins->bundle] *
					       twins->bundle + i % twins->bundle, unit, 1);
		at += twins->routes.pairs[unit].count;
	}
	if (memory)
		status = quotient_offer(twins->outer, twins->quotient, &plan, err);
	else
		status = liquid_no_memory(err);
	unit_plan_clear(&plan);
	return status;
}

/* Solve one level, from the frames that the level before has found, if any. */
static int solve_level(struct twins *twins, uint32_t patience, struct liquid_error *err)
{
	struct budget *budget = twins->outer->budget;
	bool first = !twins->level.length;
	int status;

	twins->level.lower_bound = twins->routes.duration;
	budget->state.total = twins->routes.transfer_count;
	status = first ? method_first_fit(&twins->level, err) : LIQUID_OK;
	if (!status && twins->level.length)
		status = ejection_shorten(&twins->level, first ? twins->level.lower_bound : 0,
					  patience, err);
	budget->state.total = twins->outer->routes->transfer_count;
	budget->state.best_length = twins->outer->length;
	return status;
}

/* Begin with bundles of @bundle, none of which has a frame. */
static int start_level(struct twins *twins, uint32_t bundle, struct liquid_error *err)
{
	set_bundle(twins, bundle);
	free(twins->level.frame);
	twins->level = (struct solving){ .routes = &twins->routes, .inverse = twins->inverse,
					 .budget = twins->outer->budget,
					 .seed = twins->outer->seed,
					 .pass_on = offer_level, .context = twins };
	twins->level.frame = calloc((size_t)twins->routes.transfer_count + 1,
				    sizeof(*twins->level.frame));
	if (!twins->level.frame)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

/* The last level has no end. */
static uint32_t patience_of(const struct twins *twins)
{
	return twins->bundle > 1 ? PATIENCE : UINT32_MAX;
}

/*
 * The largest bundle that wastes nothing may reach the bound at once. If it does not, smaller
 * bundles in more frames leave more freedom and come closer.
 */
static int solve_levels(struct twins *twins, struct liquid_error *err)
{
	const struct routes *units = &twins->quotient->units;
	struct solving *outer = twins->outer;
	uint32_t most = routes_largest_count(units), fine = units->duration / FRAMES_FEWEST, exact;
	int status = LIQUID_OK;

	most = most < BUNDLE_MOST ? most : BUNDLE_MOST;
	exact = choose_bundle(twins, most, units->duration);
	fine = choose_bundle(twins, fine < most ? fine : most,
			     units->duration + units->duration / WASTE_MOST);
	if (exact > fine) {
		status = start_level(twins, exact, err);
		if (!status)
			status = solve_level(twins, 1, err);
	}
	if (status || solving_done(outer) || !budget_left(outer->budget))
		return status;
	status = start_level(twins, fine, err);
	if (!status)
		status = solve_level(twins, patience_of(twins), err);
	while (!status && twins->bundle > 1 && !solving_done(outer) &&
	       budget_left(outer->budget) && twins->level.length) {
		status = refine(twins, smallest_factor(twins->bundle), err);
		if (!status)
			status = solve_level(twins, patience_of(twins), err);
	}
	return status;
}

int method_twins(struct solving *solving, struct liquid_error *err)
{
	struct twins twins = { .outer = solving };
	int status = structure_twins(solving, &twins.quotient, err);

	if (status)
		return status;
	if (!twins.quotient)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "twins: the routes of the hosts do not fall into groups");
	status = twins_new(&twins) ? solve_levels(&twins, err) : liquid_no_memory(err);
	twins_clear(&twins);
	return status;
}
