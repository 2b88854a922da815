// SPDX-License-Identifier: LGPL-2.1-or-later
/* From fabric and traffic to the sets of links that the methods work on. */
#include <stdlib.h>
#include <string.h>

#include "problem/pairs.h"
#include "problem/routes.h"
#include "traffic/traffic.h"

void routes_clear(struct routes *routes)
{
	free(routes->first_transfer);
	free(routes->first);
	free(routes->links);
	free(routes->capacity);
	free(routes->load);
	free(routes->origin);
	free(routes->own_pairs);
	routes_free(routes->whole);
	*routes = (struct routes){ 0 };
}

void routes_free(struct routes *routes)
{
	if (routes)
		routes_clear(routes);
	free(routes);
}

void routes_counts(const struct routes *routes, uint32_t *count)
{
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		count[pair] = routes->pairs[pair].count;
}

uint32_t routes_largest_count(const struct routes *routes)
{
	uint32_t most = 1;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		most = routes->pairs[pair].count > most ? routes->pairs[pair].count : most;
	return most;
}

uint32_t routes_host_span(const struct routes *routes)
{
	uint32_t span = 0;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		const struct liquid_pair *ends = &routes->pairs[pair];

		span = ends->src >= span ? ends->src + 1 : span;
		span = ends->dst >= span ? ends->dst + 1 : span;
	}
	return span;
}

void routes_measure(struct routes *routes)
{
	memset(routes->load, 0, routes->link_count * sizeof(*routes->load));
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		uint32_t units = routes->pairs[pair].count;

		routes->first_transfer[pair + 1] = routes->first_transfer[pair] + units;
		for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
			routes->load[routes->links[i]] += units;
	}
	routes->transfer_count = routes->first_transfer[routes->pair_count];
	routes->duration = 0;
	routes->fluid_bound = 0;
	for (uint32_t link = 0; link < routes->link_count; link++) {
		uint32_t load = routes->load[link], capacity = routes->capacity[link];
		uint32_t frames = load / capacity + (load % capacity != 0);

		if (frames > routes->duration)
			routes->duration = frames;
		if ((double)load / capacity > routes->fluid_bound)
			routes->fluid_bound = (double)load / capacity;
	}
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
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the routes have more than %u links in all", UINT32_MAX);
	if (begin + (size_t)count > *room) {
		*room = begin + (size_t)count + begin / 4 + 4 * (size_t)routes->pair_count;
		links = reallocarray(routes->links, *room, sizeof(*links));
		if (!links)
			return liquid_no_memory(err);
		routes->links = links;
	}
	memcpy(routes->links + begin, path, count * sizeof(*path));
	routes->first[pair + 1] = begin + (uint32_t)count;
	return LIQUID_OK;
}

/* Number the links in use; renumber[] is by the link of the fabric. */
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

static int compact_links(struct routes *routes, const struct liquid_fabric *fabric,
			 struct liquid_error *err)
{
	uint32_t fabric_links = liquid_fabric_link_count(fabric);
	uint32_t *renumber = calloc(fabric_links + 1, sizeof(*renumber));

	if (!renumber)
		return liquid_no_memory(err);
	number_links(routes, renumber, fabric_links);
	routes->capacity = calloc(routes->link_count + 1, sizeof(*routes->capacity));
	routes->load = calloc(routes->link_count + 1, sizeof(*routes->load));
	routes->origin = calloc(routes->link_count + 1, sizeof(*routes->origin));
	if (!routes->capacity || !routes->load || !routes->origin) {
		free(renumber);
		return liquid_no_memory(err);
	}
	for (uint32_t link = 0; link < fabric_links; link++)
		if (renumber[link] != LIQUID_NONE) {
			routes->origin[renumber[link]] = link;
			routes->capacity[renumber[link]] =
				liquid_fabric_capacity(fabric, link);
		}
	free(renumber);
	routes_measure(routes);
	return LIQUID_OK;
}

/* The message gives the reason for the first pair, and how many pairs have no route. */
static int count_lost(const struct routes *routes, const struct liquid_fabric *fabric,
		      struct liquid_error *err)
{
	uint32_t path[LIQUID_PATH_MAX], lost = 0;
	struct liquid_error first;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		lost += liquid_fabric_route(fabric, routes->pairs[pair].src,
					    routes->pairs[pair].dst, path, NULL) < 0;
	if (!err || lost < 2)
		return LIQUID_BAD_INPUT;
	first = *err;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "%.900s; %u of %u pairs of the traffic have no route", first.text, lost,
			   routes->pair_count);
}

static int build(struct routes *routes, const struct liquid_fabric *fabric,
		 struct liquid_error *err)
{
	size_t room = 0;
	int status;

	routes->first = calloc(routes->pair_count + 1, sizeof(*routes->first));
	routes->first_transfer = calloc(routes->pair_count + 1, sizeof(*routes->first_transfer));
	if (!routes->first || !routes->first_transfer)
		return liquid_no_memory(err);
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		status = walk(routes, fabric, pair, &room, err);
		if (status == LIQUID_BAD_INPUT)
			return count_lost(routes, fabric, err);
		if (status)
			return status;
	}
	return compact_links(routes, fabric, err);
}

/* ---- strands ---- */

uint32_t routes_strands(const struct routes *routes, uint32_t pair)
{
	uint32_t strands = routes->pairs[pair].count, count;
	const uint32_t *links = routes_links(routes, pair, &count);

	for (uint32_t i = 0; i < count && strands > 1; i++)
		strands = routes->capacity[links[i]] < strands ? routes->capacity[links[i]] :
			strands;
	return strands;
}

static void *copy_of(const void *from, size_t size)
{
	void *to = malloc(size + 1);

	return to ? memcpy(to, from, size) : NULL;
}

static void deal_out(struct routes *routes)
{
	const struct routes *whole = routes->whole;
	uint32_t at = 0;

	for (uint32_t pair = 0; pair < whole->pair_count; pair++) {
		const struct liquid_pair *ends = &whole->pairs[pair];
		uint32_t strands = routes_strands(whole, pair), count;
		const uint32_t *links = routes_links(whole, pair, &count);

		for (uint32_t i = 0; i < strands; i++, at++) {
			uint32_t units = ends->count / strands + (i < ends->count % strands);

			routes->own_pairs[at] = (struct liquid_pair){ ends->src, ends->dst, units };
			memcpy(routes->links + routes->first[at], links, count * sizeof(*links));
			routes->first[at + 1] = routes->first[at] + count;
			routes->first_transfer[at + 1] = routes->first_transfer[at] + units;
		}
	}
}

/* A copy of @whole with @pairs strands in place of its pairs; they use @steps links in all. */
static struct routes *split(struct routes *whole, uint32_t pairs, size_t steps)
{
	struct routes *routes = copy_of(whole, sizeof(*whole));

	if (!routes)
		return NULL;
	routes->pair_count = pairs;
	routes->whole = NULL;
	routes->own_pairs = malloc(((size_t)pairs + 1) * sizeof(*routes->own_pairs));
	routes->pairs = routes->own_pairs;
	routes->first = calloc((size_t)pairs + 1, sizeof(*routes->first));
	routes->first_transfer = calloc((size_t)pairs + 1, sizeof(*routes->first_transfer));
	routes->links = malloc((steps + 1) * sizeof(*routes->links));
	routes->capacity = copy_of(whole->capacity, whole->link_count * sizeof(*whole->capacity));
	routes->load = copy_of(whole->load, whole->link_count * sizeof(*whole->load));
	routes->origin = copy_of(whole->origin, whole->link_count * sizeof(*whole->origin));
	if (!routes->own_pairs || !routes->first || !routes->first_transfer || !routes->links ||
	    !routes->capacity || !routes->load || !routes->origin) {
		routes_free(routes);
		return NULL;
	}
	routes->whole = whole;
	deal_out(routes);
	return routes;
}

/* Replace *@routes by its strands if a pair has more than one. */
static int find_strands(struct routes **routes, struct liquid_error *err)
{
	struct routes *whole = *routes, *strands;
	uint64_t pairs = 0, steps = 0;

	if (whole->transfer_count == whole->pair_count)
		return LIQUID_OK;
	for (uint32_t pair = 0; pair < whole->pair_count; pair++) {
		uint64_t more = routes_strands(whole, pair);

		pairs += more;
		steps += more * (whole->first[pair + 1] - whole->first[pair]);
	}
	if (pairs == whole->pair_count)
		return LIQUID_OK;
	if (steps > UINT32_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the routes have more than %u links in all", UINT32_MAX);
	strands = split(whole, (uint32_t)pairs, steps);
	if (!strands)
		return liquid_no_memory(err);
	*routes = strands;
	return LIQUID_OK;
}

int routes_build(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 struct routes **out, struct liquid_error *err)
{
	struct routes *routes;
	int status = traffic_list(traffic, err);

	*out = NULL;
	if (status)
		return status;
	routes = calloc(1, sizeof(*routes));
	if (!routes)
		return liquid_no_memory(err);
	routes->pair_count = (uint32_t)liquid_traffic_pair_count(traffic);
	routes->pairs = liquid_traffic_pairs(traffic);
	status = build(routes, fabric, err);
	if (!status)
		status = find_strands(&routes, err);
	if (status)
		routes_free(routes);
	else
		*out = routes;
	return status;
}

uint32_t *routes_frames(const struct routes *routes, const struct liquid_schedule *schedule,
			uint32_t times)
{
	uint32_t length = liquid_schedule_info(schedule)->length;
	uint32_t *frame = calloc((size_t)routes->transfer_count + 1, sizeof(*frame));
	uint32_t *next = calloc((size_t)routes->pair_count + 1, sizeof(*next));

	for (uint32_t f = 0; frame && next && f < length * times; f++) {
		size_t count, i;
		const struct liquid_transfer *transfers =
			liquid_schedule_frame(schedule, f / times, &count);

		for (i = 0; i < count; i++) {
			uint32_t pair = pairs_find(routes->pairs, routes->pair_count,
						   &transfers[i]);

			frame[routes->first_transfer[pair] + next[pair]++] = f;
		}
	}
	if (!next) {
		free(frame);
		frame = NULL;
	}
	free(next);
	return frame;
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
	if (routes->transfer_count == routes->pair_count)	/* a load is a number of pairs */
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
