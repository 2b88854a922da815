// SPDX-License-Identifier: LGPL-2.1-or-later
/* The window shuffle: ids, the order of turns, and the window, on hosts and switches of any size */
#include <stdlib.h>
#include <string.h>

#include "plan/turns.h"
#include "tap.h"

#define RANKS_MAX 40

/* @members ranks on each of @nodes */
static bool make_map(struct map *map, uint32_t nodes, uint32_t members)
{
	host_name names[RANKS_MAX];

	for (uint32_t i = 0; i < nodes * members; i++)
		snprintf(names[i], sizeof(names[i]), "h%u", i / members);
	return map_make(map, names, nodes * members);
}

/* Eq. 6.3 of the text: @nodes ranks, @within of each switch */
static bool follows_text(uint32_t nodes, uint32_t within)
{
	uint32_t sw[RANKS_MAX], id[RANKS_MAX], switches = nodes / within;
	struct map map;
	bool good = make_map(&map, nodes, 1);

	for (uint32_t i = 0; i < nodes; i++)
		sw[i] = 100 + i / within;
	good = good && turns_ids(&map, sw, id);
	for (uint32_t i = 0; good && i < nodes; i++)
		good = id[i] == i / within + i % within * switches;
	map_clear(&map);
	return good;
}

/* Consecutive ids are on different nodes, and each id is there once. */
static bool are_dispersed(uint32_t nodes, uint32_t members)
{
	uint32_t id[RANKS_MAX], rank_of[RANKS_MAX];
	struct map map;
	bool good = make_map(&map, nodes, members) && turns_ids(&map, NULL, id);

	memset(rank_of, 0xff, sizeof(rank_of));
	for (uint32_t i = 0; good && i < map.ranks; i++)
		rank_of[id[i]] = i;
	for (uint32_t i = 0; good && i < map.ranks; i++)
		good = rank_of[i] < map.ranks &&
		       (!i || map.node[rank_of[i]] != map.node[rank_of[i - 1]]);
	map_clear(&map);
	return good;
}

/* In each step every rank sends to one other and takes from one other, and each pair has a turn. */
static bool are_permutations(uint32_t ranks)
{
	uint32_t id[RANKS_MAX], peer[RANKS_MAX][RANKS_MAX];
	bool met[RANKS_MAX][RANKS_MAX] = { 0 }, good = true;

	for (uint32_t i = 0; i < ranks; i++)
		id[i] = (i * 7 + 3) % ranks;
	for (uint32_t i = 0; i < ranks && good; i++)
		good = turns_order(id, ranks, i, peer[i]);
	for (uint32_t step = 0; step + 1 < ranks && good; step++) {
		bool taken[RANKS_MAX] = { 0 };

		for (uint32_t i = 0; i < ranks && good; i++) {
			uint32_t to = peer[i][step];

			good = to < ranks && to != i && !taken[to] && !met[i][to];
			if (good)
				taken[to] = met[i][to] = true;
		}
	}
	return good;
}

static void check_windows(void)
{
	struct map map;

	ok(turns_window(30, 1, 3.2) == 9, "the text's window: 30 packets and 3.2 a step are 9");
	ok(turns_window(10, 1, 20) == 1, "it is never less than a packet");
	ok(turns_window(1 << 20, 64 << 10, 1) == 16, "1 MiB of packets of 64 KiB are 16");
	ok(turns_window(100, 8, 0.5) == 12, "less than a packet a step counts as one");
	ok(make_map(&map, 4, 4) && turns_load(&map) == 3.2,
	   "4 hosts of 4 ranks: 3.2 packets a step for each host's link");
	map_clear(&map);
	ok(make_map(&map, 16, 1) && turns_load(&map) == 1, "16 hosts of a rank each: one");
	map_clear(&map);
}

int main(void)
{
	bool good = true;

	ok(follows_text(16, 4) && follows_text(8, 2) && follows_text(24, 3) && follows_text(5, 1),
	   "ids are those of the text's equation 6.3");
	ok(are_dispersed(4, 4) && are_dispersed(5, 3) && are_dispersed(2, 20),
	   "without a fabric consecutive ids are on different hosts");
	for (uint32_t ranks = 2; ranks <= RANKS_MAX; ranks++)
		if (ranks % 7)		/* else the ids are none */
			good = good && are_permutations(ranks);
	ok(good, "each step is a permutation without fixed points, and no pair meets twice");
	check_windows();
	return tap_exit();
}
