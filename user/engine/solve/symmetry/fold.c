// SPDX-License-Identifier: LGPL-2.1-or-later
/* Folds: colours of a phase, each phase a small traffic of its own. */
#include <stdlib.h>
#include <string.h>

#include "solve/methods.h"
#include "solve/symmetry/fold.h"

/* A phase gets 1 / PHASE_PARTS of the work that is left. */
#define PHASE_PARTS 16

/* The transfers of one phase; @pair has their numbers in the line. */
struct phase {
	struct routes routes;
	uint32_t *pair, *colour;
};

static void phase_clear(struct phase *phase)
{
	routes_clear(&phase->routes);
	free(phase->pair);
	free(phase->colour);
}

static bool phase_new(struct phase *phase, const struct routes *line, uint32_t first_link,
		      uint32_t fold)
{
	struct routes *routes = &phase->routes;
	size_t pairs = (size_t)line->pair_count + 1;

	*phase = (struct phase){ .routes.link_count = line->link_count };
	routes->first = calloc(pairs, sizeof(*routes->first));
	routes->first_transfer = calloc(pairs, sizeof(*routes->first_transfer));
	routes->links = calloc((size_t)line->first[line->pair_count] + 1, sizeof(*routes->links));
	routes->capacity = calloc((size_t)line->link_count + 1, sizeof(*routes->capacity));
	routes->load = calloc((size_t)line->link_count + 1, sizeof(*routes->load));
	routes->own_pairs = calloc(pairs, sizeof(*routes->own_pairs));
	routes->pairs = routes->own_pairs;
	phase->pair = calloc(pairs, sizeof(*phase->pair));
	phase->colour = calloc(pairs, sizeof(*phase->colour));
	if (!routes->first || !routes->first_transfer || !routes->links || !routes->capacity ||
	    !routes->load || !routes->own_pairs || !phase->pair || !phase->colour)
		return false;
	for (uint32_t link = 0; link < line->link_count; link++)
		routes->capacity[link] = line->capacity[link] / (link < first_link ? 1 : fold);
	return true;
}

/* Gather the transfers of phase @number, without those that use only the links of their ends. */
static void phase_fill(struct phase *phase, const struct routes *line, uint32_t first_link,
		       const uint32_t *frame, uint32_t number)
{
	struct routes *routes = &phase->routes;

	routes->pair_count = 0;
	for (uint32_t pair = 0; pair < line->pair_count; pair++) {
		uint32_t count, at = routes->pair_count, *end = &routes->first[at + 1];
		const uint32_t *links = routes_links(line, pair, &count);

		if (frame[pair] != number)
			continue;
		*end = routes->first[at];
		for (uint32_t i = 0; i < count; i++)
			if (links[i] >= first_link)
				routes->links[(*end)++] = links[i];
		if (*end == routes->first[at])
			continue;
		routes->own_pairs[at] = line->pairs[pair];
		phase->pair[routes->pair_count++] = pair;
	}
	routes_measure(routes);
}

static int phase_solve(struct phase *phase, struct solving *outer, uint32_t fold, bool *found,
		       struct liquid_error *err)
{
	struct budget *budget = outer->budget;
	struct solving sub = { .routes = &phase->routes, .budget = budget, .seed = outer->seed,
			       .lower_bound = fold, .frame = phase->colour };
	uint64_t before = budget_narrow(budget, budget_left(budget) / PHASE_PARTS);
	int status = LIQUID_OK;

	if (phase->routes.pair_count)
		status = method_run(method_find("auto"), &sub, err);
	budget_widen(budget, before);
	budget->state.total = outer->routes->transfer_count;
	budget->state.best_length = outer->length;
	*found = !phase->routes.pair_count || (sub.length && sub.length <= fold);
	solving_drop(&sub);
	return status;
}

int fold_phases(struct solving *outer, const struct routes *line, uint32_t first_link,
		uint32_t fold, uint32_t *frame, bool *found, struct liquid_error *err)
{
	uint32_t *coloured = calloc((size_t)line->pair_count + 1, sizeof(*coloured)), phases = 0;
	struct phase phase;
	int status = LIQUID_OK;

	*found = true;
	if (!phase_new(&phase, line, first_link, fold) || !coloured)
		status = liquid_no_memory(err);
	for (uint32_t pair = 0; !status && pair < line->pair_count; pair++) {
		coloured[pair] = frame[pair] * fold;
		phases = frame[pair] >= phases ? frame[pair] + 1 : phases;
	}
	for (uint32_t number = 0; !status && *found && number < phases; number++) {
		phase_fill(&phase, line, first_link, frame, number);
		status = phase_solve(&phase, outer, fold, found, err);
		for (uint32_t i = 0; !status && *found && i < phase.routes.pair_count; i++)
			coloured[phase.pair[i]] += phase.colour[i];
	}
	if (!status && *found)
		memcpy(frame, coloured, line->pair_count * sizeof(*frame));
	phase_clear(&phase);
	free(coloured);
	return status;
}
