// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * auto: a portfolio
 *
 * A short look for twins where the traffic is small, which settles most in microseconds; first
 * fit, so that there is a schedule whatever comes, and a short search over frames; then, where
 * it is not liquid, what its structure allows, and what can raise the lower bound cheaply; then
 * the searches, each with a share of the work, the one first that suits the size.
 */
#include "solver.h"

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

/* Groups of twins first: that is quick where it leads anywhere. A quarter is left for others. */
static int use_structure(struct solving *solving, struct liquid_error *err)
{
	uint64_t outer;
	int status = if_fit(solving, method_quotient, 16, err);

	if (status)
		return status;
	outer = budget_narrow(solving->budget, budget_left(solving->budget) / 4 * 3);
	status = if_fit(solving, method_orbit, 1, err);
	budget_widen(solving->budget, outer);
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

int method_auto(struct solving *solving, struct liquid_error *err)
{
	bool small = solving->routes->pair_count <= FRAMES_PAIRS_MAX;
	int status = small ? if_fit(solving, method_quotient, QUICK_PARTS, err) : LIQUID_OK;

	if (!status)
		status = with_share(solving, method_first_fit, 2, err);
	if (!status && (small || !solving->length))
		status = with_share(solving, method_frames, QUICK_PARTS, err);
	if (!status)
		status = use_structure(solving, err);
	if (!status && !solving_done(solving))
		status = certificate_raise(solving, err);
	if (!status && solving->routes->transfer_count <= EXHAUST_TRANSFERS_MAX)
		status = with_share(solving, exhaust, 8, err);
	if (!status && (small || !solving->length))
		status = with_share(solving, method_frames, 2, err);
	if (!status)
		status = if_fit(solving, method_twins, small ? 2 : 1, err);
	if (!status)
		status = with_share(solving, method_ejection, small ? 2 : 1, err);
	if (!status && solving->routes->transfer_count <= EXHAUST_TRANSFERS_MAX)
		status = with_share(solving, exhaust, 1, err);
	return status;
}
