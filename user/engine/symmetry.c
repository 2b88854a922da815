// SPDX-License-Identifier: LGPL-2.1-or-later
/* Translations: guessed as shifts of digits, checked on the sets of resources. */
#include <stdlib.h>
#include <string.h>

#include "symmetry.h"

/* A digit of a host's place in the list: (place / stride) % size, shifted by step. */
struct shift {
	uint32_t stride, size, step;
};

struct seeker {
	const struct quotient *quotient;
	struct symmetry *symmetry;
	uint32_t count;			/* of senders, and of receivers */
	uint32_t *sender, *receiver;	/* hosts that send, that receive, in order */
	uint32_t *sender_image, *receiver_image;	/* by group */
	uint32_t *first_of, *by_sender;	/* units of each sender group, by receiver group */
	uint32_t *unit_image, *resource_image, *seen;
	struct shift taken[SYMMETRY_GENERATORS_MAX];
};

void symmetry_clear(struct symmetry *symmetry)
{
	uint32_t g;

	for (g = 0; g < SYMMETRY_GENERATORS_MAX; g++) {
		free(symmetry->unit_image[g]);
		free(symmetry->resource_image[g]);
	}
	memset(symmetry, 0, sizeof(*symmetry));
}

static void seeker_clear(struct seeker *s)
{
	free(s->sender);
	free(s->receiver);
	free(s->sender_image);
	free(s->receiver_image);
	free(s->first_of);
	free(s->by_sender);
	free(s->unit_image);
	free(s->resource_image);
	free(s->seen);
}

static uint32_t *words(uint64_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

static bool seeker_init(struct seeker *s, const struct quotient *quotient,
			struct symmetry *symmetry)
{
	uint32_t most = quotient->units.count > quotient->units.resources ?
			quotient->units.count : quotient->units.resources;

	memset(s, 0, sizeof(*s));
	s->quotient = quotient;
	s->symmetry = symmetry;
	s->sender = words(quotient->hosts);
	s->receiver = words(quotient->hosts);
	s->sender_image = words(quotient->senders);
	s->receiver_image = words(quotient->receivers);
	s->first_of = words(quotient->senders + 1);
	s->by_sender = words(quotient->units.count);
	s->unit_image = words(quotient->units.count);
	s->resource_image = words(quotient->units.resources);
	s->seen = words(most);
	return s->sender && s->receiver && s->sender_image && s->receiver_image && s->first_of &&
	       s->by_sender && s->unit_image && s->resource_image && s->seen;
}

/* False where senders and receivers are not equally many: then no shift is tried. */
static bool list_hosts(struct seeker *s)
{
	const struct quotient *q = s->quotient;
	uint32_t h, senders = 0, receivers = 0;

	for (h = 0; h < q->hosts; h++) {
		if (q->sender_group[h] != LIQUID_NONE)
			s->sender[senders++] = h;
		if (q->receiver_group[h] != LIQUID_NONE)
			s->receiver[receivers++] = h;
	}
	s->count = senders;
	return senders == receivers;
}

/* Units by sender group, and there by receiver group: two counting sorts. */
static bool index_units(struct seeker *s)
{
	const struct quotient *q = s->quotient;
	uint32_t units = q->units.count, u, i;
	uint32_t *begin = words(q->receivers + 1), *order = words(units);
	bool memory = begin && order;

	if (memory) {
		for (u = 0; u < units; u++)
			begin[q->unit_receiver[u] + 1]++;
		for (i = 0; i < q->receivers; i++)
			begin[i + 1] += begin[i];
		for (u = 0; u < units; u++)
			order[begin[q->unit_receiver[u]]++] = u;
		for (u = 0; u < units; u++)
			s->first_of[q->unit_sender[u] + 1]++;
		for (i = 0; i < q->senders; i++)
			s->first_of[i + 1] += s->first_of[i];
		for (i = 0; i < units; i++)
			s->by_sender[s->first_of[q->unit_sender[order[i]]]++] = order[i];
		for (i = q->senders; i; i--)
			s->first_of[i] = s->first_of[i - 1];
		s->first_of[0] = 0;
	}
	free(begin);
	free(order);
	return memory;
}

static uint32_t find_unit(const struct seeker *s, uint32_t sender, uint32_t receiver)
{
	uint32_t low = s->first_of[sender], high = s->first_of[sender + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, unit = s->by_sender[middle];

		if (s->quotient->unit_receiver[unit] == receiver)
			return unit;
		if (s->quotient->unit_receiver[unit] < receiver)
			low = middle + 1;
		else
			high = middle;
	}
	return LIQUID_NONE;
}

static uint32_t shifted(const struct shift *shift, uint32_t place)
{
	uint32_t digit = place / shift->stride % shift->size;
	uint32_t next = (digit + shift->step) % shift->size;

	return place + next * shift->stride - digit * shift->stride;
}

/* Where the shift sends each group; false where it tears one apart, or joins two. */
static bool map_groups(struct seeker *s, const struct shift *shift, const uint32_t *host,
		       const uint32_t *group, uint32_t groups, uint32_t *image)
{
	uint32_t i, g;

	memset(image, 0xff, groups * sizeof(*image));
	for (i = 0; i < s->count; i++) {
		uint32_t from = group[host[i]], to = group[host[shifted(shift, i)]];

		if (image[from] == LIQUID_NONE)
			image[from] = to;
		else if (image[from] != to)
			return false;
	}
	memset(s->seen, 0, groups * sizeof(*s->seen));
	for (g = 0; g < groups; g++)
		if (s->seen[image[g]]++)
			return false;
	return true;
}

static bool map_unit(struct seeker *s, uint32_t unit)
{
	const struct units *units = &s->quotient->units;
	uint32_t to = find_unit(s, s->sender_image[s->quotient->unit_sender[unit]],
				s->receiver_image[s->quotient->unit_receiver[unit]]);
	uint32_t uses = units->first[unit + 1] - units->first[unit], i;

	if (to == LIQUID_NONE || units->copies[to] != units->copies[unit] ||
	    units->first[to + 1] - units->first[to] != uses)
		return false;
	s->unit_image[unit] = to;
	for (i = 0; i < uses; i++) {
		uint32_t r = units->uses[units->first[unit] + i];
		uint32_t r_to = units->uses[units->first[to] + i];

		if (s->resource_image[r] == LIQUID_NONE)
			s->resource_image[r] = r_to;
		else if (s->resource_image[r] != r_to)
			return false;
	}
	return true;
}

/* Whether the shift maps units to units and resources to resources, one to one. */
static bool is_automorphism(struct seeker *s, const struct shift *shift)
{
	const struct quotient *q = s->quotient;
	const struct units *units = &q->units;
	uint32_t u, r;

	if (!map_groups(s, shift, s->sender, q->sender_group, q->senders, s->sender_image) ||
	    !map_groups(s, shift, s->receiver, q->receiver_group, q->receivers, s->receiver_image))
		return false;
	memset(s->resource_image, 0xff, units->resources * sizeof(*s->resource_image));
	for (u = 0; u < units->count; u++)
		if (!map_unit(s, u))
			return false;
	memset(s->seen, 0, units->resources * sizeof(*s->seen));
	for (r = 0; r < units->resources; r++)
		if (s->resource_image[r] == LIQUID_NONE || s->seen[s->resource_image[r]]++ ||
		    units->capacity[r] != units->capacity[s->resource_image[r]])
			return false;
	return true;
}

static uint32_t divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Least common multiple of the cycles of @image with @order, which the shift's own order bounds. */
static uint32_t cycles_order(struct seeker *s, const uint32_t *image, uint32_t count, uint32_t order)
{
	uint32_t i, at, length;

	memset(s->seen, 0, count * sizeof(*s->seen));
	for (i = 0; i < count; i++) {
		if (s->seen[i])
			continue;
		for (at = i, length = 0; !s->seen[at]; at = image[at], length++)
			s->seen[at] = 1;
		order = order / divisor(order, length) * length;
	}
	return order;
}

static bool keep(struct seeker *s, const struct shift *shift)
{
	struct symmetry *symmetry = s->symmetry;
	const struct units *units = &s->quotient->units;
	uint32_t g = symmetry->generators, order;

	order = cycles_order(s, s->resource_image, units->resources, 1);
	order = cycles_order(s, s->unit_image, units->count, order);
	if (order < 2)
		return true;
	symmetry->unit_image[g] = words(units->count);
	symmetry->resource_image[g] = words(units->resources);
	if (!symmetry->unit_image[g] || !symmetry->resource_image[g])
		return false;
	memcpy(symmetry->unit_image[g], s->unit_image, units->count * sizeof(*s->unit_image));
	memcpy(symmetry->resource_image[g], s->resource_image,
	       units->resources * sizeof(*s->resource_image));
	symmetry->order[g] = order;
	s->taken[g] = *shift;
	symmetry->generators++;
	return true;
}

/* Shifts commute where their digits do not overlap and belong to one mixed radix. */
static bool fits(const struct seeker *s, const struct shift *shift)
{
	uint32_t g;

	for (g = 0; g < s->symmetry->generators; g++) {
		const struct shift *other = &s->taken[g];
		uint64_t end = (uint64_t)shift->stride * shift->size;
		uint64_t other_end = (uint64_t)other->stride * other->size;

		if (shift->stride % other_end && other->stride % end)
			return false;
	}
	return s->symmetry->generators < SYMMETRY_GENERATORS_MAX;
}

static bool try_size(struct seeker *s, uint32_t size, uint32_t step)
{
	uint32_t stride;

	for (stride = s->count / size; stride; stride--) {
		struct shift shift = { .stride = stride, .size = size, .step = step };

		if ((s->count / size) % stride || !fits(s, &shift))
			continue;
		if (is_automorphism(s, &shift) && !keep(s, &shift))
			return false;
	}
	return true;
}

/* Larger digits first: a shift of part of a digit would be in their way. */
static bool try_shifts(struct seeker *s)
{
	uint32_t size, step;

	for (step = 1; step <= 2; step++)
		for (size = s->count; size > step; size--)
			if (s->count % size == 0 && size % step == 0 && !try_size(s, size, step))
				return false;
	return true;
}

int symmetry_find(const struct quotient *quotient, struct symmetry *symmetry,
		  struct liquid_error *err)
{
	struct seeker s;
	bool memory;

	memset(symmetry, 0, sizeof(*symmetry));
	memory = seeker_init(&s, quotient, symmetry);
	if (memory && list_hosts(&s))
		memory = index_units(&s) && try_shifts(&s);
	seeker_clear(&s);
	if (!memory) {
		symmetry_clear(symmetry);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the symmetries");
	}
	return LIQUID_OK;
}
