// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * learning: a search that learns from its conflicts, for small traffics that leave little room
 *
 * Where the bound leaves no frame to spare, other methods mend one conflict and make another. This
 * one finds what they share. It is soon lost among many variables; so renamings of the hosts that
 * map routes to routes are imposed on the schedule: all at once, one by one, or none. If the
 * traffic goes both ways, each of these choices is also made with opposite units in frames that
 * form a pair. Which choice has a schedule, and how long its search takes, is not known before: so
 * all are searched, again and again.
 */
#include <stdlib.h>

#include "problem/pairs.h"
#include "solve/learning/model.h"
#include "solve/methods.h"
#include "solve/symmetry/structure.h"

/* All renamings, each of the generators, and none; with and without the opposite units. */
#define CHOICES_MAX (2 * (SYMMETRY_GENERATORS_MAX + 2))
/* Share of an attempt in the work that is left, and the least that is of any use. */
#define ATTEMPT_PARTS 2
#define ATTEMPT_LEAST UINT64_C(10000000)

struct choice {
	struct renaming renaming[SYMMETRY_GENERATORS_MAX + 1];
	uint32_t renamings;
	struct model model;
	bool ended;			/* it has no schedule, or no work was left for its model */
};

struct learning {
	struct solving *solving;
	const struct quotient *quotient;
	const struct symmetry *symmetry;
	uint32_t *opposite;		/* by unit; NULL: there are none */
	struct choice choice[CHOICES_MAX];
	uint32_t choices;
};

/* ---- opposite units ---- */

/* The pair that goes the other way; LIQUID_NONE: there is none. */
static uint32_t find_opposite(const struct routes *routes, const struct liquid_pair *ends)
{
	struct liquid_transfer back = { ends->dst, ends->src };
	uint32_t pair = pairs_find(routes->pairs, routes->pair_count, &back);
	const struct liquid_pair *found = &routes->pairs[pair];

	return found->src == back.src && found->dst == back.dst ? pair : LIQUID_NONE;
}

/* Whether two units are alike: only then may strands be opposite. */
static bool alike(const struct routes *units, uint32_t a, uint32_t b)
{
	return units->pairs[a].count == units->pairs[b].count &&
	       routes_strands(units, a) == routes_strands(units, b);
}

/* Note that pairs of @unit are opposite to those of @other; false: others have said otherwise. */
static bool oppose(struct learning *learning, uint32_t unit, uint32_t other)
{
	uint32_t *opposite = learning->opposite;

	if (opposite[unit] == LIQUID_NONE)
		opposite[unit] = other;
	return opposite[unit] == other && alike(&learning->quotient->units, unit, other);
}

static bool find_opposites(struct learning *learning)
{
	const struct routes *routes = routes_whole(learning->solving->routes);
	const struct quotient *quotient = learning->quotient;
	size_t units = quotient->units.pair_count;
	bool found = true;

	learning->opposite = malloc((units + 1) * sizeof(*learning->opposite));
	if (!learning->opposite)
		return false;
	for (uint32_t unit = 0; unit < units; unit++)
		learning->opposite[unit] = LIQUID_NONE;
	for (uint32_t pair = 0; pair < routes->pair_count && found; pair++) {
		uint32_t other = find_opposite(routes, &routes->pairs[pair]);

		found = other != LIQUID_NONE &&
			oppose(learning, quotient->pair_unit[pair], quotient->pair_unit[other]);
	}
	if (!found) {
		free(learning->opposite);
		learning->opposite = NULL;
	}
	return true;
}

/* ---- choices ---- */

/* The generators from @first on, and before @end, without and then with the opposite units. */
static void add_choices(struct learning *learning, uint32_t first, uint32_t end)
{
	for (uint32_t swaps = 0; swaps < 1 + (learning->opposite != NULL); swaps++) {
		struct choice *choice = &learning->choice[learning->choices++];

		for (uint32_t g = first; g < end; g++)
			choice->renaming[choice->renamings++] = (struct renaming){
				.image = learning->symmetry->unit_image[g] };
		if (swaps)
			choice->renaming[choice->renamings++] = (struct renaming){
				.image = learning->opposite, .swaps = true };
	}
}

static void list_choices(struct learning *learning)
{
	uint32_t generators = learning->symmetry->generators;

	if (generators)
		add_choices(learning, 0, generators);
	for (uint32_t g = 0; g < generators && generators > 1; g++)
		add_choices(learning, g, g + 1);
	add_choices(learning, 0, 0);
}

/* ---- attempts ---- */

static int offer(struct learning *learning, const struct choice *choice,
		 const struct learner *learner, struct liquid_error *err)
{
	struct unit_plan plan = { 0 };
	int status;

	if (model_plan(&choice->model, learner, &plan))
		status = quotient_offer(learning->solving, learning->quotient, &plan, err);
	else
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	unit_plan_clear(&plan);
	return status;
}

/* Search anew; @choice ends if it has no schedule. */
static int attempt(struct learning *learning, struct choice *choice, uint32_t number,
		   bool *found, struct liquid_error *err)
{
	const struct solving *solving = learning->solving;
	struct learner *learner = learner_new(&choice->model.limits, number, solving->seed);
	enum learner_outcome outcome = LEARNER_NO_MEMORY;
	int status = LIQUID_OK;

	if (learner)
		outcome = learner_run(learner, solving->budget);
	*found = outcome == LEARNER_FOUND;
	choice->ended = outcome == LEARNER_NONE;
	if (*found)
		status = offer(learning, choice, learner, err);
	else if (outcome == LEARNER_NO_MEMORY)
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory to learn from conflicts");
	learner_free(learner);
	return status;
}

/* Build the model of @choice; *@built is false if that would take half of the work that is left. */
static int build_model(struct learning *learning, struct choice *choice, uint32_t frames,
		       bool *built, struct liquid_error *err)
{
	struct budget *budget = learning->solving->budget;
	uint64_t work = model_work(&learning->quotient->units, frames);

	*built = work < budget_left(budget) / 2;
	if (!*built)
		return LIQUID_OK;
	budget_spend(budget, work);
	return model_new(&choice->model, &learning->quotient->units, frames, choice->renaming,
			 choice->renamings, err);
}

/* Each choice once, with a part of the work that is left. */
static int attempt_all(struct learning *learning, uint32_t frames, uint32_t number, bool *found,
		       struct liquid_error *err)
{
	struct budget *budget = learning->solving->budget;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < learning->choices && !*found && !status; i++) {
		struct choice *choice = &learning->choice[i];
		uint64_t part, outer;
		bool built = true;

		if (choice->ended)
			continue;
		if (!number)
			status = build_model(learning, choice, frames, &built, err);
		choice->ended |= !built;
		if (status || !built)
			continue;
		part = budget_left(budget) / ATTEMPT_PARTS;
		outer = budget_narrow(budget, part > ATTEMPT_LEAST ? part : ATTEMPT_LEAST);
		status = attempt(learning, choice, number, found, err);
		budget_widen(budget, outer);
	}
	return status;
}

static bool all_ended(const struct learning *learning)
{
	for (uint32_t i = 0; i < learning->choices; i++)
		if (!learning->choice[i].ended)
			return false;
	return true;
}

/*
 * An attempt finds a schedule soon or hardly ever, and the next one decides in another order. The
 * choices with most renamings come first and may take longest.
 */
static int try_length(struct learning *learning, uint32_t frames, bool *found,
		      struct liquid_error *err)
{
	int status = LIQUID_OK;

	*found = false;
	for (uint32_t number = 0; !*found && !status && !all_ended(learning) &&
	     budget_left(learning->solving->budget); number++)
		status = attempt_all(learning, frames, number, found, err);
	for (uint32_t i = 0; i < learning->choices; i++) {
		model_clear(&learning->choice[i].model);
		learning->choice[i].ended = false;
	}
	return status;
}

/* From the lower bound up; each length but the last leaves an eighth of the work. */
static int search_lengths(struct learning *learning, struct liquid_error *err)
{
	struct solving *solving = learning->solving;
	uint32_t repeat = learning->quotient->repeat;
	uint32_t frames = solving->lower_bound / repeat + !!(solving->lower_bound % repeat);
	bool found = false;
	int status = LIQUID_OK;

	for (; !status && !found && budget_left(solving->budget) > 1 &&
	     model_work(&learning->quotient->units, frames) != MODEL_TOO_LARGE &&
	     (!solving->length || (uint64_t)frames * repeat < solving->length); frames++) {
		bool last = solving->length &&
			    ((uint64_t)frames + 1) * repeat >= solving->length;
		uint64_t left = budget_left(solving->budget);
		uint64_t outer = budget_narrow(solving->budget, last ? left : left - left / 8);

		status = try_length(learning, frames, &found, err);
		budget_widen(solving->budget, outer);
	}
	return status;
}

/* ---- the whole ---- */

static int prepare(struct learning *learning, struct liquid_error *err)
{
	const struct routes *units;
	int status = structure_twins(learning->solving, &learning->quotient, err);

	if (status)
		return status;
	if (!learning->quotient)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "learning: the routes of the hosts do not fall into groups");
	units = &learning->quotient->units;
	if (model_work(units, units->duration) == MODEL_TOO_LARGE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "learning: %u pairs of groups of hosts "
				   "in %u frames are too many", units->pair_count, units->duration);
	status = structure_translations(learning->solving, &learning->quotient,
					&learning->symmetry, err);
	if (!status && !find_opposites(learning))
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for opposite pairs");
	return status;
}

int method_learning(struct solving *solving, struct liquid_error *err)
{
	struct learning *learning = calloc(1, sizeof(*learning));
	int status;

	if (!learning)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory to learn from conflicts");
	learning->solving = solving;
	status = prepare(learning, err);
	if (!status) {
		list_choices(learning);
		status = search_lengths(learning, err);
	}
	free(learning->opposite);
	free(learning);
	return status;
}
