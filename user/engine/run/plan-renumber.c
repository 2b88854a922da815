// SPDX-License-Identifier: LGPL-2.1-or-later
/* A slice for a program that numbers its ranks in another way than the plan */
#include <stdlib.h>

#include "run/plan.h"

/* False: two ranks would have one number, or a number is none of a rank. */
static bool is_permutation(const uint32_t *number, uint32_t ranks, bool *taken)
{
	for (uint32_t i = 0; i < ranks; i++) {
		if (number[i] >= ranks || taken[number[i]])
			return false;
		taken[number[i]] = true;
	}
	return true;
}

static int compare_incoming(const void *one, const void *other)
{
	const struct liquid_incoming *a = one, *b = other;

	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	return a->peer < b->peer ? -1 : a->peer > b->peer;
}

static void renumber(struct liquid_plan *plan, const uint32_t *number)
{
	const struct plan_rank *own = plan->rank;

	for (uint32_t i = 0; i < own->pieces; i++)
		plan->piece[i].peer = number[plan->piece[i].peer];
	for (uint32_t i = 0; i < plan->first_token[own->pieces]; i++)
		plan->token[i].rank = number[plan->token[i].rank];
	for (uint32_t i = 0; i < own->slots; i++)
		plan->giver[i] = number[plan->giver[i]];
	for (uint32_t i = 0; i < own->peers; i++)
		plan->incoming[i].peer = number[plan->incoming[i].peer];
	qsort(plan->incoming, own->peers, sizeof(*plan->incoming), compare_incoming);
	plan->info.rank = plan->base = number[plan->base];
}

int plan_renumber(struct liquid_plan *plan, const uint32_t *number, uint32_t ranks,
		  struct liquid_error *err)
{
	bool *taken = calloc((size_t)ranks + 1, sizeof(*taken));
	int status = LIQUID_OK;

	if (!taken)
		return liquid_no_memory(err);
	if (plan->info.ranks == ranks && is_permutation(number, ranks, taken))
		renumber(plan, number);
	else
		status = liquid_fail(err, LIQUID_BAD_INPUT, "the slice is of a plan of %u ranks, "
				     "which do not have the numbers given", plan->info.ranks);
	free(taken);
	return status;
}
