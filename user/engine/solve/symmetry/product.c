// SPDX-License-Identifier: LGPL-2.1-or-later
/* Products: find the dimensions of a fabric from sets of links. */
#include <stdlib.h>
#include <string.h>

#include "problem/union-find.h"
#include "solve/symmetry/product.h"

void product_clear(struct product *product)
{
	free(product->unit);
	free(product->link);
	free(product->degree);
	free(product->next);
	free(product->tail);
	free(product->head);
	free(product->parent);
	free(product->dimension);
	free(product->place);
	free(product->at);
	free(product->host);
	*product = (struct product){ 0 };
}

static bool allocate(struct product *p)
{
	size_t square = (size_t)p->points * p->points, resources = p->quotient.units.link_count;

	p->unit = malloc((square + 1) * sizeof(*p->unit));
	p->link = malloc((square + 1) * sizeof(*p->link));
	p->degree = calloc((size_t)p->points + 1, sizeof(*p->degree));
	p->next = calloc((size_t)p->points * PRODUCT_DEGREE_MAX + 1, sizeof(*p->next));
	p->tail = malloc((resources + 1) * sizeof(*p->tail));
	p->head = malloc((resources + 1) * sizeof(*p->head));
	p->parent = calloc(resources + 1, sizeof(*p->parent));
	p->dimension = calloc(resources + 1, sizeof(*p->dimension));
	p->place = calloc((size_t)p->points + 1, sizeof(*p->place));
	p->at = malloc(((size_t)p->points + 1) * sizeof(*p->at));
	p->host = calloc((size_t)p->points + 1, sizeof(*p->host));
	if (!p->unit || !p->link || !p->degree || !p->next || !p->tail || !p->head || !p->parent ||
	    !p->dimension || !p->place || !p->at || !p->host)
		return false;
	memset(p->unit, 0xff, square * sizeof(*p->unit));
	memset(p->link, 0xff, square * sizeof(*p->link));
	memset(p->tail, 0xff, resources * sizeof(*p->tail));
	memset(p->head, 0xff, resources * sizeof(*p->head));
	memset(p->at, 0xff, p->points * sizeof(*p->at));
	return true;
}

/* ---- points and links ---- */

/* Number receiver groups as points; false unless the same hosts are twins as senders. */
static bool match_groups(const struct quotient *quotient, uint32_t *point_of)
{
	uint32_t g;

	if (quotient->senders != quotient->receivers)
		return false;
	memset(point_of, 0xff, quotient->receivers * sizeof(*point_of));
	for (uint32_t host = 0; host < quotient->hosts; host++) {
		g = quotient->receiver_group[host];
		if ((g == LIQUID_NONE) != (quotient->sender_group[host] == LIQUID_NONE))
			return false;
		if (g == LIQUID_NONE)
			continue;
		if (point_of[g] != LIQUID_NONE && point_of[g] != quotient->sender_group[host])
			return false;
		point_of[g] = quotient->sender_group[host];
	}
	for (g = 0; g < quotient->receivers; g++)
		if (point_of[g] == LIQUID_NONE ||
		    quotient->sender_size[point_of[g]] != quotient->receiver_size[g])
			return false;
	return true;
}

/* A unit that uses one link besides the links of its ends connects neighbouring points. */
static bool add_link(struct product *p, uint32_t from, uint32_t to, uint32_t link)
{
	if (p->tail[link] != LIQUID_NONE || p->degree[from] == PRODUCT_DEGREE_MAX)
		return false;
	p->tail[link] = from;
	p->head[link] = to;
	p->parent[link] = link;
	p->link[(size_t)from * p->points + to] = link;
	p->next[(size_t)from * PRODUCT_DEGREE_MAX + p->degree[from]++] = to;
	return true;
}

static bool list_links(struct product *p, const uint32_t *point_of)
{
	const struct quotient *quotient = &p->quotient;
	const struct routes *units = &quotient->units;
	uint32_t inner = quotient->senders + quotient->receivers;

	for (uint32_t u = 0; u < units->pair_count; u++) {
		uint32_t from = quotient->units.pairs[u].src;
		uint32_t to = point_of[quotient->units.pairs[u].dst];

		p->unit[(size_t)from * p->points + to] = u;
		if (units->first[u + 1] - units->first[u] == 3 && from != to &&
		    !add_link(p, from, to, units->links[units->first[u] + 2]))
			return false;
	}
	for (uint32_t link = inner; link < units->link_count; link++)
		if (p->tail[link] == LIQUID_NONE)
			return false;
	return units->link_count > inner;
}

static uint32_t link_of(const struct product *p, uint32_t from, uint32_t to)
{
	return p->link[(size_t)from * p->points + to];
}

static bool adjacent(const struct product *p, uint32_t a, uint32_t b)
{
	return link_of(p, a, b) != LIQUID_NONE || link_of(p, b, a) != LIQUID_NONE;
}

/* ---- dimensions ---- */

/* Two links in sequence belong to one dimension unless they are in a square without diagonals. */
static void relate(struct product *p, uint32_t from, uint32_t over, uint32_t to)
{
	const uint32_t *next = p->next + (size_t)from * PRODUCT_DEGREE_MAX;
	bool square = false;

	for (uint32_t i = 0; i < p->degree[from] && !adjacent(p, from, to); i++) {
		if (next[i] == over || link_of(p, next[i], to) == LIQUID_NONE ||
		    adjacent(p, over, next[i]))
			continue;
		square = true;
		join(p->parent, link_of(p, from, over), link_of(p, next[i], to));
		join(p->parent, link_of(p, over, to), link_of(p, from, next[i]));
	}
	if (!square)
		join(p->parent, link_of(p, from, over), link_of(p, over, to));
	p->work += 4 * p->degree[from];
}

static void relate_links(struct product *p)
{
	for (uint32_t from = 0; from < p->points; from++)
		for (uint32_t i = 0; i < p->degree[from]; i++) {
			uint32_t over = p->next[(size_t)from * PRODUCT_DEGREE_MAX + i];

			if (link_of(p, over, from) != LIQUID_NONE)
				join(p->parent, link_of(p, from, over), link_of(p, over, from));
			for (uint32_t j = 0; j < p->degree[over]; j++) {
				uint32_t to = p->next[(size_t)over * PRODUCT_DEGREE_MAX + j];

				if (to != from)
					relate(p, from, over, to);
			}
		}
}

/* Returns false if there are too many, or only one. */
static bool number_dimensions(struct product *p)
{
	uint32_t first = p->quotient.senders + p->quotient.receivers, link;

	p->dimensions = 0;
	for (link = first; link < p->quotient.units.link_count; link++) {
		if (root(p->parent, link) != link) {
			p->dimension[link] = p->dimension[root(p->parent, link)];
			continue;
		}
		if (p->dimensions == PRODUCT_DIMENSIONS_MAX)
			return false;
		p->dimension[link] = (uint8_t)p->dimensions++;
	}
	return p->dimensions > 1;
}

/* ---- the order of dimensions ---- */

/* The link of @unit that leaves @point, or LIQUID_NONE. */
static uint32_t leaving(const struct product *p, uint32_t unit, uint32_t point)
{
	const struct routes *units = &p->quotient.units;

	for (uint32_t i = units->first[unit] + 2; i < units->first[unit + 1]; i++)
		if (p->tail[units->links[i]] == point)
			return units->links[i];
	return LIQUID_NONE;
}

/* For each dimension, the set of dimensions that some routes take after it (transitively). */
static void list_turns(struct product *p, uint32_t *after)
{
	const struct routes *units = &p->quotient.units;

	memset(after, 0, PRODUCT_DIMENSIONS_MAX * sizeof(*after));
	for (uint32_t u = 0; u < units->pair_count; u++) {
		uint32_t steps = units->first[u + 1] - units->first[u] - 2;
		uint32_t at = p->quotient.units.pairs[u].src, last = LIQUID_NONE, link;

		while (steps-- && (link = leaving(p, u, at)) != LIQUID_NONE) {
			if (last != LIQUID_NONE && last != p->dimension[link])
				after[last] |= 1u << p->dimension[link];
			last = p->dimension[link];
			at = p->head[link];
		}
		p->work += 8 * (uint64_t)(units->first[u + 1] - units->first[u]);
	}
	for (uint32_t k = 0; k < p->dimensions; k++)
		for (uint32_t i = 0; i < p->dimensions; i++)
			if (after[i] >> k & 1)
				after[i] |= after[k];
}

/* Merge dimensions that come both before and after each other; true if there are any. */
static bool merge_dimensions(struct product *p, const uint32_t *after)
{
	uint32_t first = p->quotient.senders + p->quotient.receivers;
	uint32_t sample[PRODUCT_DIMENSIONS_MAX];
	bool merged = false;

	for (uint32_t link = p->quotient.units.link_count; link-- > first;)
		sample[p->dimension[link]] = link;
	for (uint32_t i = 0; i < p->dimensions; i++)
		for (uint32_t j = 0; j < i; j++)
			if ((after[i] >> j & 1) && (after[j] >> i & 1)) {
				join(p->parent, sample[i], sample[j]);
				merged = true;
			}
	return merged;
}

/* Number the dimensions in the order of the routes. */
static void sort_dimensions(struct product *p, const uint32_t *after)
{
	uint8_t rank[PRODUCT_DIMENSIONS_MAX];
	uint32_t first = p->quotient.senders + p->quotient.receivers, left, next = 0;

	for (left = (uint32_t)((UINT64_C(1) << p->dimensions) - 1); left;) {
		uint32_t earlier = 0, i;

		for (i = 0; i < p->dimensions; i++)
			earlier |= left >> i & 1 ? after[i] : 0;
		for (i = 0; !(left >> i & 1) || (earlier >> i & 1);)
			i++;
		rank[i] = (uint8_t)next++;
		left &= ~(1u << i);
	}
	for (uint32_t link = first; link < p->quotient.units.link_count; link++)
		p->dimension[link] = rank[p->dimension[link]];
}

static bool order_dimensions(struct product *p)
{
	uint32_t after[PRODUCT_DIMENSIONS_MAX];

	do {
		if (!number_dimensions(p))
			return false;
		list_turns(p, after);
	} while (merge_dimensions(p, after));
	sort_dimensions(p, after);
	return true;
}

/* ---- coordinates ---- */

/* Points that are connected without links of @dimension have the same coordinate in it: @layer. */
static bool number_layers(struct product *p, uint32_t dimension, uint32_t *layer)
{
	uint32_t first = p->quotient.senders + p->quotient.receivers, count, point;
	uint32_t stride = dimension ? p->stride[dimension - 1] * p->size[dimension - 1] : 1;

	for (point = 0; point < p->points; point++)
		layer[point] = point;
	for (uint32_t link = first; link < p->quotient.units.link_count; link++)
		if (p->dimension[link] != dimension)
			join(layer, p->tail[link], p->head[link]);
	count = number_sets(layer, p->points);
	if (count > p->points / stride)
		return false;
	p->size[dimension] = count;
	p->stride[dimension] = stride;
	return true;
}

/* Returns false unless points and places correspond one to one. */
static bool place_points(struct product *p, uint32_t *layer)
{
	uint32_t last = p->dimensions - 1;

	for (uint32_t dimension = 0; dimension <= last; dimension++) {
		if (!number_layers(p, dimension, layer))
			return false;
		for (uint32_t point = 0; point < p->points; point++)
			p->place[point] += layer[point] * p->stride[dimension];
	}
	if (p->stride[last] * p->size[last] != p->points)
		return false;
	for (uint32_t point = 0; point < p->points; point++) {
		if (p->at[p->place[point]] != LIQUID_NONE)
			return false;
		p->at[p->place[point]] = point;
	}
	return true;
}

/* ---- routes ---- */

static bool uses(const struct routes *units, uint32_t unit, uint32_t link)
{
	for (uint32_t i = units->first[unit] + 2; i < units->first[unit + 1]; i++)
		if (units->links[i] == link)
			return true;
	return false;
}

/* Whether the route consists of the routes along each dimension, in order. */
static bool is_composed(struct product *p, uint32_t from, uint32_t to)
{
	const struct routes *units = &p->quotient.units;
	uint32_t unit = p->unit[(size_t)from * p->points + to], at = from, links = 0;

	for (uint32_t dimension = 0; dimension < p->dimensions; dimension++) {
		uint32_t next = product_step(p, at, to, dimension), part;

		if (next == at)
			continue;
		part = p->unit[(size_t)at * p->points + next];
		if (part == LIQUID_NONE)
			return false;
		for (uint32_t i = units->first[part] + 2; i < units->first[part + 1]; i++, links++)
			if (p->dimension[units->links[i]] != dimension ||
			    !uses(units, unit, units->links[i]))
				return false;
		at = next;
	}
	p->work += 8 * links;
	return links == units->first[unit + 1] - units->first[unit] - 2;
}

static bool routes_are_composed(struct product *p)
{
	for (uint32_t from = 0; from < p->points; from++)
		for (uint32_t to = 0; to < p->points; to++)
			if (from != to && (p->unit[(size_t)from * p->points + to] == LIQUID_NONE ||
					   !is_composed(p, from, to)))
				return false;
	return true;
}

static bool find_dimensions(struct product *p, uint32_t *scratch)
{
	if (!match_groups(&p->quotient, scratch) || !list_links(p, scratch))
		return false;
	relate_links(p);
	return order_dimensions(p) && place_points(p, scratch) &&
	       routes_are_composed(p);
}

/* @hosts: as in struct solving */
static void name_points(struct product *p, const uint32_t *hosts)
{
	for (uint32_t host = 0; host < p->quotient.hosts; host++)
		if (p->quotient.sender_group[host] != LIQUID_NONE)
			p->host[p->quotient.sender_group[host]] = hosts ? hosts[host] : host;
}

/* Neighbouring points have routes of three links; without any there is no product. */
static bool has_neighbours(const struct routes *routes)
{
	for (uint32_t pair = 0; pair < routes->pair_count; pair++)
		if (routes->first[pair + 1] - routes->first[pair] == 3)
			return true;
	return false;
}

int product_find(struct solving *solving, struct product *product, bool *found,
		 struct liquid_error *err)
{
	const struct quotient *quotient;
	uint32_t *scratch;
	int status;

	*product = (struct product){ 0 };
	*found = false;
	if (!has_neighbours(solving->routes))
		return LIQUID_OK;
	status = structure_twins(solving, &quotient, err);
	if (status || !quotient || quotient->senders > PRODUCT_POINTS_MAX ||
	    quotient->senders != quotient->receivers)
		return status;
	product->quotient = *quotient;
	product->points = quotient->senders;
	scratch = calloc(2 * (size_t)product->points + 1, sizeof(*scratch));
	if (!scratch || !allocate(product))
		status = liquid_no_memory(err);
	else
		*found = find_dimensions(product, scratch);
	if (*found)
		name_points(product, solving->hosts);
	free(scratch);
	return status;
}
