// SPDX-License-Identifier: LGPL-2.1-or-later
/* A problem that is being solved: its start and end, and the best solution offered. */
#include <stdlib.h>

#include "problem/solving.h"

void witness_clear(struct witness *witness)
{
	free(witness->items);
	free(witness->values);
	*witness = (struct witness){ 0 };
}

int solving_start(struct solving *solving, const struct routes *routes, struct budget *budget,
		  const struct liquid_solve_options *options, struct liquid_error *err)
{
	*solving = (struct solving){ .routes = routes, .budget = budget, .seed = options->seed,
				     .lower_bound = routes->duration };
	budget->state.phase = "solving";
	budget->state.total = routes->transfer_count;
	budget->state.lower_bound = routes->duration;
	solving->frame = malloc(((size_t)routes->transfer_count + 1) * sizeof(*solving->frame));
	if (!solving->frame)
		return liquid_no_memory(err);
	return LIQUID_OK;
}

void solving_drop(struct solving *solving)
{
	routes_inverse_clear(&solving->inverse);
	witness_clear(&solving->witness);
	if (solving->structure)
		solving->drop_structure(solving->structure);
	solving->structure = NULL;
}

void solving_end(struct solving *solving)
{
	free(solving->frame);
	solving_drop(solving);
}

int solving_invert(struct solving *solving, struct liquid_error *err)
{
	if (!routes_invert(solving->routes, &solving->inverse))
		return liquid_no_memory(err);
	return LIQUID_OK;
}

int solving_offer(struct solving *solving, const uint32_t *frame, uint32_t frames,
		  struct liquid_error *err)
{
	uint32_t transfers = solving->routes->transfer_count, length = 0;
	uint32_t *renumber;
	bool shorter;

	if (solving->closed)
		return LIQUID_OK;
	renumber = calloc((size_t)frames + 1, sizeof(*renumber));
	if (!renumber)
		return liquid_no_memory(err);
	for (uint32_t i = 0; i < transfers; i++)
		renumber[frame[i]] = 1;
	for (uint32_t i = 0; i < frames; i++)
		renumber[i] = renumber[i] ? length++ : LIQUID_NONE;
	shorter = !solving->length || length < solving->length;
	if (shorter) {
		for (uint32_t i = 0; i < transfers; i++)
			solving->frame[i] = renumber[frame[i]];
		solving->length = length;
		solving->budget->state.best_length = length;
	}
	free(renumber);
	return shorter && solving->pass_on ? solving->pass_on(solving->context, err) : LIQUID_OK;
}
