// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * auto: the methods that take turns, see portfolio.c
 *
 * Those come first in a round that soon end by themselves, then proofs, then searches that use most
 * structure, and last those that need none. There is always a schedule, however little work is
 * allowed: the shift if no other.
 */
#include "solve/certificate.h"
#include "solve/ejection/ejection.h"
#include "solve/methods.h"
#include "solve/portfolio.h"
#include "solve/symmetry/structure.h"

/* Up to here a search over frames is worth it; above, a frame costs too much. */
#define FRAMES_PAIRS_MAX 20000
/* An exhaustive search of more transfers would not end. */
#define EXHAUST_TRANSFERS_MAX 256
#define PROOFS_WORK 400000000	/* of which they take an eighth at most */

/* ---- which members apply ---- */

static bool if_small(const struct solving *solving)
{
	return solving->routes->pair_count <= FRAMES_PAIRS_MAX;
}

static bool if_tiny(const struct solving *solving)
{
	return solving->routes->transfer_count <= EXHAUST_TRANSFERS_MAX;
}

/* All hosts that are known exchange; for a part of them there is closure. */
static bool is_whole(const struct solving *solving)
{
	uint64_t hosts = solving->fabric ? liquid_fabric_host_count(solving->fabric) -
					   liquid_fabric_alias_count(solving->fabric) : 0;

	return solving->hosts ||
	       (hosts > 1 && routes_whole(solving->routes)->pair_count == hosts * (hosts - 1));
}

/* ---- members that are more than one method ---- */

/* Search each length from the lower bound up until one is found or is too hard to refute. */
static int exhaust(struct solving *solving, struct liquid_error *err)
{
	bool proven = true;
	int status = LIQUID_OK;

	while (!status && proven && !solving_done(solving)) {
		uint32_t length = solving->lower_bound;

		status = frames_exhaust(solving, length, &proven, err);
		if (status || !proven)
			break;
		if (solving->lower_bound > length)
			continue;	/* proofs have raised it meanwhile */
		solving->lower_bound++;
		witness_clear(&solving->witness);
		solving->witness.kind = WITNESS_SEARCH;
	}
	return status;
}

/* What cliques and triples of links prove; they stop where they stop to gain. */
static int proofs(struct solving *solving, struct liquid_error *err)
{
	uint64_t outer = budget_narrow(solving->budget, PROOFS_WORK);
	int status = certificate_raise(solving, err);

	budget_widen(solving->budget, outer);
	return status;
}

/* Note when it has come to its end: it need not be looked at once more. */
static int shift(struct solving *solving, struct liquid_error *err)
{
	int status = method_round_robin(solving, err);

	solving->shifted = budget_left(solving->budget);
	return status;
}

/* Where others have come near the bound, it begins with what they have found. */
static int ejection(struct solving *solving, struct liquid_error *err)
{
	if (solving_is_far(solving))
		return method_ejection(solving, err);
	return ejection_shorten(solving, 0, UINT32_MAX, err);
}

/* If no two hosts are twins, it is plain ejection. */
static int twins(struct solving *solving, struct liquid_error *err)
{
	const struct quotient *quotient;
	int status = structure_twins(solving, &quotient, err);

	if (status)
		return status;
	if (!quotient || quotient->units.pair_count == solving->routes->pair_count)
		return liquid_fail(err, LIQUID_BAD_INPUT, "twins: no two hosts are twins");
	return method_twins(solving, err);
}

/* ---- the table ---- */

const struct member auto_members[] = {
	{ "quotient", method_quotient, if_small, 10, true },
	{ "round-robin", shift, NULL, 10, true },
	{ "product", method_product, NULL, 20, false },
	{ "first-fit", method_first_fit, NULL, 10, true },
	{ "proofs", proofs, NULL, 10, true },
	{ "exhaust", exhaust, if_tiny, 20, true },
	{ "steps", method_steps, if_small, 20, true },
	{ "columns", method_columns, NULL, 20, true },
	{ "closure", method_closure, NULL, 20, true },
	{ "twins", twins, NULL, 20, true },
	{ "compact", method_compact, is_whole, 20, false },
	{ "frames", method_frames, if_small, 20, true },
	{ "learning", method_learning, if_small, 20, true },
	{ "ejection", ejection, NULL, 20, true },
};

const uint32_t auto_member_count = sizeof(auto_members) / sizeof(auto_members[0]);

/*
 * The shift may not have come to its end. It ignores the work, since its cost is nearly linear in
 * the traffic, and that of a small one the time.
 */
static int fall_back(struct solving *solving, struct liquid_error *err)
{
	struct budget *given = solving->budget;
	struct budget own = { .limit = UINT64_MAX, .look = UINT64_MAX };
	uint64_t limit = given->limit;
	int status;

	if (given->cancelled)
		return LIQUID_OK;
	given->limit = UINT64_MAX;
	solving->budget = if_small(solving) ? &own : given;
	status = method_round_robin(solving, err);
	solving->budget = given;
	given->limit = limit;
	return status;
}

int method_auto(struct solving *solving, struct liquid_error *err)
{
	int status = portfolio_run(solving, auto_members, auto_member_count, err);

	return status || solving_done(solving) || solving->shifted ? status :
								     fall_back(solving, err);
}
