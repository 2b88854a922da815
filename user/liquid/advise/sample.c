// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of an exchange is simulated
 *
 * All of it where that takes no more than the work given. Else a part of it, among all hosts, so
 * that links are shared as in the whole. Orders that take turns, a packet to each receiver, are
 * simulated with shorter messages, twice: the additional time of the longer one is that of each
 * further packet of a message. Of the order by message some steps are simulated with whole
 * messages: in step k the i-th host sends to the i+k-th. Steps are drawn, one of each of equal
 * ranges. Where the shortest messages are still too much for the work, orders in turns have some
 * steps only, too.
 */
#include <stdlib.h>

#include "advise/advise.h"
#include "util/command.h"

#define PACKETS_MAX 32u			/* of a message; beyond, packets are larger */
#define PACKETS_LEAST 4u		/* fewer are not divided */
#define BY_MESSAGE_PART 0.25		/* of the work given: few steps suffice */

struct sampling {
	const struct advise_facts *facts;
	uint32_t hosts;			/* of the fabric */
	uint32_t *sender, *receiver;	/* by host: its number among those */
	bool *sends, *receives;		/* by host */
	bool *taken;			/* by step */
	uint32_t *step;			/* those in which there are messages */
	uint32_t steps;
};

static void sampling_close(struct sampling *sampling)
{
	free(sampling->sender);
	free(sampling->receiver);
	free(sampling->sends);
	free(sampling->receives);
	free(sampling->taken);
	free(sampling->step);
}

static void number(const bool *takes_part, uint32_t hosts, uint32_t *numbers)
{
	uint32_t count = 0;

	for (uint32_t host = 0; host < hosts; host++) {
		numbers[host] = count;
		count += takes_part[host];
	}
}

static uint32_t step_of(const struct sampling *sampling, const struct liquid_pair *pair)
{
	uint32_t to = sampling->receiver[pair->dst] + sampling->hosts;

	return (to - sampling->sender[pair->src]) % sampling->hosts;
}

static void list_steps(struct sampling *sampling)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(sampling->facts->traffic);
	size_t count = liquid_traffic_pair_count(sampling->facts->traffic);

	for (size_t i = 0; i < count; i++)
		sampling->sends[pairs[i].src] = sampling->receives[pairs[i].dst] = true;
	number(sampling->sends, sampling->hosts, sampling->sender);
	number(sampling->receives, sampling->hosts, sampling->receiver);
	for (size_t i = 0; i < count; i++)
		sampling->taken[step_of(sampling, &pairs[i])] = true;
	for (uint32_t step = 0; step < sampling->hosts; step++)
		if (sampling->taken[step])
			sampling->step[sampling->steps++] = step;
}

static bool sampling_open(struct sampling *sampling, const struct advise_facts *facts)
{
	size_t hosts = liquid_fabric_host_count(facts->fabric);

	*sampling = (struct sampling){
		.facts = facts, .hosts = (uint32_t)hosts,
		.sender = calloc(hosts + 1, sizeof(uint32_t)),
		.receiver = calloc(hosts + 1, sizeof(uint32_t)),
		.sends = calloc(hosts + 1, sizeof(bool)),
		.receives = calloc(hosts + 1, sizeof(bool)),
		.taken = calloc(hosts + 1, sizeof(bool)),
		.step = calloc(hosts + 1, sizeof(uint32_t)),
	};
	if (!sampling->sender || !sampling->receiver || !sampling->sends || !sampling->receives ||
	    !sampling->taken || !sampling->step)
		return false;
	list_steps(sampling);
	return true;
}

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void draw_steps(struct sampling *sampling, uint32_t wanted)
{
	uint64_t state = 1, all = sampling->steps;

	for (uint32_t step = 0; step < sampling->hosts; step++)
		sampling->taken[step] = false;
	for (uint32_t i = 0; i < wanted; i++) {
		uint64_t from = i * all / wanted, end = (i + 1) * all / wanted;

		sampling->taken[sampling->step[from + draw(&state) % (end - from)]] = true;
	}
}

static int take_messages(const struct sampling *sampling, struct advise_part *part)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(sampling->facts->traffic);
	struct liquid_error err;
	int status = liquid_traffic_new(&part->traffic, &err);

	for (size_t i = 0; i < liquid_traffic_pair_count(sampling->facts->traffic) && !status; i++)
		if (sampling->taken[step_of(sampling, &pairs[i])])
			status = liquid_traffic_add(part->traffic, pairs[i].src, pairs[i].dst,
						    pairs[i].count, &err);
	return status ? complain_of(status, &err) : EXIT_OK;
}

/* A @share of the messages: one step at least. With all steps it is the whole. */
static int take_part(struct sampling *sampling, double share, struct advise_part *part)
{
	double wanted = share * sampling->steps;

	if (wanted >= sampling->steps)
		return EXIT_OK;
	part->steps = wanted > 1 ? (uint32_t)wanted : 1;
	draw_steps(sampling, part->steps);
	return take_messages(sampling, part);
}

/* One after another, messages take the time of equally many others. */
static void weigh_by_message(const struct sampling *sampling, struct advise_part *part)
{
	if (part->traffic)
		part->least *= (double)liquid_traffic_transfer_count(part->traffic) /
			(double)sampling->facts->transfers;
}

/* In turns, the busiest link of these messages is the limit. */
static int weigh_in_turns(const struct sampling *sampling, struct advise_part *part)
{
	struct advise_facts facts = { .lambda = part->least };
	int code = EXIT_OK;

	if (part->traffic)
		code = advise_facts(&facts, sampling->facts->fabric, part->traffic);
	part->least = facts.lambda;
	advise_facts_clear(&facts);
	return code;
}

/*
 * Packets of the two lengths, which together cost @share of the whole exchange, or more. The
 * shorter one has to be long enough to fill the network, and much shorter than the other.
 */
static void take_packets(double share, struct advise_scale *scale)
{
	uint32_t packets = (uint32_t)(share * scale->packets);

	if (scale->packets < PACKETS_LEAST)
		return;
	if (packets < 3)
		packets = 3;
	scale->few = packets < 10 ? 1 : packets / 5;
	scale->more = packets - scale->few;
}

static int take_sample(struct sampling *sampling, double share, struct advise_scale *scale)
{
	int code = take_part(sampling, share * BY_MESSAGE_PART, &scale->by_message);

	scale->of_steps = sampling->steps;
	weigh_by_message(sampling, &scale->by_message);
	take_packets(share, scale);
	if (!code)
		code = take_part(sampling, share * scale->packets / (scale->few + scale->more),
				 &scale->in_turns);
	return code ? code : weigh_in_turns(sampling, &scale->in_turns);
}

void advise_scale_clear(struct advise_scale *scale)
{
	liquid_traffic_free(scale->by_message.traffic);
	liquid_traffic_free(scale->in_turns.traffic);
}

int advise_scale(const struct advise *advise, const struct advise_facts *facts,
		 struct advise_scale *scale)
{
	uint64_t bytes = advise_pair_bytes(advise);
	uint64_t packets = (bytes + SIMULATE_PACKET_BYTES - 1) / SIMULATE_PACKET_BYTES;
	struct sampling sampling;
	int code;

	packets = packets > PACKETS_MAX ? PACKETS_MAX : packets;
	*scale = (struct advise_scale){
		.packet_bytes = packets == 1 ? bytes : (bytes + packets - 1) / packets,
		.packets = (uint32_t)packets, .more = (uint32_t)packets,
		.share = (double)advise->work / ((double)facts->traversals * (double)packets),
		.by_message.least = facts->lambda, .in_turns.least = facts->lambda,
	};
	if (scale->packet_bytes < SIMULATE_PACKET_BYTES && packets > 1)
		scale->packet_bytes = SIMULATE_PACKET_BYTES;
	scale->whole = scale->share >= 1;
	if (scale->whole)
		return EXIT_OK;
	code = sampling_open(&sampling, facts) ? take_sample(&sampling, scale->share, scale) :
		no_memory();
	sampling_close(&sampling);
	return code;
}
