// SPDX-License-Identifier: LGPL-2.1-or-later
/* Choosing nodes: the options, the comparison with others, and the result. */
#include <math.h>
#include <stdlib.h>

#include "choose/choose.h"

#define EXACT_WORK_MAX UINT64_C(50000000)

/* liquid_choose() returns its first member. */
struct choice {
	struct liquid_choice shown;
	uint32_t *senders, *receivers;
};

void liquid_choice_free(struct liquid_choice *shown)
{
	struct choice *choice = (struct choice *)shown;

	if (!choice)
		return;
	free(choice->senders);
	free(choice->receivers);
	free(choice);
}

/* ---- others to compare with ---- */

static double lambda_of(struct ratio most)
{
	return ratio_compare(most, RATIO_NONE) < 0 ? ratio_value(most) : INFINITY;
}

static struct score rate(struct choosing *choosing, const uint32_t *nodes)
{
	struct score score = choosing_load(choosing, nodes);

	if (ratio_compare(score.most, RATIO_NONE))
		choosing_offer(choosing);
	return score;
}

static void shuffle(struct choosing *choosing, uint32_t *nodes)
{
	for (uint32_t place = 0; place < choosing->count; place++) {
		uint32_t other = place + random_below(&choosing->random, choosing->nodes - place);
		uint32_t v = nodes[place];

		nodes[place] = nodes[other];
		nodes[other] = v;
	}
}

static int compare_scores(const void *a, const void *b)
{
	return score_compare(a, b);
}

/* They are offered, too: what is chosen is never worse. */
static bool rate_others(struct choosing *choosing, struct liquid_choice *choice)
{
	uint32_t *nodes = calloc((size_t)choosing->nodes + 1, sizeof(*nodes));
	struct score first, draws[LIQUID_CHOICE_DRAWS];

	if (!nodes)
		return false;
	for (uint32_t v = 0; v < choosing->nodes; v++)
		nodes[v] = v;
	first = rate(choosing, nodes);
	for (int draw = 0; draw < LIQUID_CHOICE_DRAWS; draw++) {
		shuffle(choosing, nodes);
		draws[draw] = rate(choosing, nodes);
	}
	free(nodes);
	qsort(draws, LIQUID_CHOICE_DRAWS, sizeof(*draws), compare_scores);
	choice->first_lambda = lambda_of(first.most);
	choice->first_spread = first.spread;
	choice->random_lambda = lambda_of(draws[LIQUID_CHOICE_DRAWS / 2].most);
	choice->random_spread = draws[LIQUID_CHOICE_DRAWS / 2].spread;
	choice->random_least = lambda_of(draws[0].most);
	choice->random_most = lambda_of(draws[LIQUID_CHOICE_DRAWS - 1].most);
	return true;
}

/* ---- the whole ---- */

/* Few enough to try all: each costs about the routes of one class. */
static bool is_small(const struct choosing *choosing, uint64_t allocations)
{
	uint32_t depth = choosing->classes < choosing->count ? choosing->classes : choosing->count;

	return !choosing->weight && choosing->classes <= CHOOSE_CLASSES_MAX &&
	       depth <= CHOOSE_DEPTH_MAX && allocations <= EXACT_WORK_MAX / 8 / depth;
}

/* All candidates: nothing to choose, except for who gets which place. */
static bool is_forced(const struct choosing *choosing)
{
	return choosing->count == choosing->nodes && !choosing->weight;
}

static bool find_best(struct choosing *choosing, struct liquid_choice *choice)
{
	uint64_t allocations;

	if (!choosing_allocations(choosing, &allocations))
		return false;
	if (is_forced(choosing)) {
		choice->allocations = 1;
		return true;
	}
	choosing->limit += choosing->work;
	if (!choosing_search(choosing))
		return false;
	if (!is_small(choosing, allocations))
		return true;
	choice->allocations = allocations;
	return choosing_enumerate(choosing);
}

static bool prove(struct choosing *choosing, struct liquid_choice *choice)
{
	struct ratio bound = choosing->best_score.most;

	choice->proof = LIQUID_CHOICE_BEST;
	if (!choice->allocations) {
		if (!choosing_bound(choosing, &bound))
			return false;
		choice->proof = ratio_compare(choosing->best_score.most, bound) > 0 ?
			LIQUID_CHOICE_UNPROVEN : LIQUID_CHOICE_LAMBDA;
	}
	choice->bound = ratio_value(bound);
	return true;
}

static bool fill_choice(struct choosing *choosing, struct choice *choice)
{
	struct liquid_choice *shown = &choice->shown;

	choice->senders = calloc((size_t)choosing->count + 1, sizeof(*choice->senders));
	choice->receivers = calloc((size_t)choosing->count + 1, sizeof(*choice->receivers));
	if (!choice->senders || !choice->receivers)
		return false;
	for (uint32_t place = 0; place < choosing->count; place++) {
		choice->senders[place] = choosing->node[choosing->best[place]].src;
		choice->receivers[place] = choosing->node[choosing->best[place]].dst;
	}
	shown->senders = choice->senders;
	shown->receivers = choice->receivers;
	shown->count = choosing->count;
	shown->candidates = choosing->nodes;
	shown->classes = choosing->classes;
	shown->transfers = choosing->transfers;
	shown->lambda = ratio_value(choosing->best_score.most);
	shown->spread = choosing->best_score.spread;
	shown->trials = choosing->trials;
	shown->work = choosing->work;
	return prove(choosing, shown);
}

static int compare_places(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

static int choose(struct choosing *choosing, struct choice *choice, struct liquid_error *err)
{
	if (!rate_others(choosing, &choice->shown) || !find_best(choosing, &choice->shown))
		return liquid_no_memory(err);
	if (!ratio_compare(choosing->best_score.most, RATIO_NONE))
		return liquid_fail(err, LIQUID_BAD_INPUT, "no %u of the %u candidates were found "
				   "that have routes to each other", choosing->count,
				   choosing->nodes);
	if (!choosing->weight)
		qsort(choosing->best, choosing->count, sizeof(*choosing->best), compare_places);
	return fill_choice(choosing, choice) ? LIQUID_OK : liquid_no_memory(err);
}

int liquid_choose(const struct liquid_fabric *fabric, const struct liquid_choose_options *options,
		  struct liquid_choice **out, struct liquid_error *err)
{
	struct choosing choosing = { 0 };
	struct choice *choice = calloc(1, sizeof(*choice));
	int status = choice ? choosing_open(&choosing, fabric, options, err) :
			      liquid_no_memory(err);

	*out = NULL;
	if (!status)
		status = choose(&choosing, choice, err);
	choosing_close(&choosing);
	if (status)
		liquid_choice_free(&choice->shown);
	else
		*out = &choice->shown;
	return status;
}
