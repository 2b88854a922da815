// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finding the classes of transfers: see classes.h. */
#include <stdlib.h>
#include <string.h>

#include "bound/classes.h"
#include "problem/union-find.h"
#include "solve/symmetry/symmetry.h"

static bool classes_new(struct classes *c, const struct routes *kinds, uint32_t pairs)
{
	size_t links = kinds->first[kinds->pair_count];

	c->kinds = kinds->pair_count;
	c->links = kinds->link_count;
	c->of_kind = calloc((size_t)c->kinds + 1, sizeof(*c->of_kind));
	c->of_pair = calloc((size_t)pairs + 1, sizeof(*c->of_pair));
	c->need = calloc((size_t)c->kinds + 1, sizeof(*c->need));
	c->first = calloc((size_t)c->kinds + 1, sizeof(*c->first));
	c->link = calloc(links + 1, sizeof(*c->link));
	c->most = calloc((size_t)c->kinds + 1, sizeof(*c->most));
	c->capacity = calloc((size_t)c->links + 1, sizeof(*c->capacity));
	if (!c->of_kind || !c->of_pair || !c->need || !c->first || !c->link || !c->most ||
	    !c->capacity)
		return false;
	memcpy(c->first, kinds->first, ((size_t)c->kinds + 1) * sizeof(*c->first));
	memcpy(c->link, kinds->links, links * sizeof(*c->link));
	memcpy(c->capacity, kinds->capacity, c->links * sizeof(*c->capacity));
	return true;
}

void classes_clear(struct classes *c)
{
	free(c->of_kind);
	free(c->of_pair);
	free(c->need);
	free(c->first);
	free(c->link);
	free(c->most);
	free(c->capacity);
}

/* need[] is that of the kinds here; a kind that no pair has is in no frame. */
static void count_pairs(struct classes *c, const struct routes *routes)
{
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		c->need[c->of_pair[pair]] += routes->pairs[pair].count;
	for (uint32_t kind = 0; kind < c->kinds; kind++) {
		uint32_t most = c->need[kind] < UINT32_MAX ? (uint32_t)c->need[kind] : UINT32_MAX;

		for (uint32_t i = c->first[kind]; i < c->first[kind + 1]; i++)
			if (c->capacity[c->link[i]] < most)
				most = c->capacity[c->link[i]];
		c->most[kind] = most;
	}
}

/* A renaming that maps a kind to one that needs more or less is of no use. */
static void unite(struct classes *c, const uint32_t *image)
{
	for (uint32_t kind = 0; kind < c->kinds; kind++)
		if (c->need[kind] != c->need[image[kind]])
			return;
	for (uint32_t kind = 0; kind < c->kinds; kind++)
		join(c->of_kind, kind, image[kind]);
}

/* Number the classes, and sum up what they need: a class is no later than its kinds. */
static void number(struct classes *c)
{
	c->count = number_sets(c->of_kind, c->kinds);
	for (uint32_t kind = 0; kind < c->kinds; kind++) {
		double need = c->need[kind];

		c->need[kind] = 0;
		c->need[c->of_kind[kind]] += need;
	}
}

static int group(struct classes *c, const struct routes *routes, const struct quotient *quotient,
		 struct liquid_error *err)
{
	struct symmetry symmetry = { 0 };
	int status = quotient ? symmetry_find(quotient, &symmetry, err) : LIQUID_OK;

	if (status)
		return status;
	count_pairs(c, routes);
	for (uint32_t kind = 0; kind < c->kinds; kind++)
		c->of_kind[kind] = kind;
	for (uint32_t i = 0; i < symmetry.generators; i++)
		unite(c, symmetry.unit_image[i]);
	symmetry_clear(&symmetry);
	number(c);
	return LIQUID_OK;
}

/*
 * A group that sends to itself must receive as a group: then all its pairs but those of a host
 * with itself are images of each other.
 */
static bool groups_agree(const struct quotient *quotient)
{
	for (uint32_t unit = 0; unit < quotient->units.pair_count; unit++) {
		const struct liquid_pair *pair = &quotient->units.pairs[unit];
		uint32_t self = quotient->self[unit];

		if (self && (self != quotient->sender_size[pair->src] ||
			     self != quotient->receiver_size[pair->dst]))
			return false;
	}
	return true;
}

int classes_find(struct classes *c, const struct routes *routes, struct liquid_error *err)
{
	struct quotient quotient;
	bool found;
	int status = quotient_find(routes, &quotient, &found, err);

	*c = (struct classes){ 0 };
	if (status)
		return status;
	found = found && groups_agree(&quotient);
	if (!classes_new(c, found ? &quotient.units : routes, routes->pair_count))
		status = liquid_no_memory(err);
	for (uint32_t pair = 0; !status && pair < routes->pair_count; pair++)
		c->of_pair[pair] = found ? quotient.pair_unit[pair] : pair;
	if (!status)
		status = group(c, routes, found ? &quotient : NULL, err);
	quotient_clear(&quotient);
	return status;
}
