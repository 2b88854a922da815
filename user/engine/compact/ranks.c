// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sorting units by how hard they are to place: by the bytes of numbers, the lowest byte first. */
#include <string.h>

#include "compact/pack.h"

#define BYTES sizeof(uint32_t)
#define VALUES 256

/* The greatest come first. */
static uint8_t byte_of(uint32_t hard, unsigned int byte)
{
	return (uint8_t)~(hard >> 8 * byte);
}

static void sort_by(unsigned int byte, uint32_t *place, struct ranks from, struct ranks to,
		    uint32_t count)
{
	for (uint32_t v = 0, before = 0; v < VALUES; v++) {
		uint32_t own = place[v];

		place[v] = before;
		before += own;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = place[byte_of(from.hard[i], byte)]++;

		to.hard[at] = from.hard[i];
		to.unit[at] = from.unit[i];
	}
}

void ranks_sort(struct ranks ranks, struct ranks other, uint32_t count)
{
	uint32_t place[BYTES][VALUES] = { { 0 } };
	struct ranks from = ranks, to = other;

	for (uint32_t i = 0; i < count; i++)
		for (unsigned int byte = 0; byte < BYTES; byte++)
			place[byte][byte_of(ranks.hard[i], byte)]++;
	for (unsigned int byte = 0; count && byte < BYTES; byte++) {
		struct ranks swap = from;

		if (place[byte][byte_of(from.hard[0], byte)] == count)
			continue;	/* all have the same */
		sort_by(byte, place[byte], from, to, count);
		from = to;
		to = swap;
	}
	if (from.unit != ranks.unit)
		memcpy(ranks.unit, from.unit, count * sizeof(*ranks.unit));
}
