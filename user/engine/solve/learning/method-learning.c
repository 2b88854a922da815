// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * learning: a search that learns from its conflicts, for small traffics that leave little room
 *
 * Where the bound leaves no frame to spare, other methods repair one conflict and make another.
 * This one finds what they share. It is soon lost among many variables; so renamings of the hosts
 * that map routes to routes are imposed on the schedule: all at once, one by one, or none. If the
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
#define FIRST_WORK UINT64_C(10000000)	/* of a search that goes on, in its first turn */
#define NEW_PARTS 4			/* one that begins anew gets so much less */

struct choice {
	struct renaming renaming[SYMMETRY_GENERATORS_MAX + 1];
	uint32_t renamings;
};

/* A number of frames, and what each choice is in it */
struct rung {
	uint32_t frames;		/* 0: none */
	struct model model[CHOICES_MAX];
	struct learner *learner[CHOICES_MAX];	/* that goes on; NULL: it has not begun */
	bool built[CHOICES_MAX];
	bool ended[CHOICES_MAX];	/* it has no schedule, or there is no work for its model */
};

struct learning {
	struct solving *solving;
	const struct quotient *quotient;
	const struct symmetry *symmetry;
	uint32_t *opposite;		/* by unit; NULL: there are none */
	struct choice choice[CHOICES_MAX];
	uint32_t choices;
	struct rung rung[2];		/* the lowest that is open, and the last one of use */
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

static int offer(struct learning *learning, const struct model *model,
		 const struct learner *learner, struct liquid_error *err)
{
	struct unit_plan plan = { 0 };
	int status;

	if (model_plan(model, learner, &plan))
		status = quotient_offer(learning->solving, learning->quotient, &plan, err);
	else
		status = liquid_no_memory(err);
	unit_plan_clear(&plan);
	return status;
}

/* Go on with what has begun, or else with its own search. The choice ends if it has none. */
static int attempt(struct learning *learning, struct rung *rung, uint32_t i, uint32_t number,
		   bool *found, struct liquid_error *err)
{
	const struct solving *solving = learning->solving;
	struct learner *own = NULL, **learner = number % 2 ? &own : &rung->learner[i];
	enum learner_outcome outcome = LEARNER_NO_MEMORY;
	int status = LIQUID_OK;

	if (!*learner)
		*learner = learner_new(&rung->model[i].limits, number, solving->seed);
	if (*learner)
		outcome = learner_run(*learner, solving->budget);
	*found = outcome == LEARNER_FOUND;
	rung->ended[i] = outcome == LEARNER_NONE;
	if (*found)
		status = offer(learning, &rung->model[i], *learner, err);
	else if (outcome == LEARNER_NO_MEMORY)
		status = liquid_no_memory(err);
	learner_free(own);
	return status;
}

/* Unless that would take half of the work that is left. */
static int build_model(struct learning *learning, struct rung *rung, uint32_t i,
		       struct liquid_error *err)
{
	const struct routes *units = &learning->quotient->units;
	const struct choice *choice = &learning->choice[i];
	struct budget *budget = learning->solving->budget;
	uint64_t work = model_work(units, rung->frames);

	rung->ended[i] = work >= budget_left(budget) / 2;
	if (rung->ended[i])
		return LIQUID_OK;
	budget_wait(budget, 2 * work);
	rung->ended[i] = !budget_spend(budget, work);
	if (rung->ended[i])
		return LIQUID_OK;
	rung->built[i] = true;
	return model_new(&rung->model[i], units, rung->frames, choice->renaming,
			 choice->renamings, err);
}

/* Each choice once, with at most @part operations. */
static int attempt_all(struct learning *learning, struct rung *rung, uint32_t number,
		       uint64_t part, bool *found, struct liquid_error *err)
{
	struct budget *budget = learning->solving->budget;
	int status = LIQUID_OK;

	for (uint32_t i = 0; i < learning->choices && !*found && !status && budget_left(budget);
	     i++) {
		uint64_t outer;

		if (!rung->built[i] && !rung->ended[i])
			status = build_model(learning, rung, i, err);
		if (status || rung->ended[i])
			continue;
		outer = budget_narrow(budget, part);
		status = attempt(learning, rung, i, number, found, err);
		budget_widen(budget, outer);
	}
	return status;
}

static bool is_open(const struct learning *learning, const struct rung *rung)
{
	for (uint32_t i = 0; i < learning->choices; i++)
		if (!rung->ended[i])
			return true;
	return false;
}

static void set_rung(struct rung *rung, uint32_t frames)
{
	if (rung->frames == frames)
		return;
	for (uint32_t i = 0; i < CHOICES_MAX; i++) {
		learner_free(rung->learner[i]);
		if (rung->built[i])
			model_clear(&rung->model[i]);
	}
	*rung = (struct rung){ .frames = frames };
}

/* Frames of units below the best schedule; without one, @frames. */
static uint32_t last_of_use(const struct learning *learning, uint32_t frames)
{
	const struct solving *solving = learning->solving;

	return solving->length ? (solving->length - 1) / learning->quotient->repeat : frames;
}

/*
 * A search finds a schedule soon or hardly ever. So one goes on, twice as long in each of its
 * turns, and after each turn there is a short one that decides in another order. The lowest number
 * of frames that is open and the last one below the best schedule take turns.
 */
static int search_rungs(struct learning *learning, struct liquid_error *err)
{
	struct solving *solving = learning->solving;
	uint32_t repeat = learning->quotient->repeat;
	uint32_t frames = solving->lower_bound / repeat + !!(solving->lower_bound % repeat);
	int status = LIQUID_OK;

	for (uint32_t number = 0; !status && budget_left(solving->budget) > 1; number++) {
		uint64_t part = (FIRST_WORK << (number < 64 ? number / 2 : 32)) /
				(number % 2 ? NEW_PARTS : 1);
		struct rung *low = &learning->rung[0], *high = &learning->rung[1];
		bool found = false;

		while (low->frames && !is_open(learning, low) &&
		       frames < last_of_use(learning, UINT32_MAX))
			set_rung(low, ++frames);
		set_rung(low, frames);
		if (frames > last_of_use(learning, frames) || !is_open(learning, low))
			break;
		status = attempt_all(learning, low, number, part, &found, err);
		set_rung(high, last_of_use(learning, frames + number + 1));
		if (status || found || high->frames <= frames)
			continue;
		status = attempt_all(learning, high, number, part, &found, err);
		if (!is_open(learning, high))
			break;
	}
	set_rung(&learning->rung[0], 0);
	set_rung(&learning->rung[1], 0);
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
		status = liquid_no_memory(err);
	return status;
}

int method_learning(struct solving *solving, struct liquid_error *err)
{
	struct learning *learning = calloc(1, sizeof(*learning));
	int status;

	if (!learning)
		return liquid_no_memory(err);
	learning->solving = solving;
	status = prepare(learning, err);
	if (!status) {
		list_choices(learning);
		status = search_rungs(learning, err);
	}
	free(learning->opposite);
	free(learning);
	return status;
}
