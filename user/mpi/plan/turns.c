// SPDX-License-Identifier: LGPL-2.1-or-later
/* Turns of the window shuffle: pure functions, the same on all ranks for the same input */
#include <stdlib.h>

#include "plan/turns.h"

/* Of a rank: its number within its node, and its node's number within its switch */
struct seating {
	uint32_t member, within, sw, node, rank;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int turns_compare(const void *a, const void *b)
{
	const struct seating *x = a, *y = b;
	int order = compare_numbers(x->member, y->member);

	if (!order)
		order = compare_numbers(x->within, y->within);
	if (!order)
		order = compare_numbers(x->sw, y->sw);
	return order ? order : compare_numbers(x->node, y->node);
}

static uint32_t nodes_before(const uint32_t *sw, uint32_t node)
{
	uint32_t count = 0;

	for (uint32_t i = 0; sw && i < node; i++)
		count += sw[i] == sw[node];
	return sw ? count : node;
}

bool turns_ids(const struct map *map, const uint32_t *sw, uint32_t *id)
{
	struct seating *seat = calloc(map->ranks, sizeof(*seat));
	uint32_t count = 0;

	if (!seat)
		return false;
	for (uint32_t node = 0; node < map->nodes; node++) {
		uint32_t within = nodes_before(sw, node);

		for (uint32_t i = 0; i < map_members(map, node); i++)
			seat[count++] = (struct seating){
				.member = i, .within = within, .sw = sw ? sw[node] : 0,
				.node = node, .rank = map->member[map->begin[node] + i],
			};
	}
	qsort(seat, count, sizeof(*seat), turns_compare);
	for (uint32_t i = 0; i < count; i++)
		id[seat[i].rank] = i;
	free(seat);
	return true;
}

bool turns_order(const uint32_t *id, uint32_t ranks, uint32_t self, uint32_t *peer)
{
	uint32_t *rank_of = calloc(ranks, sizeof(*rank_of)), own = id[self];
	bool is_power = !(ranks & (ranks - 1));

	if (!rank_of)
		return false;
	for (uint32_t i = 0; i < ranks; i++)
		rank_of[id[i]] = i;
	for (uint32_t step = 1; step < ranks; step++)
		peer[step - 1] = rank_of[is_power ? own ^ step : (own + step) % ranks];
	free(rank_of);
	return true;
}

double turns_load(const struct map *map)
{
	uint64_t most = 0;

	for (uint32_t node = 0; node < map->nodes; node++) {
		uint64_t own = map_members(map, node), load = own * (map->ranks - own);

		most = load > most ? load : most;
	}
	return (double)most / (double)(map->ranks - 1);
}

uint64_t turns_window(uint64_t buffer_bytes, uint64_t packet_bytes, double load)
{
	double window = (double)(buffer_bytes / packet_bytes) / (load < 1 ? 1 : load);

	return window < 1 ? 1 : (uint64_t)window;
}
