// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * auto: a portfolio
 *
 * A small traffic begins with first fit into the duration and a short search over groups of twin
 * hosts, which solve most such traffics in microseconds. A large one begins with tilings, if it
 * looks like that of a torus; then with its dimensions one by one, if that may be liquid; or else
 * with the round-robin shift, which is cheap, and liquid on many fat trees. Then come first
 * fit, a short search over frames, steps that many hosts take, columns, what can raise the
 * lower bound cheaply, and, if the traffic is large, twins and frames that are used twice. If
 * the result is not liquid, nor near the bound by tilings or by frames that are used twice,
 * the members follow, those that use most structure first: learning from conflicts if the
 * traffic is small, orbits, groups or frames, twins, ejection. There is always a schedule,
 * however little work is allowed: the shift if no other.
 *
 * A quarter of the work is reserved for each member that follows. A member that cannot use its
 * share (it does not apply to these routes, or its search ends early) leaves it to the next.
 * Each keeps the best schedule so far; ejection continues from that. Two members are skipped:
 * twins, when no two hosts are twins: that is plain ejection; and the search over frames, when
 * some are: the search over groups is the same on an equivalent smaller problem. Where hosts are
 * twins, there are four members without learning: it comes last and has what they leave.
 */
#include "solve/certificate.h"
#include "solve/methods.h"
#include "solve/symmetry/quotient.h"
#include "solve/symmetry/unit-frames.h"

/* From here on, dimensions are looked for first; a smaller traffic needs no less time for that. */
#define FOLDS_TRANSFERS_MIN 2000
/* Share of dimensions one by one, which end soon where they do not help. */
#define FOLDS_PARTS 4
/* Up to here the search over frames comes first; above, a frame costs too much. */
#define FRAMES_PAIRS_MAX 20000
/* An exhaustive search of more transfers would not end. */
#define EXHAUST_TRANSFERS_MAX 256

/* Share of the first try: most liquid schedules are found at once. */
#define QUICK_PARTS 64
/*
 * Of a large traffic, twins come before all others, with half of what is left. Only up to here:
 * above, that is too little for them.
 */
#define TWINS_TRANSFERS_MAX 100000
#define TWINS_PARTS 2
/* Columns are no search: what they need is little and grows with the traffic. */
#define COLUMNS_PARTS 2

/* First fit hardly makes a schedule shorter that is longer than the bound by 1 / NEAR_PART. */
#define NEAR_PART 16
/* No method is known to make one shorter that tilings brought as near as 1 / TILED_PART. */
#define TILED_PART 64
/* Nor one that frames used twice brought as near as 1 / PATTERNED_PART. */
#define PATTERNED_PART 45

typedef int (*solve_fn)(struct solving *solving, struct liquid_error *err);

/* Run @solve with a share of 1 / @parts of the work that is left. */
static int with_share(struct solving *solving, solve_fn solve, uint64_t parts,
		      struct liquid_error *err)
{
	uint64_t outer, left = budget_left(solving->budget);
	int status;

	if (solving_done(solving) || !left)
		return LIQUID_OK;
	outer = budget_narrow(solving->budget, left / parts);
	status = solve(solving, err);
	budget_widen(solving->budget, outer);
	return status;
}

/* If a method does not apply to these routes, the next one is tried. */
static int if_fit(struct solving *solving, solve_fn solve, uint64_t parts, struct liquid_error *err)
{
	struct liquid_error unfit;
	int status = with_share(solving, solve, parts, &unfit);

	if (status == LIQUID_BAD_INPUT)
		return LIQUID_OK;
	if (status && err)
		*err = unfit;
	return status;
}

/* Whether there is a schedule that is longer than the bound by at most 1 / @part. */
static bool is_near(const struct solving *solving, uint32_t part)
{
	return solving->length &&
	       solving->length - solving->lower_bound <= solving->lower_bound / part;
}

static bool is_tiled(const struct solving *solving)
{
	return solving->tiled && is_near(solving, TILED_PART);
}

static bool is_patterned(const struct solving *solving)
{
	return solving->patterned && is_near(solving, PATTERNED_PART);
}

struct member {
	solve_fn solve;
	bool wanted;
};

static int run_members(struct solving *solving, const struct member *member, uint32_t count,
		       struct liquid_error *err)
{
	struct budget *budget = solving->budget;
	uint64_t quarter = budget_left(budget) / 4;
	uint32_t later = 0;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < count; i++)
		later += member[i].wanted;
	for (uint32_t i = 0; !status && i < count && !is_patterned(solving); i++) {
		uint64_t left = budget_left(budget), outer;

		if (!member[i].wanted)
			continue;
		later--;
		outer = budget_narrow(budget, left > later * quarter ? left - later * quarter : 0);
		status = if_fit(solving, member[i].solve, 1, err);
		budget_widen(budget, outer);
	}
	return status;
}

/* Search each length from the lower bound up until one is found or is too hard to refute. */
static int exhaust(struct solving *solving, struct liquid_error *err)
{
	bool proven = true;
	int status = LIQUID_OK;

	while (!status && proven && !solving_done(solving)) {
		status = frames_exhaust(solving, solving->lower_bound, &proven, err);
		if (status || !proven)
			break;
		solving->lower_bound++;
		witness_clear(&solving->witness);
		solving->witness.kind = WITNESS_SEARCH;
	}
	return status;
}

/* The methods that solve most traffics, and better bounds for the rest. */
static int begin(struct solving *solving, bool small, struct liquid_error *err)
{
	int status = small ? if_fit(solving, method_quotient, QUICK_PARTS, err) : LIQUID_OK;

	if (!status && !is_near(solving, NEAR_PART))
		status = with_share(solving, method_first_fit, 2, err);
	if (!status && (small || !solving->length))
		status = with_share(solving, method_frames, QUICK_PARTS, err);
	if (!status && small)
		status = if_fit(solving, method_steps, QUICK_PARTS, err);
	if (!status && !small)
		status = if_fit(solving, method_quotient, QUICK_PARTS, err);
	if (!status)
		status = if_fit(solving, method_columns, COLUMNS_PARTS, err);
	if (!status && !solving_done(solving))
		status = certificate_raise(solving, err);
	if (!status && solving->routes->transfer_count <= EXHAUST_TRANSFERS_MAX)
		status = with_share(solving, exhaust, 8, err);
	return status;
}

/* Links between switches that are busy in every frame of a liquid schedule. */
static uint32_t tight_links(const struct solving *solving)
{
	const struct routes *routes = solving->routes;
	uint32_t hosts = liquid_fabric_host_count(solving->fabric), count = 0;

	for (uint32_t l = 0; l < routes->link_count; l++) {
		const struct liquid_link *link = liquid_fabric_link(solving->fabric,
								    routes->origin[l]);

		count += link->from >= hosts && link->to >= hosts &&
			 routes->load[l] == (uint64_t)routes->capacity[l] * routes->duration;
	}
	return count;
}

/*
 * Whether a tiling may exist: no fewer switches than hosts, and no fewer tight links. This is
 * cheap, and keeps traffics out that the shift or first fit solve at once. Without a fabric, the
 * routes are the few of the lines of a product.
 */
static bool may_be_tiled(const struct solving *solving)
{
	uint32_t hosts, switches;

	if (!solving->fabric || !solving->routes->origin)
		return true;
	hosts = liquid_fabric_host_count(solving->fabric);
	switches = liquid_fabric_switch_count(solving->fabric);
	return hosts <= switches && tight_links(solving) >= hosts;
}

/*
 * Tilings get most of the work, once: where they apply, other methods are far behind, and where
 * they are not found soon, most of it is left.
 */
static int by_tiles(struct solving *solving, struct liquid_error *err)
{
	struct budget *budget = solving->budget;
	uint64_t left = budget_left(budget), outer = budget_narrow(budget, left - left / 8);
	uint32_t before = solving->length;
	int status = LIQUID_OK;

	if (!solving->tiles_tried && may_be_tiled(solving))
		status = if_fit(solving, method_tile, 1, err);
	solving->tiles_tried = true;
	solving->tiled |= solving->length != before;
	budget_widen(budget, outer);
	return status;
}

/* Use the symmetry of the routes, or else that of the whole fabric. */
static int by_symmetry(struct solving *solving, struct liquid_error *err)
{
	struct liquid_error unfit;
	int status = if_fit(solving, method_product, 1, err);

	if (!status)
		status = by_tiles(solving, err);
	if (status || solving_done(solving))
		return status;
	status = with_share(solving, method_orbit, 1, &unfit);
	if (status == LIQUID_BAD_INPUT)
		return if_fit(solving, method_closure, 1, err);
	if (status && err)
		*err = unfit;
	return status;
}

int method_symmetric(struct solving *solving, struct liquid_error *err)
{
	int status = by_tiles(solving, err);

	if (!status && !solving->length)
		status = if_fit(solving, method_folds, 1, err);
	if (!status && !is_near(solving, NEAR_PART))
		status = with_share(solving, method_first_fit, 2, err);
	if (status || is_tiled(solving))
		return status;
	status = if_fit(solving, method_product, 1, err);
	if (!status)
		status = if_fit(solving, method_patterns, 1, err);
	if (status || is_patterned(solving))
		return status;
	return if_fit(solving, method_orbit, 1, err);
}

/*
 * The shift, with no limit of work: its cost is nearly linear in the traffic. It is not charged,
 * so that the other methods have their full share.
 */
static int shift_anyway(struct solving *solving, struct liquid_error *err)
{
	struct budget *budget = solving->budget;
	uint64_t outer = budget->limit, spent = budget->spent;
	int status;

	budget->limit = UINT64_MAX;
	status = method_round_robin(solving, err);
	budget->limit = outer;
	budget->look -= budget->spent - spent;
	budget->spent = spent;
	return status;
}

/* Solve what takes microseconds; give a large traffic some schedule in any case. */
int auto_look(struct solving *solving, struct liquid_error *err)
{
	bool large = solving->routes->transfer_count > FRAMES_PAIRS_MAX;
	int status = word_fit(solving, err);

	if (!status && !solving_done(solving) && large && solving->fabric)
		status = by_tiles(solving, err);
	if (!status && !solving->length &&
	    solving->routes->transfer_count >= FOLDS_TRANSFERS_MIN)
		status = if_fit(solving, method_folds, FOLDS_PARTS, err);
	return status || solving->length || !large ? status : shift_anyway(solving, err);
}

/* Time or work were too short for any schedule: use the cheapest method. */
static int fall_back(struct solving *solving, struct liquid_error *err)
{
	struct budget *given = solving->budget;
	struct budget own = { .limit = UINT64_MAX, .look = UINT64_MAX };
	int status;

	if (given->cancelled)
		return LIQUID_OK;
	if (solving->routes->transfer_count > FRAMES_PAIRS_MAX)
		return shift_anyway(solving, err);
	solving->budget = &own;		/* ignore the time limit, too: this takes milliseconds */
	status = method_round_robin(solving, err);
	solving->budget = given;
	return status;
}

int method_auto(struct solving *solving, struct liquid_error *err)
{
	const struct routes *routes = solving->routes;
	bool small = routes->pair_count <= FRAMES_PAIRS_MAX;
	uint32_t units = 0;
	int status = is_tiled(solving) ? certificate_raise(solving, err) :
					 begin(solving, small, err);

	if (status || is_tiled(solving))
		return status;
	if (!solving_done(solving))
		status = quotient_count_units(routes, &units, err);
	if (!status && !small && units && routes->transfer_count <= TWINS_TRANSFERS_MAX)
		status = if_fit(solving, method_twins, TWINS_PARTS, err);
	if (!status && !small)
		status = if_fit(solving, method_patterns, 1, err);
	if (!status) {
		const struct member members[] = {
			{ method_learning, small && !units },
			{ by_symmetry, true },
			{ method_quotient, units && units <= UNIT_FRAMES_UNITS_MAX },
			{ method_frames, small && !(units && units <= UNIT_FRAMES_UNITS_MAX) },
			{ method_twins, units },
			{ method_ejection, true },
		};

		status = run_members(solving, members, sizeof(members) / sizeof(members[0]), err);
	}
	if (!status && small && units)
		status = if_fit(solving, method_learning, 1, err);
	if (!status && routes->transfer_count <= EXHAUST_TRANSFERS_MAX)
		status = with_share(solving, exhaust, 1, err);
	return status || solving->length ? status : fall_back(solving, err);
}
