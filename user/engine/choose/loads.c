// SPDX-License-Identifier: LGPL-2.1-or-later
/* Loads of inner links, as nodes come and go. */
#include <string.h>

#include "choose/choose.h"

struct ratio choosing_ends(const struct choosing *choosing, uint32_t place, uint32_t v)
{
	const struct choose_node *node = &choosing->node[v];

	return ratio_max((struct ratio){ choosing->sent[place], node->out },
			 (struct ratio){ choosing->received[place], node->in });
}

/* What @units more on a link of @load add to what breaks ties. */
static uint64_t growth(const struct choosing *choosing, uint64_t load, uint64_t units,
		       uint32_t capacity)
{
	uint64_t squares = units * (2 * load + units);

	if (choosing->guide == GUIDE_SUM)
		return units;
	return capacity == 1 ? 16 * squares : 16 * squares / capacity;
}

static void add_step(struct choosing *choosing, uint32_t link, uint32_t units, struct score *score)
{
	uint32_t capacity = choosing->fabric->link[link].capacity;
	uint64_t load = choosing->load[link];

	score->spread += growth(choosing, load, units, capacity);
	score->most = ratio_max(score->most, (struct ratio){ load + units, capacity });
	choosing->load[link] += units;
	choosing->step[choosing->steps++] = (struct choose_step){ link, units };
}

bool choosing_add(struct choosing *choosing, uint32_t a, uint32_t b, uint32_t units,
		  struct score *score, const struct score *limit)
{
	const struct liquid_fabric *fabric = choosing->fabric;
	uint32_t dst = choosing->node[b].dst;
	uint32_t to = fabric->link[fabric->host[choosing->node[a].src].out].to, link;

	while (to != dst) {
		choosing->work++;
		link = liquid_fabric_forward(fabric, to - fabric->hosts, dst);
		if (link == LIQUID_NONE)
			return false;
		to = fabric->link[link].to;
		if (to != dst)
			add_step(choosing, link, units, score);
	}
	return !limit || score_compare(score, limit) <= 0;
}

void choosing_undo(struct choosing *choosing)
{
	while (choosing->steps) {
		const struct choose_step *step = &choosing->step[--choosing->steps];

		choosing->load[step->link] -= step->units;
	}
}

bool choosing_try(struct choosing *choosing, uint32_t place, uint32_t v, struct score *score,
		  const struct score *limit)
{
	choosing->trials++;
	score->most = ratio_max(score->most, choosing_ends(choosing, place, v));
	if (choosing->own && !choosing_add(choosing, v, v, 1, score, limit))
		return false;
	for (uint32_t other = 0; other < choosing->count; other++) {
		uint32_t u = choosing->place[other];
		uint64_t to, from;

		if (u == LIQUID_NONE || other == place)
			continue;
		to = choosing_weight(choosing, place, other);
		from = choosing_weight(choosing, other, place);
		if (to && !choosing_add(choosing, v, u, to, score, limit))
			return false;
		if (from && !choosing_add(choosing, u, v, from, score, limit))
			return false;
	}
	return true;
}

struct ratio choosing_most(const struct choosing *choosing)
{
	const struct liquid_fabric *fabric = choosing->fabric;
	struct ratio most = { 0, 1 };

	for (uint32_t link = 0; link < fabric->links; link++)
		most = ratio_max(most, (struct ratio){ choosing->load[link],
						       fabric->link[link].capacity });
	for (uint32_t place = 0; place < choosing->count; place++)
		if (choosing->place[place] != LIQUID_NONE)
			most = ratio_max(most, choosing_ends(choosing, place,
							     choosing->place[place]));
	return most;
}

void choosing_put(struct choosing *choosing, uint32_t place, uint32_t v)
{
	struct score score = { { 0, 1 }, 0 };

	choosing_try(choosing, place, v, &score, NULL);
	choosing->steps = 0;
	choosing->place[place] = v;
	choosing->used[v] = true;
}

/* The same steps once more, subtracted twice. */
void choosing_take(struct choosing *choosing, uint32_t place)
{
	struct score score = { { 0, 1 }, 0 };
	uint32_t v = choosing->place[place];

	choosing->place[place] = LIQUID_NONE;
	choosing->used[v] = false;
	choosing_try(choosing, place, v, &score, NULL);
	for (size_t i = 0; i < choosing->steps; i++)
		choosing->load[choosing->step[i].link] -= choosing->step[i].units;
	choosing_undo(choosing);
}

static uint64_t sum_of_loads(const struct choosing *choosing)
{
	uint64_t sum = 0;

	for (uint32_t link = 0; link < choosing->fabric->links; link++)
		sum += choosing->load[link];
	return sum;
}

struct score choosing_load(struct choosing *choosing, const uint32_t *nodes)
{
	struct score score = { { 0, 1 }, 0 };
	bool routed = true;

	memset(choosing->load, 0, choosing->fabric->links * sizeof(*choosing->load));
	memset(choosing->used, 0, choosing->nodes * sizeof(*choosing->used));
	memset(choosing->place, 0xff, choosing->count * sizeof(*choosing->place));
	for (uint32_t place = 0; nodes && place < choosing->count; place++) {
		routed &= choosing_try(choosing, place, nodes[place], &score, NULL);
		choosing->steps = 0;
		choosing->place[place] = nodes[place];
		choosing->used[nodes[place]] = true;
	}
	score.spread = sum_of_loads(choosing);
	if (!routed)
		score.most = RATIO_NONE;
	return score;
}
