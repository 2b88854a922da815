// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ranks, permutations and the global window of the (modified) synchronous shuffle exchange. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/shuffle.h"

void shuffle_ranks_clear(struct shuffle_ranks *ranks)
{
	free(ranks->sender);
	free(ranks->receiver);
	*ranks = (struct shuffle_ranks){ 0 };
}

/* ---- ranks ---- */

struct place {
	uint32_t within, sw, host;	/* @within: its number among the hosts of its switch */
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->within != y->within)
		return x->within < y->within ? -1 : 1;
	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

/* The node at the other end of the link by which @host sends or receives. */
static uint32_t switch_of(const struct liquid_fabric *fabric, uint32_t host, bool sends)
{
	if (sends)
		return liquid_fabric_link(fabric, liquid_fabric_host_out(fabric, host))->to;
	return liquid_fabric_link(fabric, liquid_fabric_host_in(fabric, host))->from;
}

/*
 * logical id = floor(physical id / d1) + (physical id % d1) * d2: first the first host of each
 * switch, then the second of each, and so on.
 */
static int map_ranks(const struct liquid_fabric *fabric, bool senders, uint32_t *rank,
		     uint32_t count, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	struct place *place = calloc((size_t)count + 1, sizeof(*place));
	uint32_t *within = calloc((size_t)hosts + liquid_fabric_switch_count(fabric),
				  sizeof(*within));
	uint32_t placed = 0;

	if (place && within) {
		for (uint32_t host = 0; host < hosts; host++) {
			uint32_t sw;

			if (rank[host] == LIQUID_NONE)
				continue;
			sw = switch_of(fabric, host, senders);
			place[placed++] = (struct place){ within[sw]++, sw, host };
		}
		qsort(place, placed, sizeof(*place), compare_places);
		for (uint32_t i = 0; i < placed; i++)
			rank[place[i].host] = i;
	}
	free(within);
	if (!place || !within) {
		free(place);
		return liquid_no_memory(err);
	}
	free(place);
	return LIQUID_OK;
}

/* Number the marked hosts from 0 on. */
static uint32_t number_ranks(uint32_t *rank, uint32_t hosts)
{
	uint32_t count = 0;

	for (uint32_t host = 0; host < hosts; host++)
		if (rank[host] != LIQUID_NONE)
			rank[host] = count++;
	return count;
}

int shuffle_ranks(const struct liquid_fabric *fabric, const struct liquid_pair *pairs,
		  uint32_t count, bool contention_aware, const uint32_t *rank,
		  struct shuffle_ranks *ranks, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	int status = LIQUID_OK;

	*ranks = (struct shuffle_ranks){ malloc(hosts * sizeof(uint32_t)),
					 malloc(hosts * sizeof(uint32_t)), 0, 0 };
	if (!ranks->sender || !ranks->receiver) {
		shuffle_ranks_clear(ranks);
		return liquid_no_memory(err);
	}
	memset(ranks->sender, 0xff, hosts * sizeof(uint32_t));
	memset(ranks->receiver, 0xff, hosts * sizeof(uint32_t));
	for (uint32_t pair = 0; pair < count; pair++) {
		ranks->sender[pairs[pair].src] = 0;
		ranks->receiver[liquid_fabric_owner(fabric, pairs[pair].dst)] = 0;
	}
	ranks->senders = number_ranks(ranks->sender, hosts);
	ranks->receivers = number_ranks(ranks->receiver, hosts);
	for (uint32_t host = 0; host < hosts && rank; host++) {
		ranks->sender[host] = rank[host];
		ranks->receiver[host] = rank[host];
	}
	if (contention_aware)
		status = map_ranks(fabric, true, ranks->sender, ranks->senders, err);
	if (contention_aware && !status)
		status = map_ranks(fabric, false, ranks->receiver, ranks->receivers, err);
	for (uint32_t host = 0; host < hosts && !status; host++)
		ranks->receiver[host] = ranks->receiver[liquid_fabric_owner(fabric, host)];
	if (status)
		shuffle_ranks_clear(ranks);
	return status;
}

/* ---- the window ---- */

/* Steps of the exchange: the most messages of one sender */
static uint64_t count_steps(const struct liquid_traffic *traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	size_t count = liquid_traffic_pair_count(traffic);
	uint64_t most = 0, own = 0;

	for (size_t pair = 0; pair < count; pair++) {
		own = pair && pairs[pair].src == pairs[pair - 1].src ? own : 0;
		own += pairs[pair].count;
		if (own > most)
			most = own;
	}
	return most;
}

int shuffle_load(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 double *load, struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), links = liquid_fabric_link_count(fabric);
	uint64_t *loads = calloc((size_t)links + 1, sizeof(*loads)), most = 0;
	int status = loads ? liquid_traffic_loads(fabric, traffic, loads, err) :
		liquid_no_memory(err);

	for (uint32_t link = 0; link < links && !status; link++) {
		const struct liquid_link *ends = liquid_fabric_link(fabric, link);

		if (ends->from >= hosts && ends->to >= hosts && loads[link] > most)
			most = loads[link];
	}
	free(loads);
	*load = most ? (double)most / (double)count_steps(traffic) : 0;
	return status;
}

uint64_t shuffle_window(uint64_t buffer_packets, double load)
{
	double window;

	if (load <= 0)
		return 0;
	window = floor((double)buffer_packets / load);
	return window < 1 ? 1 : (uint64_t)window;
}
