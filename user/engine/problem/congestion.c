// SPDX-License-Identifier: LGPL-2.1-or-later
/* Congestion as a graph: which transfers exclude each other, if that is a relation of pairs. */
#include <stdlib.h>

#include "problem/congestion.h"

/* ---- links on which congestion is not pairwise ---- */

/*
 * Transfers that the sources, or the destinations, of the pairs on @link can have there in one
 * frame: one each, or any number if a host's own link takes more than one. @seen is by host:
 * the last link that counted it, + 1.
 */
static uint32_t count_ends(const struct routes *routes, const struct routes_inverse *inverse,
			   uint32_t link, bool sources, uint32_t *seen)
{
	uint32_t count = 0;

	for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++) {
		const struct liquid_pair *pair = &routes->pairs[inverse->pairs[i]];
		uint32_t host = sources ? pair->src : pair->dst, links;
		const uint32_t *path = routes_links(routes, inverse->pairs[i], &links);

		if (routes->capacity[path[sources ? 0 : links - 1]] != 1)
			return UINT32_MAX;
		count += seen[host] != link + 1;
		seen[host] = link + 1;
	}
	return count;
}

static uint32_t host_bound(const struct routes *routes)
{
	uint32_t bound = 0;

	for (uint32_t i = 0; i < routes->pair_count; i++) {
		const struct liquid_pair *pair = &routes->pairs[i];
		uint32_t more = pair->src > pair->dst ? pair->src : pair->dst;

		bound = more >= bound ? more + 1 : bound;
	}
	return bound;
}

bool congestion_unpaired(const struct routes *routes, const struct routes_inverse *inverse,
			 uint32_t *unpaired)
{
	size_t hosts = (size_t)host_bound(routes) + 1;
	uint32_t *seen = calloc(2 * hosts, sizeof(*seen));

	*unpaired = LIQUID_NONE;
	if (!seen)
		return false;
	for (uint32_t link = 0; link < routes->link_count && *unpaired == LIQUID_NONE; link++) {
		uint32_t capacity = routes->capacity[link];

		if (capacity > 1 && routes->load[link] > capacity &&
		    count_ends(routes, inverse, link, true, seen) > capacity &&
		    count_ends(routes, inverse, link, false, seen + hosts) > capacity)
			*unpaired = link;
	}
	free(seen);
	return true;
}

/* ---- neighbours ---- */

bool congestion_new(struct congestion *congestion, const struct routes *routes,
		    const struct routes_inverse *inverse)
{
	size_t pairs = (size_t)routes->pair_count + 1;

	*congestion = (struct congestion){ .routes = routes, .inverse = inverse };
	congestion->seen = calloc(pairs, sizeof(*congestion->seen));
	congestion->neighbours = calloc(pairs, sizeof(*congestion->neighbours));
	return congestion->seen && congestion->neighbours;
}

void congestion_clear(struct congestion *congestion)
{
	free(congestion->seen);
	free(congestion->neighbours);
}

void congestion_of(struct congestion *congestion, uint32_t pair)
{
	const struct routes_inverse *inverse = congestion->inverse;
	uint32_t link_count;
	const uint32_t *links = routes_links(congestion->routes, pair, &link_count);

	congestion->count = 0;
	congestion->seen[pair] = pair + 1;
	for (uint32_t i = 0; i < link_count; i++) {
		if (congestion->routes->capacity[links[i]] != 1)
			continue;
		for (uint32_t j = inverse->first[links[i]]; j < inverse->first[links[i] + 1]; j++) {
			uint32_t other = inverse->pairs[j];

			if (congestion->seen[other] == pair + 1)
				continue;
			congestion->seen[other] = pair + 1;
			congestion->neighbours[congestion->count++] = other;
		}
	}
}
