// SPDX-License-Identifier: LGPL-2.1-or-later
/* Translations: guess them as shifts of digits, which is quick, then search for others. */
#include <stdlib.h>
#include <string.h>

#include "solve/symmetry/seeker.h"

void symmetry_clear(struct symmetry *symmetry)
{
	uint32_t g;

	for (g = 0; g < SYMMETRY_GENERATORS_MAX; g++) {
		free(symmetry->unit_image[g]);
		free(symmetry->resource_image[g]);
	}
	memset(symmetry, 0, sizeof(*symmetry));
}

/* Returns false if the numbers of senders and receivers differ: then no shift is tried. */
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

static uint32_t shifted(const struct shift *shift, uint32_t place)
{
	uint32_t digit = place / shift->stride % shift->size;
	uint32_t next = (digit + shift->step) % shift->size;

	return place + next * shift->stride - digit * shift->stride;
}

/* Images of the groups under the shift; false if it splits a group or merges two. */
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

/* Whether the shift maps units to units and resources to resources, one to one. */
static bool is_automorphism(struct seeker *s, const struct shift *shift)
{
	const struct quotient *q = s->quotient;

	return map_groups(s, shift, s->sender, q->sender_group, q->senders, s->sender_image) &&
	       map_groups(s, shift, s->receiver, q->receiver_group, q->receivers,
			  s->receiver_image) &&
	       seeker_check(s);
}

static bool keep(struct seeker *s, const struct shift *shift)
{
	uint32_t g = s->symmetry->generators;

	if (!seeker_keep(s))
		return false;
	if (s->symmetry->generators > g)
		s->taken[g] = *shift;
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

/* Larger digits first: a shift of a part of a digit would exclude that of the digit. */
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
		memory = try_shifts(&s);
	if (memory)
		memory = symmetry_seek(&s);
	seeker_clear(&s);
	if (!memory) {
		symmetry_clear(symmetry);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the symmetries");
	}
	return LIQUID_OK;
}
