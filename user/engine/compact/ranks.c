// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sorting units by how hard they are to place: by the bytes of numbers, the lowest byte first. */
#include "compact/pack.h"

#define BYTES sizeof(uint32_t)
#define VALUES 256

/* A unit that is not placed has neither phase nor weight yet, and there are millions of units. */
void ranks_set(struct pack_unit *unit, uint32_t hard)
{
	unit->phase = (uint16_t)hard;
	unit->weight = (uint16_t)(hard >> 16);
}

/* The greatest come first. */
static uint8_t byte_of(const struct pack_unit *unit, unsigned int byte)
{
	uint32_t hard = (uint32_t)unit->weight << 16 | unit->phase;

	return (uint8_t)~(hard >> 8 * byte);
}

static void sort_by(const struct pack *pack, unsigned int byte, uint32_t *place,
		    const uint32_t *from, uint32_t *to)
{
	for (uint32_t v = 0, before = 0; v < VALUES; v++) {
		uint32_t own = place[v];

		place[v] = before;
		before += own;
	}
	for (uint32_t i = 0; i < pack->orders; i++)
		to[place[byte_of(&pack->unit[from[i]], byte)]++] = from[i];
}

void ranks_sort(struct pack *pack)
{
	uint32_t place[BYTES][VALUES] = { { 0 } };
	uint32_t *from = pack->order, *to = pack->left;

	for (uint32_t i = 0; i < pack->orders; i++)
		for (unsigned int byte = 0; byte < BYTES; byte++)
			place[byte][byte_of(&pack->unit[from[i]], byte)]++;
	for (unsigned int byte = 0; pack->orders && byte < BYTES; byte++) {
		uint32_t *swap = from;

		if (place[byte][byte_of(&pack->unit[from[0]], byte)] == pack->orders)
			continue;	/* all have the same */
		sort_by(pack, byte, place[byte], from, to);
		from = to;
		to = swap;
	}
	pack->order = from;
	pack->left = to;
	for (uint32_t i = 0; i < pack->orders; i++)
		ranks_set(&pack->unit[pack->order[i]], 0);
}
