// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sorting units by how hard they are to place: by the bytes of numbers, the lowest byte first. */
#include <string.h>

#include "compact/pack.h"

#define BYTES sizeof(uint64_t)
#define VALUES 256

/* Numbers that are not negative are ordered as their bits are; the greatest come first. */
static uint8_t byte_of(const struct rank *rank, unsigned int byte)
{
	uint64_t bits;

	memcpy(&bits, &rank->hard, sizeof(bits));
	return (uint8_t)~(bits >> 8 * byte);
}

static void sort_by(unsigned int byte, uint32_t *place, const struct rank *from, struct rank *to,
		    uint32_t count)
{
	for (uint32_t v = 0, before = 0; v < VALUES; v++) {
		uint32_t own = place[v];

		place[v] = before;
		before += own;
	}
	for (uint32_t i = 0; i < count; i++)
		to[place[byte_of(&from[i], byte)]++] = from[i];
}

void ranks_sort(struct rank *rank, struct rank *other, uint32_t count)
{
	uint32_t place[BYTES][VALUES] = { { 0 } };
	struct rank *from = rank, *to = other;

	for (uint32_t i = 0; i < count; i++)
		for (unsigned int byte = 0; byte < BYTES; byte++)
			place[byte][byte_of(&rank[i], byte)]++;
	for (unsigned int byte = 0; count && byte < BYTES; byte++) {
		struct rank *swap = from;

		if (place[byte][byte_of(&rank[0], byte)] == count)
			continue;	/* all have the same */
		sort_by(byte, place[byte], from, to, count);
		from = to;
		to = swap;
	}
	if (from != rank)
		memcpy(rank, from, count * sizeof(*rank));
}
