// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find a compact schedule of an all-to-all
 *
 * Tables know the destination only, so hosts of one switch are twins as senders: a transfer from
 * one of them takes the same links as that from another, but for their own. A block of twins
 * becomes one sender that may send to as many receivers at once, and the exchange of blocks with
 * hosts is scheduled on that quotient. Each of its frames, a pattern, then stands for as many
 * frames as a block has slots: from turn to turn the twins pass their receivers on in a circle.
 */
#include <stdlib.h>
#include <string.h>

#include "compact/compact.h"

struct twins {
	const struct liquid_fabric *fabric;
	const uint32_t *host;		/* those that exchange */
	uint32_t count, turns, blocks;
	uint32_t *sender;		/* by slot */
	uint32_t *receiver;		/* by host of the fabric: its number in the quotient */
	struct liquid_fabric *quotient;
};

/* The switch that @host sends to; LIQUID_NONE and @err if it has no twins by construction. */
static uint32_t switch_of(const struct liquid_fabric *fabric, uint32_t host,
			  struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t out = liquid_fabric_host_out(fabric, host), to;
	const char *name = liquid_fabric_node_name(fabric, host);

	if (out == LIQUID_NONE || liquid_fabric_host_in(fabric, host) == LIQUID_NONE) {
		liquid_fail(err, LIQUID_BAD_INPUT, "%.200s does not both send and receive", name);
		return LIQUID_NONE;
	}
	to = liquid_fabric_link(fabric, out)->to;
	if (to < hosts)
		liquid_fail(err, LIQUID_BAD_INPUT, "%.200s has no switch", name);
	else if (liquid_fabric_capacity(fabric, out) != 1)
		liquid_fail(err, LIQUID_BAD_INPUT,
			    "%.200s sends more than one transfer a frame: not for a compact schedule",
			    name);
	return to < hosts || liquid_fabric_capacity(fabric, out) != 1 ? LIQUID_NONE : to - hosts;
}

/* Cut the hosts of each switch into blocks of at most turns; 0 turns: as many as a switch has. */
static int cut_blocks(struct twins *twins, struct liquid_error *err)
{
	uint32_t switches = liquid_fabric_switch_count(twins->fabric), most = 0;
	uint32_t *used = calloc((size_t)switches + 1, sizeof(*used));
	uint32_t *block = calloc((size_t)switches + 1, sizeof(*block));
	int status = used && block ? LIQUID_OK : LIQUID_NO_MEMORY;

	if (status)
		liquid_fail(err, status, "no memory for blocks of hosts");
	for (uint32_t i = 0; !status && i < twins->count; i++) {
		uint32_t sw = switch_of(twins->fabric, twins->host[i], err);

		if (sw == LIQUID_NONE)
			status = LIQUID_BAD_INPUT;
		else if (++used[sw] > most)
			most = used[sw];
	}
	if (!twins->turns || twins->turns > most)
		twins->turns = most;
	for (uint32_t s = 0; !status && s < switches; s++) {
		block[s] = twins->blocks;
		twins->blocks += (used[s] + twins->turns - 1) / twins->turns;
		used[s] = 0;
	}
	if (!status) {
		size_t slots = (size_t)twins->blocks * twins->turns;

		twins->sender = malloc(slots * sizeof(*twins->sender));
		if (twins->sender)
			memset(twins->sender, 0xff, slots * sizeof(*twins->sender));
		else
			status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for blocks of hosts");
	}
	for (uint32_t i = 0; !status && i < twins->count; i++) {
		uint32_t sw = switch_of(twins->fabric, twins->host[i], err);

		twins->sender[(size_t)block[sw] * twins->turns + used[sw]++] = twins->host[i];
	}
	free(used);
	free(block);
	return status;
}

/* ---- the quotient: hosts that receive, then blocks that send ---- */

static int add_nodes(struct twins *twins, struct liquid_error *err)
{
	uint32_t switches = liquid_fabric_switch_count(twins->fabric);
	char name[32];
	int status = liquid_fabric_new("quotient", &twins->quotient, err);

	for (uint32_t i = 0; !status && i < twins->count + twins->blocks; i++) {
		snprintf(name, sizeof(name), "h%u", i);
		status = liquid_fabric_add_host(twins->quotient, name, err);
	}
	for (uint32_t s = 0; !status && s < switches; s++) {
		snprintf(name, sizeof(name), "s%u", s);
		status = liquid_fabric_add_switch(twins->quotient, name, err);
	}
	return status;
}

/* @map: by link of the fabric, its number in the quotient or LIQUID_NONE */
static int add_links(struct twins *twins, uint32_t *map, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(twins->fabric), next = 0;
	uint32_t links = liquid_fabric_link_count(twins->fabric);
	uint32_t to_switch = twins->count + twins->blocks - hosts;	/* modulo 2^32 */
	int status = LIQUID_OK;

	for (uint32_t l = 0; !status && l < links; l++) {
		struct liquid_link link = *liquid_fabric_link(twins->fabric, l);

		map[l] = LIQUID_NONE;
		if (link.from < hosts || (link.to < hosts &&
					  twins->receiver[link.to] == LIQUID_NONE))
			continue;
		link.from += to_switch;
		link.to = link.to < hosts ? twins->receiver[link.to] : link.to + to_switch;
		link.from_port = link.to_port = 0;
		link.capacity = liquid_fabric_capacity(twins->fabric, l);
		map[l] = next++;
		status = liquid_fabric_add_link(twins->quotient, &link, err);
	}
	for (uint32_t b = 0; !status && b < twins->blocks; b++) {
		uint32_t first = twins->sender[(size_t)b * twins->turns];
		uint32_t out = liquid_fabric_host_out(twins->fabric, first);
		struct liquid_link link = {
			.from = twins->count + b, .capacity = twins->turns,
			.to = liquid_fabric_link(twins->fabric, out)->to + to_switch,
		};

		status = liquid_fabric_add_link(twins->quotient, &link, err);
	}
	return status;
}

static int make_quotient(struct twins *twins, struct liquid_error *err)
{
	uint32_t links = liquid_fabric_link_count(twins->fabric);
	uint32_t switches = liquid_fabric_switch_count(twins->fabric);
	uint32_t *map = malloc(((size_t)links + 1) * sizeof(*map));
	int status = add_nodes(twins, err);

	if (!map && !status)
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the quotient");
	if (!status)
		status = add_links(twins, map, err);
	for (uint32_t s = 0; !status && s < switches; s++) {
		for (uint32_t i = 0; !status && i < twins->count; i++) {
			uint32_t l = liquid_fabric_forward(twins->fabric, s, twins->host[i]);

			if (l != LIQUID_NONE && map[l] != LIQUID_NONE)
				status = liquid_fabric_set_forward(twins->quotient, s, i, map[l], err);
		}
	}
	free(map);
	return status ? status : liquid_fabric_finish(twins->quotient, err);
}

/* Hosts of the block other than @dst, the transfers that a unit stands for */
static uint32_t senders_to(const struct twins *twins, uint32_t block, uint32_t dst)
{
	uint32_t count = 0;

	for (uint32_t j = 0; j < twins->turns; j++) {
		uint32_t src = twins->sender[(size_t)block * twins->turns + j];

		count += src != LIQUID_NONE && src != dst;
	}
	return count;
}

static int exchange_of(const struct twins *twins, struct liquid_traffic **units,
		       struct liquid_error *err)
{
	int status = liquid_traffic_new(units, err);

	for (uint32_t b = 0; !status && b < twins->blocks; b++) {
		for (uint32_t i = 0; !status && i < twins->count; i++) {
			if (senders_to(twins, b, twins->host[i]))
				status = liquid_traffic_add(*units, twins->count + b, i, 1, err);
		}
	}
	return status;
}

/* ---- the result ---- */

/* Duration and fluid bound of the exchange itself, whose hosts send one by one */
static int measure(const struct twins *twins, struct liquid_compact_info *info,
		   struct liquid_error *err)
{
	uint32_t links = liquid_fabric_link_count(twins->quotient), path[LIQUID_PATH_MAX];
	uint64_t *load = calloc((size_t)links + 1, sizeof(*load));
	int status = load ? LIQUID_OK : liquid_fail(err, LIQUID_NO_MEMORY, "no memory for loads");

	info->duration = twins->count - 1;
	info->fluid_bound = twins->count - 1;
	for (uint32_t b = 0; !status && b < twins->blocks; b++) {
		for (uint32_t i = 0; !status && i < twins->count; i++) {
			uint32_t sent = senders_to(twins, b, twins->host[i]);
			int n = sent ? liquid_fabric_route(twins->quotient, twins->count + b, i,
							   path, err) : 0;

			if (n < 0)
				status = n;
			for (int k = 1; k < n; k++)
				load[path[k]] += sent;
		}
	}
	for (uint32_t l = 0; !status && l < links; l++) {
		uint32_t capacity = liquid_fabric_capacity(twins->quotient, l);
		uint64_t frames = (load[l] + capacity - 1) / capacity;

		if (frames > info->duration)
			info->duration = (uint32_t)frames;
		if ((double)load[l] / capacity > info->fluid_bound)
			info->fluid_bound = (double)load[l] / capacity;
	}
	free(load);
	return status;
}

static void fill_patterns(struct liquid_compact *compact, const struct twins *twins,
			  const struct liquid_schedule *units)
{
	for (uint32_t f = 0; f < compact->info.patterns; f++) {
		uint32_t last = LIQUID_NONE, used = 0;
		const struct liquid_transfer *unit;
		size_t count;

		unit = liquid_schedule_frame(units, f, &count);
		for (size_t i = 0; i < count; i++) {	/* sorted by block */
			uint32_t block = unit[i].src - twins->count;
			size_t at = ((size_t)f * twins->blocks + block) * twins->turns;

			used = block == last ? used + 1 : 0;
			last = block;
			compact->dst[at + used] = twins->host[unit[i].dst];
		}
	}
}

static int make_compact(struct twins *twins, const struct liquid_schedule *units,
			struct liquid_compact **out, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(twins->fabric);
	uint32_t patterns = liquid_schedule_info(units)->length;
	size_t slots = (size_t)twins->blocks * twins->turns, cells = slots * patterns;
	struct liquid_compact *compact = calloc(1, sizeof(*compact));
	int status;

	if (!compact)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	compact->info = (struct liquid_compact_info){
		.hosts = twins->count, .blocks = twins->blocks, .turns = twins->turns,
		.patterns = patterns, .length = patterns * twins->turns,
		.transfers = (uint64_t)twins->count * (twins->count - 1),
	};
	compact->hosts = hosts;
	compact->slot = malloc(((size_t)hosts + 1) * sizeof(*compact->slot));
	compact->dst = malloc((cells + 1) * sizeof(*compact->dst));
	if (!compact->slot || !compact->dst) {
		liquid_compact_free(compact);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	}
	compact->sender = twins->sender;
	twins->sender = NULL;
	memset(compact->slot, 0xff, (size_t)hosts * sizeof(*compact->slot));
	memset(compact->dst, 0xff, cells * sizeof(*compact->dst));
	for (uint32_t s = 0; s < slots; s++) {
		if (compact->sender[s] != LIQUID_NONE)
			compact->slot[compact->sender[s]] = s;
	}
	fill_patterns(compact, twins, units);
	twins->sender = compact->sender;
	status = measure(twins, &compact->info, err);
	twins->sender = NULL;
	if (!status)
		status = liquid_compact_verify(twins->fabric, compact, err);
	if (status)
		liquid_compact_free(compact);
	else
		*out = compact;
	return status;
}

/* Number the receivers; each host may be there once. */
static int number_hosts(struct twins *twins, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(twins->fabric);

	twins->receiver = malloc(((size_t)hosts + 1) * sizeof(*twins->receiver));
	if (!twins->receiver)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for hosts");
	memset(twins->receiver, 0xff, (size_t)hosts * sizeof(*twins->receiver));
	for (uint32_t i = 0; i < twins->count; i++) {
		if (twins->host[i] >= hosts)
			return liquid_fail(err, LIQUID_BAD_INPUT, "no host %u", twins->host[i]);
		if (twins->receiver[twins->host[i]] != LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT, "%.200s is there twice",
					   liquid_fabric_node_name(twins->fabric, twins->host[i]));
		twins->receiver[twins->host[i]] = i;
	}
	return LIQUID_OK;
}

int liquid_compact_solve(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			 uint32_t turns, const struct liquid_solve_options *options,
			 struct liquid_compact **out, struct liquid_error *err)
{
	struct twins twins = { .fabric = fabric, .host = hosts, .turns = turns };
	struct liquid_traffic *units = NULL;
	struct liquid_schedule *patterns = NULL;
	int status;

	*out = NULL;
	if (count < 2 || count > liquid_fabric_host_count(fabric))
		return liquid_fail(err, LIQUID_BAD_INPUT, "an exchange has two hosts or more");
	twins.count = (uint32_t)count;
	status = number_hosts(&twins, err);
	if (!status)
		status = cut_blocks(&twins, err);
	if (!status)
		status = make_quotient(&twins, err);
	if (!status)
		status = exchange_of(&twins, &units, err);
	if (!status)
		status = liquid_solve(twins.quotient, units, options, &patterns, err);
	if (!status)
		status = make_compact(&twins, patterns, out, err);
	liquid_schedule_free(patterns);
	liquid_traffic_free(units);
	liquid_fabric_free(twins.quotient);
	free(twins.receiver);
	free(twins.sender);
	return status;
}
