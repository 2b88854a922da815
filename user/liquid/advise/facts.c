// SPDX-License-Identifier: GPL-2.0-only
/* The demand of an exchange on each link: loads, lambda, bottlenecks. */
#include <stdlib.h>

#include "advise/advise.h"
#include "util/command.h"

void advise_facts_clear(struct advise_facts *facts)
{
	free(facts->load);
}

static double ratio_of(const struct advise_facts *facts, uint32_t link)
{
	return (double)facts->load[link] / (double)liquid_fabric_capacity(facts->fabric, link);
}

static bool is_inner(const struct advise_facts *facts, uint32_t link)
{
	const struct liquid_link *ends = liquid_fabric_link(facts->fabric, link);
	uint32_t hosts = liquid_fabric_host_count(facts->fabric);

	return ends->from >= hosts && ends->to >= hosts;
}

static void weigh(struct advise_facts *facts)
{
	for (uint32_t link = 0; link < liquid_fabric_link_count(facts->fabric); link++) {
		double ratio = ratio_of(facts, link);
		double *most = is_inner(facts, link) ? &facts->inner : &facts->ends;

		*most = ratio > *most ? ratio : *most;
		facts->traversals += facts->load[link];
		if (!is_inner(facts, link))
			continue;
		facts->inner_links++;
		facts->unused += !facts->load[link];
		facts->inner_traversals += facts->load[link];
	}
	facts->lambda = facts->inner > facts->ends ? facts->inner : facts->ends;
}

static void name_bottlenecks(struct advise_facts *facts, bool inner)
{
	for (uint32_t link = 0; link < liquid_fabric_link_count(facts->fabric); link++) {
		if (is_inner(facts, link) != inner || ratio_of(facts, link) < facts->lambda)
			continue;
		if (facts->bottlenecks < ADVISE_LINKS)
			facts->bottleneck[facts->bottlenecks] = link;
		facts->bottlenecks++;
	}
}

/* ---- who meets on a bottleneck ---- */

static bool crosses(const struct advise_facts *facts, const struct liquid_pair *pair,
		    uint32_t link)
{
	uint32_t path[LIQUID_PATH_MAX];
	int length = liquid_fabric_route(facts->fabric, pair->src, pair->dst, path, NULL);

	while (length > 0)
		if (path[--length] == link)
			return true;
	return false;
}

/* Each from and to another host: what one host sends does not meet, but wait for its turn. */
static void find_flows(struct advise_facts *facts)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(facts->traffic);
	size_t count = liquid_traffic_pair_count(facts->traffic);

	for (size_t i = 0; i < count && facts->flows < ADVISE_FLOWS; i++) {
		bool other = true;

		for (uint32_t f = 0; f < facts->flows; f++)
			other &= facts->meet[f].src != pairs[i].src &&
				facts->meet[f].dst != pairs[i].dst;
		if (other && crosses(facts, &pairs[i], facts->bottleneck[0]))
			facts->meet[facts->flows++] = pairs[i];
	}
}

/* ---- what may be broken ---- */

#define KINDS 256			/* of cables or capacities that are told apart */
#define ODD_PART 8			/* more than one of as many is no fault, but a design */

/* The value that most of @count have, of those above 0; and the first that has less. */
static bool find_odd(const uint32_t *value, uint32_t count, uint32_t *usual, uint32_t *odd)
{
	uint32_t having[KINDS] = { 0 }, less = 0, all = 0;

	*usual = 0;
	for (uint32_t i = 0; i < count; i++)
		if (value[i] && value[i] < KINDS) {
			having[value[i]]++;
			all++;
			if (having[value[i]] > having[*usual])
				*usual = value[i];
		}
	for (uint32_t i = count; i-- > 0;)
		if (value[i] && value[i] < *usual) {
			*odd = i;
			less++;
		}
	return less && less * ODD_PART <= all;
}

void advise_cause(const struct advise_facts *facts, char *text, size_t size)
{
	const struct liquid_fabric *fabric = facts->fabric;
	uint32_t hosts = liquid_fabric_host_count(fabric), usual, odd;
	uint32_t nodes = hosts + liquid_fabric_switch_count(fabric);
	/* Of hosts the capacity; of switches with hosts the cables to others */
	uint32_t *value = calloc(2 * (size_t)nodes + 1, sizeof(*value)), *leaf = value + nodes;

	*text = '\0';
	for (uint32_t link = 0; value && link < liquid_fabric_link_count(fabric); link++) {
		const struct liquid_link *ends = liquid_fabric_link(fabric, link);

		if (ends->from < hosts)
			value[ends->from] = liquid_fabric_capacity(fabric, link);
		else if (ends->to < hosts)
			leaf[ends->from] = 1;
		else
			value[ends->from]++;
	}
	for (uint32_t node = hosts; value && node < nodes; node++)
		value[node] *= leaf[node];
	if (value && find_odd(value, hosts, &usual, &odd))
		snprintf(text, size, "a slow host? %s has a link of capacity %u, most have %u",
			 liquid_fabric_node_name(fabric, odd), value[odd], usual);
	else if (value && find_odd(value + hosts, nodes - hosts, &usual, &odd))
		snprintf(text, size, "a dead cable? %s has %u of the %u links to other switches "
			 "that most switches with hosts have",
			 liquid_fabric_node_name(fabric, hosts + odd), value[hosts + odd], usual);
	free(value);
}

/* @sends, @receives: by host, zero */
static void count_hosts(struct advise_facts *facts, bool *sends, bool *receives)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(facts->traffic);
	size_t count = liquid_traffic_pair_count(facts->traffic);
	uint64_t whole = 0;
	bool even = true;

	for (size_t i = 0; i < count; i++) {
		facts->senders += !sends[pairs[i].src];
		facts->receivers += !receives[pairs[i].dst];
		sends[pairs[i].src] = receives[pairs[i].dst] = true;
		even &= pairs[i].count == pairs[0].count;
	}
	for (uint32_t host = 0; host < liquid_fabric_host_count(facts->fabric); host++)
		whole += sends[host] && receives[host];
	facts->each = pairs[0].count;
	facts->all_to_all = even && whole == facts->senders && whole == facts->receivers &&
		count == whole * (whole - 1);
}

static int count_ends(struct advise_facts *facts)
{
	uint32_t hosts = liquid_fabric_host_count(facts->fabric);
	bool *seen = calloc(2 * (size_t)hosts + 1, sizeof(*seen));

	if (!seen)
		return no_memory();
	count_hosts(facts, seen, seen + hosts);
	free(seen);
	return EXIT_OK;
}

int advise_facts(struct advise_facts *facts, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic)
{
	struct liquid_error err;
	int status;

	*facts = (struct advise_facts){
		.fabric = fabric, .traffic = traffic,
		.transfers = liquid_traffic_transfer_count(traffic),
		.load = calloc((size_t)liquid_fabric_link_count(fabric) + 1, sizeof(uint64_t)),
	};
	if (!facts->load)
		return no_memory();
	if (!facts->transfers)
		return complain(EXIT_BAD_INPUT, "the traffic is empty: there is nothing to say");
	status = liquid_traffic_loads(fabric, traffic, facts->load, &err);
	if (status)
		return complain_of(status, &err);
	weigh(facts);
	name_bottlenecks(facts, true);
	name_bottlenecks(facts, false);
	find_flows(facts);
	return count_ends(facts);
}
