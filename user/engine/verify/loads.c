// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loads without classes
 *
 * Where hosts are left out, links that shifts map to each other carry different numbers of
 * transfers. The routes to one host join on their way and never part, so what all hosts send to it
 * is added up switch by switch, those first that no other switch sends to.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/loads.h"

struct flow {
	const struct liquid_fabric *fabric;
	uint32_t hosts, switches;
	uint32_t *senders;		/* by switch: of those that take part */
	uint32_t *next;			/* by switch: its link to the host, or LIQUID_NONE */
	uint32_t *before;		/* by switch: others that send to it, not yet added */
	uint64_t *sum;			/* by switch: transfers that come through it */
	uint32_t *ready;		/* switches to which nothing is to be added */
};

/* The switch at the end of @link, or LIQUID_NONE */
static uint32_t switch_after(const struct flow *flow, uint32_t link)
{
	uint32_t to = link == LIQUID_NONE ? 0 : liquid_fabric_link(flow->fabric, link)->to;

	return to < flow->hosts ? LIQUID_NONE : to - flow->hosts;
}

/* All that is sent to @dst. Switches on a circle never get ready, and no sender's route has one. */
static void add_to(struct flow *flow, uint32_t dst, uint64_t *load)
{
	uint32_t count = 0;

	memset(flow->before, 0, flow->switches * sizeof(*flow->before));
	for (uint32_t s = 0; s < flow->switches; s++) {
		uint32_t after;

		flow->next[s] = liquid_fabric_forward(flow->fabric, s, dst);
		flow->sum[s] = flow->senders[s];
		after = switch_after(flow, flow->next[s]);
		if (after != LIQUID_NONE)
			flow->before[after]++;
	}
	for (uint32_t s = 0; s < flow->switches; s++)
		if (!flow->before[s])
			flow->ready[count++] = s;
	while (count) {
		uint32_t s = flow->ready[--count], after = switch_after(flow, flow->next[s]);

		if (flow->next[s] != LIQUID_NONE)
			load[flow->next[s]] += flow->sum[s];
		if (after == LIQUID_NONE)
			continue;
		flow->sum[after] += flow->sum[s];
		if (!--flow->before[after])
			flow->ready[count++] = after;
	}
}

static void add_all(struct flow *flow, const struct liquid_shape *shape, const uint32_t *host,
		    uint64_t *load)
{
	uint32_t first;

	for (uint32_t p = 0; p < shape->places; p++)
		if (!shape->out || !shape->out[p]) {
			first = liquid_fabric_host_out(flow->fabric, host[p]);
			flow->senders[switch_after(flow, first)]++;
		}
	for (uint32_t p = 0; p < shape->places; p++) {
		if (shape->out && shape->out[p])
			continue;
		first = switch_after(flow, liquid_fabric_host_out(flow->fabric, host[p]));
		flow->senders[first]--;		/* nobody sends to itself */
		add_to(flow, host[p], load);
		flow->senders[first]++;
	}
}

int loads_add(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
	      const uint32_t *host, uint64_t *load, struct liquid_error *err)
{
	uint32_t switches = liquid_fabric_switch_count(fabric);
	size_t count = (size_t)switches + 1;
	struct flow flow = {
		.fabric = fabric, .hosts = liquid_fabric_host_count(fabric), .switches = switches,
		.senders = calloc(count, sizeof(*flow.senders)),
		.next = calloc(count, sizeof(*flow.next)),
		.before = calloc(count, sizeof(*flow.before)),
		.sum = calloc(count, sizeof(*flow.sum)),
		.ready = calloc(count, sizeof(*flow.ready)),
	};
	bool made = flow.senders && flow.next && flow.before && flow.sum && flow.ready;

	if (made)
		add_all(&flow, shape, host, load);
	free(flow.senders);
	free(flow.next);
	free(flow.before);
	free(flow.sum);
	free(flow.ready);
	return made ? LIQUID_OK : liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the proof");
}
