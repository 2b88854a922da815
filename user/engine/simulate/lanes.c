// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The virtual lanes of packets: by their switch, or in layers without cycles
 *
 * A packet that waits in the buffer behind one link for the next one makes the first depend on the
 * second. Where the dependencies of a lane have no cycle there is no deadlock in it (Dally and
 * Seitz, 1987). Layers give each destination the first lane that has none with it, as the
 * routing engines of InfiniBand do for tori (Skeie et al., LASH, 2002).
 */
#include <stdlib.h>
#include <string.h>

#include "simulate/packet.h"

/* The number of a host's switch modulo the number of virtual lanes */
static uint32_t by_switch(const struct sim *sim, uint32_t host)
{
	bool by_source = sim->options.lane_by == LIQUID_SIM_BY_SOURCE;
	uint32_t link = by_source ? liquid_fabric_host_out(sim->fabric, host) :
		liquid_fabric_host_in(sim->fabric, host);
	const struct liquid_link *ends;

	if (link == LIQUID_NONE)
		return 0;
	ends = liquid_fabric_link(sim->fabric, link);
	return ((by_source ? ends->to : ends->from) - liquid_fabric_host_count(sim->fabric)) %
		sim->options.lanes;
}

/* ---- layers ---- */

enum depends { NO, YES, NEW };

struct layers {
	const struct liquid_fabric *fabric;
	uint32_t hosts, links;
	uint32_t *first_out, *out;	/* by switch, links out of it */
	uint32_t *number;		/* by link, its place among those */
	size_t *first;			/* by link, its dependencies, on each link out of its end */
	uint8_t *depends;		/* by lane and dependency: enum depends */
	uint32_t *next;			/* by link, on the way to a destination; or LIQUID_NONE */
	uint8_t *state;			/* by link, of the search for cycles */
	uint32_t *stack;		/* links */
	uint32_t *place;		/* by link on the stack, the next dependency to look at */
};

static uint32_t end_of(const struct layers *layers, uint32_t link)
{
	return liquid_fabric_link(layers->fabric, link)->to - layers->hosts;
}

static uint32_t degree(const struct layers *layers, uint32_t link)
{
	uint32_t sw = end_of(layers, link);

	return layers->first_out[sw + 1] - layers->first_out[sw];
}

static bool ends_at_switch(const struct layers *layers, uint32_t link)
{
	return liquid_fabric_link(layers->fabric, link)->to >= layers->hosts;
}

static void list_links(struct layers *layers)
{
	uint32_t switches = liquid_fabric_switch_count(layers->fabric);

	for (uint32_t l = 0; l < layers->links; l++) {
		uint32_t from = liquid_fabric_link(layers->fabric, l)->from;

		if (from >= layers->hosts)
			layers->number[l] = layers->first_out[from - layers->hosts + 1]++;
	}
	for (uint32_t sw = 0; sw < switches; sw++)
		layers->first_out[sw + 1] += layers->first_out[sw];
	for (uint32_t l = 0; l < layers->links; l++) {
		uint32_t from = liquid_fabric_link(layers->fabric, l)->from;

		if (from >= layers->hosts)
			layers->out[layers->first_out[from - layers->hosts] +
				    layers->number[l]] = l;
		layers->first[l + 1] = layers->first[l] +
			(ends_at_switch(layers, l) ? degree(layers, l) : 0);
	}
}

static void layers_clear(struct layers *layers)
{
	free(layers->first_out);
	free(layers->out);
	free(layers->number);
	free(layers->first);
	free(layers->depends);
	free(layers->next);
	free(layers->state);
	free(layers->stack);
	free(layers->place);
}

static bool layers_new(const struct sim *sim, struct layers *layers)
{
	size_t links = (size_t)liquid_fabric_link_count(sim->fabric) + 1;
	uint32_t switches = liquid_fabric_switch_count(sim->fabric);

	*layers = (struct layers){
		.fabric = sim->fabric, .hosts = liquid_fabric_host_count(sim->fabric),
		.links = liquid_fabric_link_count(sim->fabric),
		.first_out = calloc((size_t)switches + 1, sizeof(uint32_t)),
		.out = calloc(links, sizeof(uint32_t)), .number = calloc(links, sizeof(uint32_t)),
		.first = calloc(links, sizeof(size_t)), .next = calloc(links, sizeof(uint32_t)),
		.state = calloc(links, 1), .stack = calloc(links, sizeof(uint32_t)),
		.place = calloc(links, sizeof(uint32_t)),
	};
	if (!layers->first_out || !layers->out || !layers->number || !layers->first ||
	    !layers->next || !layers->state || !layers->stack || !layers->place)
		return false;
	list_links(layers);
	layers->depends = calloc(layers->first[layers->links] * sim->options.lanes + 1,
				 sizeof(*layers->depends));
	return layers->depends;
}

/* Fill in @next for the routes of all hosts to @dst. */
static void follow(struct layers *layers, uint32_t dst)
{
	uint32_t owner = liquid_fabric_owner(layers->fabric, dst);

	memset(layers->next, 0xff, layers->links * sizeof(*layers->next));
	for (uint32_t host = 0; host < layers->hosts; host++) {
		uint32_t link = liquid_fabric_host_out(layers->fabric, host);

		while (host != owner && link != LIQUID_NONE && ends_at_switch(layers, link) &&
		       layers->next[link] == LIQUID_NONE) {
			layers->next[link] = liquid_fabric_forward(layers->fabric,
								   end_of(layers, link), dst);
			link = layers->next[link];
		}
	}
}

static uint8_t *dependency(const struct layers *layers, uint8_t *depends, uint32_t link)
{
	return &depends[layers->first[link] + layers->number[layers->next[link]]];
}

/* Is @from on a cycle, or is there one behind it? States: 0 new, 1 on the stack, 2 done. */
static bool finds_cycle(struct layers *layers, const uint8_t *depends, uint32_t from)
{
	uint32_t depth = 0;

	if (layers->state[from])
		return false;
	layers->stack[0] = from;
	layers->place[from] = 0;
	layers->state[from] = 1;
	for (;;) {
		uint32_t link = layers->stack[depth], i = layers->place[link]++, next;

		if (!ends_at_switch(layers, link) || i == degree(layers, link)) {
			layers->state[link] = 2;
			if (!depth--)
				return false;
			continue;
		}
		next = layers->out[layers->first_out[end_of(layers, link)] + i];
		if (!depends[layers->first[link] + i] || layers->state[next] == 2)
			continue;
		if (layers->state[next] == 1)
			return true;
		layers->state[next] = 1;
		layers->place[next] = 0;
		layers->stack[++depth] = next;
	}
}

/* Set those dependencies of @next that are @from to @to; returns how many there were. */
static uint32_t change(struct layers *layers, uint8_t *depends, uint8_t from, uint8_t to)
{
	uint32_t changed = 0;

	for (uint32_t l = 0; l < layers->links; l++) {
		if (layers->next[l] == LIQUID_NONE || *dependency(layers, depends, l) != from)
			continue;
		*dependency(layers, depends, l) = to;
		changed++;
	}
	return changed;
}

/* Add the dependencies of @next to a lane. False: that made a cycle, the lane is as before. */
static bool add(struct layers *layers, uint8_t *depends)
{
	bool cycle = false;

	if (!change(layers, depends, NO, NEW))
		return true;
	memset(layers->state, 0, layers->links);
	for (uint32_t l = 0; l < layers->links && !cycle; l++)
		cycle = layers->next[l] != LIQUID_NONE && *dependency(layers, depends, l) == NEW &&
			finds_cycle(layers, depends, l);
	change(layers, depends, NEW, cycle ? NO : YES);
	return !cycle;
}

static int by_layers(struct layers *layers, struct sim_packets *packets, struct liquid_error *err)
{
	size_t each = layers->first[layers->links];

	for (uint32_t dst = 0; dst < layers->hosts; dst++) {
		uint32_t vl = 0;

		follow(layers, dst);
		while (vl < packets->vls && !add(layers, layers->depends + vl * each))
			vl++;
		if (vl == packets->vls)
			return liquid_fail(err, LIQUID_BAD_INPUT, "the routes need more than %u "
					   "virtual lanes to have no cycle", packets->vls);
		packets->vl_of[dst] = vl;
	}
	return LIQUID_OK;
}

int packet_find_vls(const struct sim *sim, struct liquid_error *err)
{
	struct layers layers;
	int status;

	if (sim->options.lane_by != LIQUID_SIM_BY_LAYERS) {
		for (uint32_t host = 0; host < liquid_fabric_host_count(sim->fabric); host++)
			sim->packets->vl_of[host] = by_switch(sim, host);
		return LIQUID_OK;
	}
	status = layers_new(sim, &layers) ? by_layers(&layers, sim->packets, err) :
		liquid_no_memory(err);
	layers_clear(&layers);
	return status;
}

/* All routes in their lanes; lanes by source count as one, which can only find more cycles. */
static bool has_cycle(const struct sim *sim, struct layers *layers)
{
	size_t each = layers->first[layers->links];

	for (uint32_t dst = 0; dst < layers->hosts; dst++) {
		uint32_t vl = sim->options.lane_by == LIQUID_SIM_BY_SOURCE ? 0 :
			by_switch(sim, dst);

		follow(layers, dst);
		if (!add(layers, layers->depends + vl * each))
			return true;
	}
	return false;
}

int sim_can_deadlock(const struct sim *sim, bool *can, struct liquid_error *err)
{
	struct layers layers;
	bool is_new;

	*can = false;
	if (sim->options.lane_by == LIQUID_SIM_BY_LAYERS &&
	    sim->options.switching != LIQUID_SIM_WORMHOLE)
		return LIQUID_OK;
	is_new = layers_new(sim, &layers);
	if (is_new)
		*can = has_cycle(sim, &layers);
	layers_clear(&layers);
	return is_new ? LIQUID_OK : liquid_no_memory(err);
}
