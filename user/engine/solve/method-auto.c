// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * auto: a portfolio
 *
 * After first fit into the duration a short look for twins where the traffic is small: both settle
 * most in microseconds. A large one begins with the shift, which is cheap, and liquid on many a
 * fat tree. First fit and a short search over frames; then what can raise the lower bound cheaply.
 * Where that is not liquid, the members follow, the one that structure allows first: orbits, groups
 * or frames, twins, ejection. There is a schedule whatever the work: the shift, if no other.
 *
 * Each member is left a quarter of the work: those before it may not take that. What one
 * cannot use (routes that are not for it, a search that has come to its end) goes to those
 * after it. Each keeps the best schedule so far, and ejection goes on from it. Two are left
 * out: twins where no two hosts are, which is ejection again; and the search over frames where
 * hosts are twins, as the one over groups is the same search on an equivalent smaller problem.
 */
#include "solve/certificate.h"
#include "solve/methods.h"
#include "solve/symmetry/quotient.h"
#include "solve/symmetry/unit-frames.h"

/* Up to here the search over frames comes first; above, it costs too much a frame. */
#define FRAMES_PAIRS_MAX 20000
/* An exhaustive search beyond this many transfers is hopeless. */
#define EXHAUST_TRANSFERS_MAX 256

/* The share of a first look: most that is liquid is found at once. */
#define QUICK_PARTS 64

typedef int (*solve_fn)(struct solving *solving, struct liquid_error *err);

/* @solve with one part in @parts of the work that is left. */
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

/* A method that the routes are not for leaves the word to others. */
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
	for (uint32_t i = 0; !status && i < count; i++) {
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

/* From the lower bound up: each length is found, refuted, or too hard. */
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

/* What settles most traffics, and bounds for the rest. */
static int begin(struct solving *solving, bool small, struct liquid_error *err)
{
	int status = small ? if_fit(solving, method_quotient, QUICK_PARTS, err) : LIQUID_OK;

	if (!status)
		status = with_share(solving, method_first_fit, 2, err);
	if (!status && (small || !solving->length))
		status = with_share(solving, method_frames, QUICK_PARTS, err);
	if (!status && !small)
		status = if_fit(solving, method_quotient, QUICK_PARTS, err);
	if (!status && !solving_done(solving))
		status = certificate_raise(solving, err);
	if (!status && solving->routes->transfer_count <= EXHAUST_TRANSFERS_MAX)
		status = with_share(solving, exhaust, 8, err);
	return status;
}

/* What the routes' own symmetry allows, or that of the whole fabric. */
static int by_symmetry(struct solving *solving, struct liquid_error *err)
{
	struct liquid_error unfit;
	int status = if_fit(solving, method_product, 1, err);

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
	int status = with_share(solving, method_first_fit, 2, err);

	if (!status)
		status = if_fit(solving, method_product, 1, err);
	return status ? status : if_fit(solving, method_orbit, 1, err);
}

/*
 * The shift, whatever work is given: what it takes grows with the traffic and hardly faster. It
 * is not charged, so that there is as much for the others as there ever was.
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

/* What is settled in microseconds; of a large traffic a schedule whatever comes. */
int auto_look(struct solving *solving, struct liquid_error *err)
{
	int status = word_fit(solving, err);

	if (status || solving_done(solving) ||
	    solving->routes->transfer_count <= FRAMES_PAIRS_MAX)
		return status;
	return shift_anyway(solving, err);
}

/* Whoever gives so little time or work gets what takes least. */
static int fall_back(struct solving *solving, struct liquid_error *err)
{
	struct budget *given = solving->budget;
	struct budget own = { .limit = UINT64_MAX, .look = UINT64_MAX };
	int status;

	if (given->cancelled)
		return LIQUID_OK;
	if (solving->routes->transfer_count > FRAMES_PAIRS_MAX)
		return shift_anyway(solving, err);
	solving->budget = &own;		/* the clock too: this takes milliseconds */
	status = method_round_robin(solving, err);
	solving->budget = given;
	return status;
}

int method_auto(struct solving *solving, struct liquid_error *err)
{
	bool small = solving->routes->pair_count <= FRAMES_PAIRS_MAX;
	uint32_t units = 0;
	int status = begin(solving, small, err);

	if (!status && !solving_done(solving))
		status = quotient_count_units(solving->routes, &units, err);
	if (!status) {
		const struct member members[] = {
			{ by_symmetry, true },
			{ method_quotient, units && units <= UNIT_FRAMES_UNITS_MAX },
			{ method_frames, small && !(units && units <= UNIT_FRAMES_UNITS_MAX) },
			{ method_twins, units },
			{ method_ejection, true },
		};

		status = run_members(solving, members, sizeof(members) / sizeof(members[0]), err);
	}
	if (!status && solving->routes->transfer_count <= EXHAUST_TRANSFERS_MAX)
		status = with_share(solving, exhaust, 1, err);
	return status || solving->length ? status : fall_back(solving, err);
}
