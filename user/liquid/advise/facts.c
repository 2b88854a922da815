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
	return count_ends(facts);
}
