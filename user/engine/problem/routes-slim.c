// SPDX-License-Identifier: LGPL-2.1-or-later
/* Slim routes: for each link, another one that all of its transfers take. */
#include <stdlib.h>
#include <string.h>

#include "problem/routes-slim.h"

static bool takes(const struct routes *routes, uint32_t pair, uint32_t link)
{
	uint32_t count;
	const uint32_t *links = routes_links(routes, pair, &count);

	while (count--)
		if (links[count] == link)
			return true;
	return false;
}

static uint32_t users(const struct routes_inverse *inverse, uint32_t link)
{
	return inverse->first[link + 1] - inverse->first[link];
}

/* Of two equivalent links, the one with the lower number stays. */
static bool may_stand_for(const struct routes *routes, const struct routes_inverse *inverse,
			  uint32_t other, uint32_t link)
{
	if (other == link || routes->capacity[other] > routes->capacity[link])
		return false;
	return routes->capacity[other] < routes->capacity[link] ||
	       users(inverse, other) > users(inverse, link) || other < link;
}

/* Whether all pairs that use @link also use another link that can mean it. */
static bool is_covered(const struct routes *routes, const struct routes_inverse *inverse,
		       uint32_t link)
{
	const uint32_t *pair = inverse->pairs + inverse->first[link];
	uint32_t others[LIQUID_PATH_MAX], kept = 0, count;
	const uint32_t *links;

	if (!users(inverse, link))
		return true;
	links = routes_links(routes, pair[0], &count);
	for (uint32_t i = 0; i < count && kept < LIQUID_PATH_MAX; i++)
		if (may_stand_for(routes, inverse, links[i], link))
			others[kept++] = links[i];
	for (uint32_t u = 1; u < users(inverse, link) && kept; u++) {
		uint32_t still = 0;

		for (uint32_t i = 0; i < kept; i++)
			if (takes(routes, pair[u], others[i]))
				others[still++] = others[i];
		kept = still;
	}
	return kept;
}

static void keep_links(struct routes *slim, const struct routes *routes, const uint32_t *number)
{
	uint32_t at = 0;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		slim->first[pair] = at;
		for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
			if (number[routes->links[i]] != LIQUID_NONE)
				slim->links[at++] = number[routes->links[i]];
	}
	slim->first[routes->pair_count] = at;
}

/* Number the links that stay; returns the sum of their pairs. */
static uint64_t number_links(struct routes *slim, const struct routes *routes,
			     const struct routes_inverse *inverse, uint32_t *number)
{
	uint64_t total = 0;

	for (uint32_t link = 0; link < routes->link_count; link++) {
		number[link] = LIQUID_NONE;
		if (is_covered(routes, inverse, link))
			continue;
		slim->capacity[slim->link_count] = routes->capacity[link];
		number[link] = slim->link_count++;
		total += users(inverse, link);
	}
	return total;
}

int slim_init(struct routes *slim, const struct routes *routes,
	      const struct routes_inverse *inverse, struct liquid_error *err)
{
	uint32_t *number = calloc((size_t)routes->link_count + 1, sizeof(*number));
	bool memory = false;

	*slim = *routes;
	slim->link_count = 0;
	slim->links = NULL;
	slim->load = slim->origin = NULL;
	slim->first = calloc((size_t)routes->pair_count + 1, sizeof(*slim->first));
	slim->capacity = calloc((size_t)routes->link_count + 1, sizeof(*slim->capacity));
	if (number && slim->first && slim->capacity) {
		uint64_t total = number_links(slim, routes, inverse, number);

		slim->links = calloc(total + 1, sizeof(*slim->links));
		memory = slim->links;
		if (memory)
			keep_links(slim, routes, number);
	}
	free(number);
	if (memory)
		return LIQUID_OK;
	slim_clear(slim);
	return liquid_no_memory(err);
}

void slim_clear(struct routes *slim)
{
	free(slim->first);
	free(slim->capacity);
	free(slim->links);
	*slim = (struct routes){ 0 };
}
