// SPDX-License-Identifier: LGPL-2.1-or-later
/* From fabric and traffic to the sets of links that the methods work on. */
#include <stdlib.h>
#include <string.h>

#include "routes.h"

void routes_free(struct routes *routes)
{
	if (!routes)
		return;
	free(routes->first_transfer);
	free(routes->first);
	free(routes->links);
	free(routes->capacity);
	free(routes->load);
	free(routes->origin);
	free(routes);
}

/* An endpoint sends at most one and receives at most one transfer a frame, however fast its link. */
static uint32_t effective_capacity(const struct liquid_fabric *fabric,
				   const struct liquid_link *link)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);

	return link->from < hosts || link->to < hosts ? 1 : link->capacity;
}

static int walk(struct routes *routes, const struct liquid_fabric *fabric, uint32_t pair,
		size_t *room, struct liquid_error *err)
{
	const struct liquid_pair *ends = &routes->pairs[pair];
	uint32_t path[LIQUID_PATH_MAX], begin = routes->first[pair];
	uint32_t *links;
	int count = liquid_fabric_route(fabric, ends->src, ends->dst, path, err);

	if (count < 0)
		return count;
	if (begin > UINT32_MAX - LIQUID_PATH_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the routes have more than %u links in all",
				   UINT32_MAX);
	if (begin + (size_t)count > *room) {
		*room = begin + (size_t)count + begin / 4 + 4 * (size_t)routes->pair_count;
		links = reallocarray(routes->links, *room, sizeof(*links));
		if (!links)
			return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the routes");
		routes->links = links;
	}
	memcpy(routes->links + begin, path, count * sizeof(*path));
	routes->first[pair + 1] = begin + (uint32_t)count;
	routes->first_transfer[pair + 1] = routes->first_transfer[pair] + ends->count;
	return LIQUID_OK;
}

/* Numbers the fabric's links that are in use; renumber[] is by the fabric's link. */
static void number_links(struct routes *routes, uint32_t *renumber, uint32_t fabric_links)
{
	uint32_t total = routes->first[routes->pair_count];

	memset(renumber, 0, fabric_links * sizeof(*renumber));
	for (uint32_t i = 0; i < total; i++)
		renumber[routes->links[i]] = 1;
	for (uint32_t link = 0; link < fabric_links; link++)
		renumber[link] = renumber[link] ? routes->link_count++ : LIQUID_NONE;
	for (uint32_t i = 0; i < total; i++)
		routes->links[i] = renumber[routes->links[i]];
}

static void weigh_links(struct routes *routes)
{
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
			routes->load[routes->links[i]] += routes->pairs[pair].count;
	for (uint32_t link = 0; link < routes->link_count; link++) {
		uint32_t load = routes->load[link], capacity = routes->capacity[link];
		uint32_t frames = load / capacity + (load % capacity != 0);

		if (frames > routes->duration)
			routes->duration = frames;
		if ((double)load / capacity > routes->fluid_bound)
			routes->fluid_bound = (double)load / capacity;
	}
}

static int compact_links(struct routes *routes, const struct liquid_fabric *fabric,
			 struct liquid_error *err)
{
	uint32_t fabric_links = liquid_fabric_link_count(fabric);
	uint32_t *renumber = calloc(fabric_links + 1, sizeof(*renumber));

	if (!renumber)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the links");
	number_links(routes, renumber, fabric_links);
	routes->capacity = calloc(routes->link_count + 1, sizeof(*routes->capacity));
	routes->load = calloc(routes->link_count + 1, sizeof(*routes->load));
	routes->origin = calloc(routes->link_count + 1, sizeof(*routes->origin));
	if (!routes->capacity || !routes->load || !routes->origin) {
		free(renumber);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the links");
	}
	for (uint32_t link = 0; link < fabric_links; link++)
		if (renumber[link] != LIQUID_NONE) {
			routes->origin[renumber[link]] = link;
			routes->capacity[renumber[link]] =
				effective_capacity(fabric, liquid_fabric_link(fabric, link));
		}
	free(renumber);
	weigh_links(routes);
	return LIQUID_OK;
}

static int build(struct routes *routes, const struct liquid_fabric *fabric,
		 struct liquid_error *err)
{
	size_t room = 0;
	int status;

	routes->first = calloc(routes->pair_count + 1, sizeof(*routes->first));
	routes->first_transfer = calloc(routes->pair_count + 1, sizeof(*routes->first_transfer));
	if (!routes->first || !routes->first_transfer)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the routes");
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		status = walk(routes, fabric, pair, &room, err);
		if (status)
			return status;
	}
	routes->transfer_count = routes->first_transfer[routes->pair_count];
	return compact_links(routes, fabric, err);
}

int routes_build(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 struct routes **out, struct liquid_error *err)
{
	struct routes *routes = calloc(1, sizeof(*routes));
	int status;

	*out = NULL;
	if (!routes)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the routes");
	routes->pair_count = (uint32_t)liquid_traffic_pair_count(traffic);
	routes->pairs = liquid_traffic_pairs(traffic);
	status = build(routes, fabric, err);
	if (status)
		routes_free(routes);
	else
		*out = routes;
	return status;
}

bool routes_invert(const struct routes *routes, struct routes_inverse *inverse)
{
	uint32_t total = routes->first[routes->pair_count];
	uint32_t *first = calloc(routes->link_count + 2, sizeof(*first));
	uint32_t *pairs = malloc(((size_t)total + 1) * sizeof(*pairs));

	inverse->first = first;
	inverse->pairs = pairs;
	if (!first || !pairs)
		return false;
	if (routes->transfer_count == routes->pair_count)	/* then loads are numbers of pairs */
		memcpy(first + 2, routes->load, routes->link_count * sizeof(*first));
	else
		for (uint32_t i = 0; i < total; i++)
			first[routes->links[i] + 2]++;
	for (uint32_t link = 0; link < routes->link_count; link++)
		first[link + 2] += first[link + 1];
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
			pairs[first[routes->links[i] + 1]++] = pair;
	return true;
}

void routes_inverse_clear(struct routes_inverse *inverse)
{
	free(inverse->first);
	free(inverse->pairs);
	*inverse = (struct routes_inverse){ 0 };
}
