// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A lambda below which no choice is
 *
 * N nodes that all send to each other need their own links; and of a switch that has m of them,
 * m (N - m) transfers leave by its links to other switches, and as many come in. So a lambda allows
 * a switch only some m, and the largest of these must make N in all.
 */
#include <stdlib.h>

#include "choose/choose.h"

struct bounding {
	const struct choosing *choosing;
	uint32_t *nodes;		/* by switch: its candidates */
	uint64_t *room;			/* by switch: the less of its inner capacities out and in */
	uint64_t *into;			/* by switch */
	struct ratio *value;		/* all that the least lambda may be, sorted */
	size_t values;
};

static int compare_ratios(const void *a, const void *b)
{
	return ratio_compare(*(const struct ratio *)a, *(const struct ratio *)b);
}

static uint64_t crossing(const struct bounding *bounding, uint32_t nodes)
{
	return (uint64_t)nodes * (bounding->choosing->count - nodes);
}

static void fill_switches(struct bounding *bounding)
{
	const struct choosing *choosing = bounding->choosing;
	const struct liquid_fabric *fabric = choosing->fabric;

	for (uint32_t l = 0; l < fabric->links; l++) {
		const struct liquid_link *link = &fabric->link[l];

		if (link->from < fabric->hosts || link->to < fabric->hosts)
			continue;
		bounding->room[link->from - fabric->hosts] += link->capacity;
		bounding->into[link->to - fabric->hosts] += link->capacity;
	}
	for (uint32_t sw = 0; sw < fabric->switches; sw++)
		if (bounding->into[sw] < bounding->room[sw])
			bounding->room[sw] = bounding->into[sw];
	for (uint32_t v = 0; v < choosing->nodes; v++)
		bounding->nodes[choosing->node[v].from]++;
}

/* What one switch may have of nodes, at most; @most of them are there. */
static uint32_t allowed(const struct bounding *bounding, uint32_t sw, struct ratio lambda)
{
	uint32_t nodes = bounding->nodes[sw], count = bounding->choosing->count;

	if (nodes > count)
		nodes = count;
	while (nodes && crossing(bounding, nodes) * lambda.capacity >
	       lambda.load * bounding->room[sw])
		nodes--;
	return nodes;
}

static bool is_allowed(const struct bounding *bounding, struct ratio lambda)
{
	uint64_t nodes = 0;

	for (uint32_t sw = 0; sw < bounding->choosing->fabric->switches; sw++)
		nodes += allowed(bounding, sw, lambda);
	return nodes >= bounding->choosing->count;
}

static void fill_values(struct bounding *bounding)
{
	const struct choosing *choosing = bounding->choosing;

	for (uint32_t sw = 0; sw < choosing->fabric->switches; sw++)
		for (uint32_t m = 1; m <= bounding->nodes[sw] && m < choosing->count; m++)
			if (bounding->room[sw])
				bounding->value[bounding->values++] =
					(struct ratio){ crossing(bounding, m), bounding->room[sw] };
	qsort(bounding->value, bounding->values, sizeof(*bounding->value), compare_ratios);
}

/* The least of the values that is allowed, or @bound where that is more. */
static void search(const struct bounding *bounding, struct ratio *bound)
{
	size_t low = 0, high = bounding->values;

	if (is_allowed(bounding, *bound))
		return;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (is_allowed(bounding, bounding->value[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	if (low < bounding->values)
		*bound = ratio_max(*bound, bounding->value[low]);
}

/*
 * Of any N nodes one is no faster than the N-th fastest. In a traffic the busiest place counts.
 */
static bool bound_ends(const struct choosing *choosing, struct ratio *bound)
{
	struct ratio *ends = calloc((size_t)choosing->nodes + 1, sizeof(*ends));
	uint32_t busiest = 0;

	if (!ends)
		return false;
	for (uint32_t place = 1; place < choosing->count; place++)
		if (choosing->sent[place] + choosing->received[place] >
		    choosing->sent[busiest] + choosing->received[busiest])
			busiest = place;
	for (uint32_t v = 0; v < choosing->nodes; v++)
		ends[v] = choosing_ends(choosing, busiest, v);
	qsort(ends, choosing->nodes, sizeof(*ends), compare_ratios);
	*bound = ends[choosing->weight ? 0 : choosing->count - 1];
	free(ends);
	return true;
}

static bool bound_switches(const struct choosing *choosing, struct ratio *bound)
{
	size_t switches = (size_t)choosing->fabric->switches + 1;
	struct bounding bounding = {
		.choosing = choosing,
		.nodes = calloc(switches, sizeof(uint32_t)),
		.room = calloc(switches, sizeof(uint64_t)),
		.into = calloc(switches, sizeof(uint64_t)),
		.value = calloc((size_t)choosing->nodes + 1, sizeof(struct ratio)),
	};
	bool memory = bounding.nodes && bounding.room && bounding.into && bounding.value;

	if (memory) {
		fill_switches(&bounding);
		fill_values(&bounding);
		search(&bounding, bound);
	}
	free(bounding.nodes);
	free(bounding.room);
	free(bounding.into);
	free(bounding.value);
	return memory;
}

/* Where a node sends by one switch and receives by another, less may leave than is counted. */
static bool is_countable(const struct choosing *choosing)
{
	for (uint32_t v = 0; v < choosing->nodes; v++)
		if (choosing->node[v].from != choosing->node[v].to ||
		    choosing->node[v].from == LIQUID_NONE)
			return false;
	return !choosing->weight;
}

bool choosing_bound(const struct choosing *choosing, struct ratio *bound)
{
	if (!bound_ends(choosing, bound))
		return false;
	return !is_countable(choosing) || bound_switches(choosing, bound);
}
