// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choosing by trying all: how many nodes of each class
 *
 * Nodes of a class are exchangeable, so an allocation is a number for each class, and its loads
 * are those between the first nodes of the classes, times the numbers. Loads only grow while
 * classes get theirs: what is no better than the best already is left with all that continues it.
 */
#include <stdlib.h>
#include <string.h>

#include "choose/choose.h"

struct enumeration {
	struct choosing *choosing;
	uint32_t *first, *second;	/* by class: nodes; second LIQUID_NONE: there is one only */
	uint32_t *size, *left;		/* by class: its nodes; those of it and the later ones */
	uint32_t *number;		/* by class: how many are taken */
	uint32_t *best;			/* the same, of the best */
	bool found;
};

static void enumeration_clear(struct enumeration *all)
{
	free(all->first);
	free(all->second);
	free(all->size);
	free(all->left);
	free(all->number);
	free(all->best);
}

static bool enumeration_open(struct enumeration *all, struct choosing *choosing)
{
	size_t classes = (size_t)choosing->classes + 1;

	*all = (struct enumeration){
		.choosing = choosing,
		.first = calloc(classes, sizeof(uint32_t)),
		.second = calloc(classes, sizeof(uint32_t)),
		.size = calloc(classes, sizeof(uint32_t)),
		.left = calloc(classes, sizeof(uint32_t)),
		.number = calloc(classes, sizeof(uint32_t)),
		.best = calloc(classes, sizeof(uint32_t)),
	};
	if (!all->first || !all->second || !all->size || !all->left || !all->number || !all->best)
		return false;
	for (uint32_t v = 0; v < choosing->nodes; v++) {
		uint32_t class = choosing->node[v].class, size = all->size[class]++;

		if (size < 2)
			(size ? all->second : all->first)[class] = v;
	}
	for (uint32_t class = choosing->classes; class--;)
		all->left[class] = all->left[class + 1] + all->size[class];
	return true;
}

/* Units within a class of which @number are taken, and where they run. */
static bool add_within(struct enumeration *all, uint32_t class, uint32_t number,
		       struct score *score)
{
	struct choosing *choosing = all->choosing;

	if (choosing->own)
		return choosing_add(choosing, all->first[class], all->first[class],
				    number * number, score, &choosing->best_score);
	return number < 2 || choosing_add(choosing, all->first[class], all->second[class],
					  number * (number - 1), score, &choosing->best_score);
}

/* False: no better than the best, or without a route. */
static bool add_class(struct enumeration *all, uint32_t class, uint32_t number,
		      struct score *score)
{
	struct choosing *choosing = all->choosing;
	uint32_t v = all->first[class];

	choosing->trials++;
	score->most = ratio_max(score->most, choosing_ends(choosing, 0, v));
	if (!add_within(all, class, number, score))
		return false;
	for (uint32_t other = 0; other < class; other++) {
		uint32_t units = all->number[other] * number;

		if (units && (!choosing_add(choosing, v, all->first[other], units, score,
					    &choosing->best_score) ||
			      !choosing_add(choosing, all->first[other], v, units, score,
					    &choosing->best_score)))
			return false;
	}
	return score_compare(score, &choosing->best_score) < 0;
}

static void keep(struct enumeration *all, const struct score *score)
{
	all->choosing->best_score = *score;
	memcpy(all->best, all->number, all->choosing->classes * sizeof(*all->best));
	all->found = true;
}

/* Take back all steps since there were @steps. */
static void undo_to(struct choosing *choosing, size_t steps)
{
	while (choosing->steps > steps) {
		const struct choose_step *step = &choosing->step[--choosing->steps];

		choosing->load[step->link] -= step->units;
	}
}

/* Depth is the number of classes, at most CHOOSE_CLASSES_MAX. */
static void enumerate(struct enumeration *all, uint32_t class, uint32_t wanted,
		      const struct score *before)
{
	struct choosing *choosing = all->choosing;
	uint32_t most = all->size[class] < wanted ? all->size[class] : wanted;
	size_t steps = choosing->steps;

	if (!wanted)
		keep(all, before);
	if (!wanted || wanted > all->left[class])
		return;
	for (uint32_t number = most + 1; number--;) {
		struct score score = *before;

		all->number[class] = number;
		if (!number || add_class(all, class, number, &score))
			enumerate(all, class + 1, wanted - number, &score);
		undo_to(choosing, steps);
	}
}

/* The first nodes of each class, into best. */
static void name_best(struct enumeration *all)
{
	struct choosing *choosing = all->choosing;
	uint32_t placed = 0;

	for (uint32_t v = 0; v < choosing->nodes; v++) {
		uint32_t *left = &all->best[choosing->node[v].class];

		if (!*left)
			continue;
		--*left;
		choosing->best[placed++] = v;
	}
}

bool choosing_enumerate(struct choosing *choosing)
{
	struct score none = { { 0, 1 }, 0 };
	struct enumeration all;
	bool memory = enumeration_open(&all, choosing);

	if (memory) {
		choosing_load(choosing, NULL);
		choosing->guide = GUIDE_SUM;
		enumerate(&all, 0, choosing->count, &none);
		if (all.found)
			name_best(&all);
	}
	enumeration_clear(&all);
	return memory;
}

/* ---- how many there are ---- */

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ways[n]: to take n nodes of the classes so far; now with @size more that are all alike. */
static void widen(uint64_t *ways, uint32_t count, uint32_t size)
{
	for (uint32_t n = count; n; n--)
		for (uint32_t taken = 1; taken <= size && taken <= n; taken++)
			ways[n] = sum_of(ways[n], ways[n - taken]);
}

bool choosing_allocations(const struct choosing *choosing, uint64_t *allocations)
{
	uint64_t *ways = calloc((size_t)choosing->count + 1, sizeof(*ways));
	uint32_t *size = calloc((size_t)choosing->classes + 1, sizeof(*size));
	bool memory = ways && size;

	*allocations = UINT64_MAX;
	for (uint32_t v = 0; memory && v < choosing->nodes; v++)
		size[choosing->node[v].class]++;
	if (memory) {
		ways[0] = 1;
		for (uint32_t class = 0; class < choosing->classes; class++)
			widen(ways, choosing->count, size[class]);
		*allocations = ways[choosing->count];
	}
	free(ways);
	free(size);
	return memory;
}
