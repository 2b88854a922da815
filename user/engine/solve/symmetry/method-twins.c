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
#include "solve/symmetry/quotient.h"

/* Bundles may lengthen the bound by 1 / WASTE_MOST. */
#define WASTE_MOST 100
#define BUNDLE_MOST 4096u	/* copies */
/* Fewer frames of bundles leave too little freedom. */
#define FRAMES_FEWEST 512

struct twins {
	struct solving *outer;
	struct quotient quotient;
	struct routes routes;		/* the bundles as a problem for ejection */
	struct routes_inverse inverse;
	struct liquid_pair *pairs;
	uint32_t bundle;		/* copies of a unit in one transfer of @routes */
	struct solving level;
};

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* The least number of frames of single copies with bundles of @bundle. */
static uint64_t bundled_duration(const struct units *units, uint32_t bundle, uint32_t *load)
{
	uint64_t most = 0;

	memset(load, 0, units->resources * sizeof(*load));
	for (uint32_t unit = 0; unit < units->count; unit++)
		for (uint32_t i = units->first[unit]; i < units->first[unit + 1]; i++)
			load[units->uses[i]] += divide_up(units->copies[unit], bundle);
	for (uint32_t r = 0; r < units->resources; r++) {
		uint64_t frames = divide_up(load[r], units->capacity[r]);

		most = frames > most ? frames : most;
	}
	return most * bundle;
}

/* The largest bundle up to @most that needs at most @limit frames of single copies. */
static uint32_t choose_bundle(const struct units *units, uint32_t *load, uint32_t most,
			      uint32_t limit, struct budget *budget)
{
	for (uint32_t bundle = most; bundle > 1; bundle--) {
		if (!budget_spend(budget, units->first[units->count]))
			break;
		if (bundled_duration(units, bundle, load) <= limit)
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

/* Write the units as bundles of @bundle copies. */
static void set_bundle(struct twins *twins, uint32_t bundle)
{
	const struct units *units = &twins->quotient.units;
	struct routes *routes = &twins->routes;
	uint32_t total = 0;

	twins->bundle = bundle;
	for (uint32_t unit = 0; unit < units->count; unit++) {
		twins->pairs[unit] = (struct liquid_pair){
			twins->quotient.unit_sender[unit],
			twins->quotient.unit_receiver[unit],
			divide_up(units->copies[unit], bundle),
		};
		routes->first_transfer[unit] = total;
		total += twins->pairs[unit].count;
	}
	routes->first_transfer[units->count] = total;
	routes->transfer_count = total;
	routes->duration = (uint32_t)(bundled_duration(units, bundle, routes->load) / bundle);
}

static bool twins_new(struct twins *twins)
{
	struct units *units = &twins->quotient.units;

	twins->routes = (struct routes){ .pair_count = units->count,
					 .link_count = units->resources, .first = units->first,
					 .links = units->uses, .capacity = units->capacity };
	twins->pairs = calloc((size_t)units->count + 1, sizeof(*twins->pairs));
	twins->routes.pairs = twins->pairs;
	twins->routes.first_transfer = calloc((size_t)units->count + 1,
					      sizeof(*twins->routes.first_transfer));
	twins->routes.load = calloc((size_t)units->resources + 1, sizeof(*twins->routes.load));
	return twins->pairs && twins->routes.first_transfer && twins->routes.load &&
	       routes_invert(&twins->routes, &twins->inverse);
}

static void twins_clear(struct twins *twins)
{
	routes_inverse_clear(&twins->inverse);
	free(twins->pairs);
	free(twins->routes.first_transfer);
	free(twins->routes.load);
	free(twins->level.frame);
	quotient_clear(&twins->quotient);
}

/*
 * Before a finer level, frame f becomes frames f * @parts ... f * @parts + @parts - 1, and each
 * of these gets one part of the bundle while there are any.
 */
static int refine(struct twins *twins, uint32_t parts, struct liquid_error *err)
{
	const struct units *units = &twins->quotient.units;
	uint32_t *coarse = twins->level.frame, *fine, from = 0;

	set_bundle(twins, twins->bundle / parts);
	fine = calloc((size_t)twins->routes.transfer_count + 1, sizeof(*fine));
	if (!fine)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %u transfers",
				   twins->routes.transfer_count);
	for (uint32_t unit = 0; unit < units->count; unit++) {
		uint32_t first = twins->routes.first_transfer[unit];
		uint32_t count = twins->pairs[unit].count;

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
static int offer_level(struct twins *twins, struct liquid_error *err)
{
	const struct units *units = &twins->quotient.units;
	struct solving *outer = twins->outer;
	uint32_t *frame = malloc(((size_t)outer->routes->transfer_count + 1) * sizeof(*frame));
	struct unit_plan plan = { .frames = twins->level.length * twins->bundle };
	uint32_t at = 0;
	int status = frame ? LIQUID_OK : LIQUID_NO_MEMORY;

	for (uint32_t unit = 0; !status && unit < units->count; unit++) {
		for (uint32_t i = 0; i < units->copies[unit]; i++)
			if (!unit_plan_add(&plan, twins->level.frame[at + i / twins->bundle] *
					   twins->bundle + i % twins->bundle, unit, 1))
				status = LIQUID_NO_MEMORY;
		at += twins->pairs[unit].count;
	}
	if (status)
		liquid_fail(err, status, "no memory for the schedule");
	if (!status)
		status = quotient_expand(outer->routes, &twins->quotient, &plan, frame, err);
	if (!status)
		status = solving_offer(outer, frame, plan.frames * twins->quotient.repeat, err);
	unit_plan_clear(&plan);
	free(frame);
	return status;
}

static bool is_shorter(const struct twins *twins)
{
	uint64_t length = (uint64_t)twins->level.length * twins->bundle * twins->quotient.repeat;

	return twins->level.length && length < UINT32_MAX &&
	       (!twins->outer->length || length < twins->outer->length);
}

/* Solve one level with @work, from the frames that the level before has found, if any. */
static int solve_level(struct twins *twins, uint64_t work, struct liquid_error *err)
{
	struct budget *budget = twins->outer->budget;
	uint64_t outer = budget_narrow(budget, work);
	int status;

	twins->level.lower_bound = twins->routes.duration;
	budget->state.total = twins->routes.transfer_count;
	status = twins->level.length ? ejection_shorten(&twins->level, 0, err) :
		method_ejection(&twins->level, err);
	budget_widen(budget, outer);
	budget->state.total = twins->outer->routes->transfer_count;
	budget->state.best_length = twins->outer->length;
	if (!status && is_shorter(twins))
		status = offer_level(twins, err);
	return status;
}

/* Begin with bundles of @bundle, none of which has a frame. */
static int start_level(struct twins *twins, uint32_t bundle, struct liquid_error *err)
{
	set_bundle(twins, bundle);
	free(twins->level.frame);
	twins->level = (struct solving){ .routes = &twins->routes, .inverse = twins->inverse,
					 .budget = twins->outer->budget,
					 .seed = twins->outer->seed };
	twins->level.frame = calloc((size_t)twins->routes.transfer_count + 1,
				    sizeof(*twins->level.frame));
	if (!twins->level.frame)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	return LIQUID_OK;
}

static uint32_t most_copies(const struct units *units)
{
	uint32_t most = 1;

	for (uint32_t unit = 0; unit < units->count; unit++)
		most = units->copies[unit] > most ? units->copies[unit] : most;
	return most < BUNDLE_MOST ? most : BUNDLE_MOST;
}

/*
 * The largest bundle that wastes nothing may reach the bound at once. If it does not, smaller
 * bundles in more frames leave more freedom and come closer.
 */
static int solve_levels(struct twins *twins, struct liquid_error *err)
{
	const struct units *units = &twins->quotient.units;
	struct solving *outer = twins->outer;
	uint32_t most = most_copies(units), fine = units->duration / FRAMES_FEWEST, exact;
	uint32_t *load = twins->routes.load;
	int status = LIQUID_OK;

	exact = choose_bundle(units, load, most, units->duration, outer->budget);
	fine = choose_bundle(units, load, fine < most ? fine : most,
			     units->duration + units->duration / WASTE_MOST, outer->budget);
	if (exact > fine) {
		status = start_level(twins, exact, err);
		if (!status)
			status = solve_level(twins, budget_left(outer->budget) / 8 + 1, err);
	}
	if (status || solving_done(outer) || !budget_left(outer->budget))
		return status;
	status = start_level(twins, fine, err);
	if (!status)
		status = solve_level(twins, fine > 1 ? budget_left(outer->budget) / 4 * 3 :
				     budget_left(outer->budget), err);
	while (!status && twins->bundle > 1 && !solving_done(outer) &&
	       budget_left(outer->budget) && twins->level.length) {
		status = refine(twins, smallest_factor(twins->bundle), err);
		if (!status)
			status = solve_level(twins, budget_left(outer->budget), err);
	}
	return status;
}

int method_twins(struct solving *solving, struct liquid_error *err)
{
	struct twins twins = { .outer = solving };
	bool found;
	int status = quotient_find(solving->routes, &twins.quotient, &found, err);

	if (status)
		return status;
	if (!found)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "twins: the routes of the hosts do not fall into groups");
	status = twins_new(&twins) ? solve_levels(&twins, err) :
		liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the groups of hosts");
	twins_clear(&twins);
	return status;
}
