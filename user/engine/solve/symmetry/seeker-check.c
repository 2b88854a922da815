// SPDX-License-Identifier: LGPL-2.1-or-later
/* Renamings of the groups of hosts: check them on the sets of resources, and keep them. */
#include <stdlib.h>
#include <string.h>

#include "problem/divisor.h"
#include "solve/symmetry/seeker.h"

void seeker_clear(struct seeker *s)
{
	uint32_t g;

	free(s->sender);
	free(s->receiver);
	free(s->sender_image);
	free(s->receiver_image);
	free(s->first_of);
	free(s->by_sender);
	free(s->unit_image);
	free(s->resource_image);
	free(s->seen);
	for (g = 0; g < SYMMETRY_GENERATORS_MAX; g++) {
		free(s->kept_senders[g]);
		free(s->kept_receivers[g]);
	}
}

static uint32_t *words(uint64_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

/* Sort units by sender group, then by receiver group, with two counting sorts. */
static bool index_units(struct seeker *s)
{
	const struct quotient *q = s->quotient;
	uint32_t units = q->units.pair_count, u, i;
	uint32_t *begin = words(q->receivers + 1), *order = words(units);
	bool memory = begin && order;

	if (memory) {
		for (u = 0; u < units; u++)
			begin[q->units.pairs[u].dst + 1]++;
		for (i = 0; i < q->receivers; i++)
			begin[i + 1] += begin[i];
		for (u = 0; u < units; u++)
			order[begin[q->units.pairs[u].dst]++] = u;
		for (u = 0; u < units; u++)
			s->first_of[q->units.pairs[u].src + 1]++;
		for (i = 0; i < q->senders; i++)
			s->first_of[i + 1] += s->first_of[i];
		for (i = 0; i < units; i++)
			s->by_sender[s->first_of[q->units.pairs[order[i]].src]++] = order[i];
		for (i = q->senders; i; i--)
			s->first_of[i] = s->first_of[i - 1];
		s->first_of[0] = 0;
	}
	free(begin);
	free(order);
	return memory;
}

bool seeker_init(struct seeker *s, const struct quotient *quotient, struct symmetry *symmetry)
{
	uint32_t most = quotient->units.pair_count > quotient->units.link_count ?
			quotient->units.pair_count : quotient->units.link_count;

	memset(s, 0, sizeof(*s));
	s->quotient = quotient;
	s->symmetry = symmetry;
	s->sender = words(quotient->hosts);
	s->receiver = words(quotient->hosts);
	s->sender_image = words(quotient->senders);
	s->receiver_image = words(quotient->receivers);
	s->first_of = words(quotient->senders + 1);
	s->by_sender = words(quotient->units.pair_count);
	s->unit_image = words(quotient->units.pair_count);
	s->resource_image = words(quotient->units.link_count);
	s->seen = words(most);
	return s->sender && s->receiver && s->sender_image && s->receiver_image && s->first_of &&
	       s->by_sender && s->unit_image && s->resource_image && s->seen && index_units(s);
}

uint32_t seeker_find_unit(const struct seeker *s, uint32_t sender, uint32_t receiver)
{
	uint32_t low = s->first_of[sender], high = s->first_of[sender + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, unit = s->by_sender[middle];

		if (s->quotient->units.pairs[unit].dst == receiver)
			return unit;
		if (s->quotient->units.pairs[unit].dst < receiver)
			low = middle + 1;
		else
			high = middle;
	}
	return LIQUID_NONE;
}

static bool map_unit(struct seeker *s, uint32_t unit)
{
	const struct routes *units = &s->quotient->units;
	uint32_t to = seeker_find_unit(s, s->sender_image[s->quotient->units.pairs[unit].src],
				       s->receiver_image[s->quotient->units.pairs[unit].dst]);
	uint32_t uses = units->first[unit + 1] - units->first[unit], i;

	if (to == LIQUID_NONE || units->pairs[to].count != units->pairs[unit].count ||
	    units->first[to + 1] - units->first[to] != uses)
		return false;
	s->unit_image[unit] = to;
	for (i = 0; i < uses; i++) {
		uint32_t r = units->links[units->first[unit] + i];
		uint32_t r_to = units->links[units->first[to] + i];

		if (s->resource_image[r] == LIQUID_NONE)
			s->resource_image[r] = r_to;
		else if (s->resource_image[r] != r_to)
			return false;
	}
	return true;
}

bool seeker_check(struct seeker *s)
{
	const struct routes *units = &s->quotient->units;
	uint32_t u, r;

	memset(s->resource_image, 0xff, units->link_count * sizeof(*s->resource_image));
	for (u = 0; u < units->pair_count; u++)
		if (!map_unit(s, u))
			return false;
	memset(s->seen, 0, units->link_count * sizeof(*s->seen));
	for (r = 0; r < units->link_count; r++)
		if (s->resource_image[r] == LIQUID_NONE || s->seen[s->resource_image[r]]++ ||
		    units->capacity[r] != units->capacity[s->resource_image[r]])
			return false;
	return true;
}

/* Least common multiple of @order and the lengths of all cycles of @image. */
static uint32_t cycles_order(struct seeker *s, const uint32_t *image, uint32_t count,
			     uint32_t order)
{
	uint32_t i, at, length;

	memset(s->seen, 0, count * sizeof(*s->seen));
	for (i = 0; i < count; i++) {
		if (s->seen[i])
			continue;
		for (at = i, length = 0; !s->seen[at]; at = image[at], length++)
			s->seen[at] = 1;
		order = order / common_divisor(order, length) * length;
	}
	return order;
}

static uint32_t *copy_of(const uint32_t *from, uint32_t count)
{
	uint32_t *copy = words(count);

	if (copy)
		memcpy(copy, from, count * sizeof(*copy));
	return copy;
}

bool seeker_keep(struct seeker *s)
{
	struct symmetry *symmetry = s->symmetry;
	const struct routes *units = &s->quotient->units;
	uint32_t g = symmetry->generators, order;

	order = cycles_order(s, s->resource_image, units->link_count, 1);
	order = cycles_order(s, s->unit_image, units->pair_count, order);
	if (order < 2)
		return true;
	symmetry->generators++;
	symmetry->order[g] = order;
	symmetry->unit_image[g] = copy_of(s->unit_image, units->pair_count);
	symmetry->resource_image[g] = copy_of(s->resource_image, units->link_count);
	s->kept_senders[g] = copy_of(s->sender_image, s->quotient->senders);
	s->kept_receivers[g] = copy_of(s->receiver_image, s->quotient->receivers);
	return symmetry->unit_image[g] && symmetry->resource_image[g] && s->kept_senders[g] &&
	       s->kept_receivers[g];
}

void seeker_forget(struct seeker *s, uint32_t generators)
{
	struct symmetry *symmetry = s->symmetry;

	while (symmetry->generators > generators) {
		uint32_t g = --symmetry->generators;

		free(symmetry->unit_image[g]);
		free(symmetry->resource_image[g]);
		free(s->kept_senders[g]);
		free(s->kept_receivers[g]);
		symmetry->unit_image[g] = symmetry->resource_image[g] = NULL;
		s->kept_senders[g] = s->kept_receivers[g] = NULL;
	}
}

/* seen[] is the queue; unit_image[] marks what is in it. */
uint32_t seeker_reach(struct seeker *s, uint32_t start)
{
	uint32_t *mark = s->unit_image, count = 0, head, g;

	memset(mark, 0, s->quotient->senders * sizeof(*mark));
	s->seen[count++] = start;
	mark[start] = 1;
	for (head = 0; head < count; head++)
		for (g = 0; g < s->symmetry->generators; g++) {
			uint32_t to = s->kept_senders[g][s->seen[head]];

			if (mark[to])
				continue;
			mark[to] = 1;
			s->seen[count++] = to;
		}
	return count;
}
