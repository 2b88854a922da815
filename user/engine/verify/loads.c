// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What links carry in all
 *
 * The routes to one host join on their way and never part, so what all hosts send to it
 * is added up switch by switch, those first that no other switch sends to.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/loads.h"

struct trees {
	const struct liquid_fabric *fabric;
	uint32_t hosts, switches;
	uint32_t *senders;		/* by switch: of those that take part */
	uint32_t *next;			/* by switch: its link to the host, or LIQUID_NONE */
	uint32_t *before;		/* by switch: others that send to it, not yet added */
	uint64_t *sum;			/* by switch: transfers that come through it */
	uint32_t *ready;		/* switches to which nothing is to be added */
};

/* The switch at the end of @link, or LIQUID_NONE */
static uint32_t switch_after(const struct trees *trees, uint32_t link)
{
	uint32_t to = link == LIQUID_NONE ? 0 : liquid_fabric_link(trees->fabric, link)->to;

	return to < trees->hosts ? LIQUID_NONE : to - trees->hosts;
}

static uint32_t first_switch(const struct trees *trees, uint32_t host)
{
	return switch_after(trees, liquid_fabric_host_out(trees->fabric, host));
}

/* All that is sent to @dst. Switches on a circle never get ready, and no sender's route has one. */
static void add_to(struct trees *trees, uint32_t dst, uint64_t *load)
{
	uint32_t count = 0;

	memset(trees->before, 0, trees->switches * sizeof(*trees->before));
	for (uint32_t s = 0; s < trees->switches; s++) {
		uint32_t after;

		trees->next[s] = liquid_fabric_forward(trees->fabric, s, dst);
		trees->sum[s] = trees->senders[s];
		after = switch_after(trees, trees->next[s]);
		if (after != LIQUID_NONE)
			trees->before[after]++;
	}
	for (uint32_t s = 0; s < trees->switches; s++)
		if (!trees->before[s])
			trees->ready[count++] = s;
	while (count) {
		uint32_t s = trees->ready[--count], after = switch_after(trees, trees->next[s]);

		if (trees->next[s] != LIQUID_NONE)
			load[trees->next[s]] += trees->sum[s];
		if (after == LIQUID_NONE)
			continue;
		trees->sum[after] += trees->sum[s];
		if (!--trees->before[after])
			trees->ready[count++] = after;
	}
}

static void add_all(struct trees *trees, const struct liquid_shape *shape, const uint32_t *host,
		    const uint32_t *receiver, uint64_t *load)
{
	uint32_t count = receiver ? shape->classes : shape->places;

	for (uint32_t p = 0; p < shape->places; p++)
		if (!shape->out || !shape->out[p])
			trees->senders[first_switch(trees, host[p])]++;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = receiver ? receiver[i] : i;

		if (shape->out && shape->out[p])
			continue;
		trees->senders[first_switch(trees, host[p])]--;	/* no one sends to itself */
		add_to(trees, host[p], load);
		trees->senders[first_switch(trees, host[p])]++;
	}
}

int loads_add(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
	      const uint32_t *host, const uint32_t *receiver, uint64_t *load,
	      struct liquid_error *err)
{
	uint32_t switches = liquid_fabric_switch_count(fabric);
	size_t count = (size_t)switches + 1;
	struct trees trees = {
		.fabric = fabric, .hosts = liquid_fabric_host_count(fabric), .switches = switches,
		.senders = calloc(count, sizeof(*trees.senders)),
		.next = calloc(count, sizeof(*trees.next)),
		.before = calloc(count, sizeof(*trees.before)),
		.sum = calloc(count, sizeof(*trees.sum)),
		.ready = calloc(count, sizeof(*trees.ready)),
	};
	bool made = trees.senders && trees.next && trees.before && trees.sum && trees.ready;

	if (made)
		add_all(&trees, shape, host, receiver, load);
	free(trees.senders);
	free(trees.next);
	free(trees.before);
	free(trees.sum);
	free(trees.ready);
	return made ? LIQUID_OK : liquid_no_memory(err);
}
