// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of an exchange is simulated
 *
 * All of it where that takes no more than the work given. Else the messages among all hosts of some
 * switches, which are drawn: what these share stays as it is, what lies above is used less.
 */
#include <math.h>
#include <stdlib.h>

#include "advise/advise.h"
#include "cmd/cmd.h"

#define PACKETS_MAX 32u			/* of a message; beyond, packets are larger */
#define SWITCHES_LEAST 2u

struct sampling {
	const struct advise_facts *facts;
	uint32_t hosts;			/* of the fabric */
	uint32_t *order;		/* switches, as they are drawn */
	bool *taken;			/* by switch */
	bool *ends;			/* by host: it sends or receives */
};

static void sampling_close(struct sampling *sampling)
{
	free(sampling->order);
	free(sampling->taken);
	free(sampling->ends);
}

static bool sampling_open(struct sampling *sampling, const struct advise_facts *facts)
{
	size_t switches = (size_t)liquid_fabric_switch_count(facts->fabric) + 1;
	uint32_t hosts = liquid_fabric_host_count(facts->fabric);

	*sampling = (struct sampling){
		.facts = facts, .hosts = hosts,
		.order = calloc(switches, sizeof(uint32_t)),
		.taken = calloc(switches, sizeof(bool)),
		.ends = calloc((size_t)hosts + 1, sizeof(bool)),
	};
	return sampling->order && sampling->taken && sampling->ends;
}

/* The switch of a host, by the link that it has. */
static uint32_t switch_of(const struct sampling *sampling, uint32_t host)
{
	const struct liquid_fabric *fabric = sampling->facts->fabric;
	uint32_t out = liquid_fabric_host_out(fabric, host);

	if (out != LIQUID_NONE)
		return liquid_fabric_link(fabric, out)->to - sampling->hosts;
	return liquid_fabric_link(fabric, liquid_fabric_host_in(fabric, host))->from -
		sampling->hosts;
}

/* Two hosts that are joined by a cable have no switch. */
static bool is_taken(const struct sampling *sampling, uint32_t host)
{
	uint32_t sw = switch_of(sampling, host);

	return sw < liquid_fabric_switch_count(sampling->facts->fabric) && sampling->taken[sw];
}

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void draw_order(struct sampling *sampling)
{
	uint32_t switches = liquid_fabric_switch_count(sampling->facts->fabric);
	uint64_t state = 1;

	for (uint32_t i = 0; i < switches; i++)
		sampling->order[i] = i;
	for (uint32_t i = switches; i > 1; i--) {
		uint32_t other = draw(&state) % i, sw = sampling->order[i - 1];

		sampling->order[i - 1] = sampling->order[other];
		sampling->order[other] = sw;
	}
}

static uint32_t mark_ends(struct sampling *sampling)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(sampling->facts->traffic);
	uint32_t count = 0;

	for (size_t i = 0; i < liquid_traffic_pair_count(sampling->facts->traffic); i++) {
		count += !sampling->ends[pairs[i].src];
		sampling->ends[pairs[i].src] = true;
		count += !sampling->ends[pairs[i].dst];
		sampling->ends[pairs[i].dst] = true;
	}
	return count;
}

static uint32_t hosts_on(const struct sampling *sampling, uint32_t sw)
{
	uint32_t count = 0;

	for (uint32_t host = 0; host < sampling->hosts; host++)
		count += sampling->ends[host] && switch_of(sampling, host) == sw;
	return count;
}

/* As long as @limit hosts are not exceeded; of the switches with hosts two at least. */
static void take_switches(struct sampling *sampling, double limit, struct advise_scale *scale)
{

	for (uint32_t i = 0; i < liquid_fabric_switch_count(sampling->facts->fabric); i++) {
		uint32_t more = hosts_on(sampling, sampling->order[i]);

		if (!more || (scale->switches >= SWITCHES_LEAST && scale->hosts + more > limit))
			continue;
		sampling->taken[sampling->order[i]] = true;
		scale->hosts += more;
		scale->switches++;
	}
}

static int take_messages(const struct sampling *sampling, struct liquid_traffic **traffic)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(sampling->facts->traffic);
	struct liquid_error err;
	int status = liquid_traffic_new(traffic, &err);

	for (size_t i = 0; i < liquid_traffic_pair_count(sampling->facts->traffic) && !status; i++)
		if (is_taken(sampling, pairs[i].src) && is_taken(sampling, pairs[i].dst))
			status = liquid_traffic_add(*traffic, pairs[i].src, pairs[i].dst,
						    pairs[i].count, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

static int weigh_sample(const struct sampling *sampling, struct advise_scale *scale)
{
	struct advise_facts facts;
	int code = advise_facts(&facts, sampling->facts->fabric, scale->traffic);

	scale->least = facts.least;
	advise_facts_clear(&facts);
	return code;
}

/* With all hosts drawn it is no sample, whatever it costs. */
static void keep_whole(struct advise_scale *scale)
{
	scale->whole = true;
	scale->hosts = scale->of_hosts = scale->switches = 0;
}

static int take_sample(struct sampling *sampling, double part, struct advise_scale *scale)
{
	int code;

	draw_order(sampling);
	scale->of_hosts = mark_ends(sampling);
	take_switches(sampling, sqrt(part) * scale->of_hosts, scale);
	if (scale->hosts == scale->of_hosts) {
		keep_whole(scale);
		return EXIT_OK;
	}
	code = take_messages(sampling, &scale->traffic);
	if (!code && !liquid_traffic_transfer_count(scale->traffic))
		code = complain(EXIT_BAD_INPUT, "the traffic is too large to be simulated whole, "
				"and %u of its hosts that were drawn send each other nothing: give "
				"a larger --work", scale->hosts);
	return code ? code : weigh_sample(sampling, scale);
}

void advise_scale_clear(struct advise_scale *scale)
{
	liquid_traffic_free(scale->traffic);
}

int advise_scale(const struct advise *advise, const struct advise_facts *facts,
		 struct advise_scale *scale)
{
	uint64_t bytes = advise_pair_bytes(advise);
	uint64_t packets = (bytes + ADVISE_PACKET_BYTES - 1) / ADVISE_PACKET_BYTES;
	struct sampling sampling;
	double part;
	int code;

	packets = packets > PACKETS_MAX ? PACKETS_MAX : packets;
	part = (double)advise->work / ((double)facts->traversals * (double)packets);
	*scale = (struct advise_scale){
		.packet_bytes = packets == 1 ? bytes : (bytes + packets - 1) / packets,
		.whole = part >= 1, .least = facts->least,
	};
	if (scale->packet_bytes < ADVISE_PACKET_BYTES && packets > 1)
		scale->packet_bytes = ADVISE_PACKET_BYTES;
	if (scale->whole)
		return EXIT_OK;
	code = sampling_open(&sampling, facts) ? take_sample(&sampling, part, scale) : no_memory();
	sampling_close(&sampling);
	return code;
}
