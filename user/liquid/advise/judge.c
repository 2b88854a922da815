// SPDX-License-Identifier: GPL-2.0-only
/* What follows: whether a schedule gains, and by what it could be kept. */
#include "advise/advise.h"
#include "util/command.h"

/* Bytes from which tokens of 2 us pay at 100 Gbit/s: against FIFO, and twice that against VOQ. */
#define TOKEN_BYTES 65536.0
#define TOKEN_NS 2000.0
#define TOKEN_BPS 1e11
/* Part of a frame that a guard may take. */
#define GUARD_PART 10

const char *const advise_transports[] = { "any", "rdma", "tcp", NULL };

/* ns of @bytes on a link of capacity 1 */
static double wire_ns(const struct advise *advise, double bytes)
{
	return bytes * 8e9 / (double)advise->rate_bps;
}

uint64_t advise_pair_bytes(const struct advise *advise)
{
	return advise->message_bytes * advise->tasks * advise->tasks;
}

/* Share of a schedule by tokens, where that is not simulated. */
static double tokens_share(const struct advise *advise, const struct advise_facts *facts,
			   const struct advise_probes *probes)
{
	double message = wire_ns(advise, (double)advise_pair_bytes(advise));
	double lost = SIMULATE_TOKEN_LOSS * (double)advise->token_ns;

	return facts->lambda / probes->schedule.length * message / (message + lost);
}

/*
 * The largest difference from a whole simulation that was measured on smaller fabrics, rounded up:
 * Documentation/advise.rst has the measurements. It depends on how many packets a host sends in
 * turns between the two moments that are compared.
 */
static double error_of(const struct advise_scale *scale)
{
	static const struct {
		uint32_t packets;	/* at least */
		double error;
	} measured[] = { { 2000, 0.10 }, { 500, 0.20 }, { 250, 0.25 }, { 0, 0.60 } };
	uint64_t steps = scale->in_turns.steps ? scale->in_turns.steps : scale->of_steps;
	size_t i = 0;

	if (scale->whole)
		return 0;
	while ((scale->more - scale->few) * steps < measured[i].packets)
		i++;
	return measured[i].error;
}

static void compare_orders(const struct advise_probes *probes, int queues,
			   struct advise_verdict *verdict)
{
	double best = 0, schedule = verdict->schedule[queues];

	for (int order = 0; order < ADVISE_ORDERS; order++)
		if (probes->order[order][queues].share > best) {
			best = probes->order[order][queues].share;
			verdict->best[queues] = order;
		}
	verdict->gain[queues] = schedule / best;
	verdict->over_pairwise[queues] = schedule / probes->order[ADVISE_PAIRWISE][queues].share;
	verdict->gains[queues] = verdict->gain[queues] >= ADVISE_GAIN_LEAST &&
		schedule - best > verdict->error;
}

static void judge_tokens(const struct advise *advise, struct advise_verdict *verdict)
{
	double from = TOKEN_BYTES * (double)advise->token_ns / TOKEN_NS *
		(double)advise->rate_bps / TOKEN_BPS;

	for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
		verdict->tokens_from[queues] = (uint64_t)(from * (queues == ADVISE_VOQ ? 2 : 1));
		verdict->tokens[queues] = verdict->pair_bytes >= verdict->tokens_from[queues];
	}
}

static void judge_gates(const struct advise *advise, struct advise_verdict *verdict)
{
	verdict->guard_ns = 2 * advise->clock_ns;
	verdict->gates_from = (uint64_t)((double)verdict->guard_ns * GUARD_PART *
					 (double)advise->rate_bps / 8e9);
	verdict->gates = verdict->pair_bytes >= verdict->gates_from;
}

/*
 * Bytes from which parts gain, if each frame costs @frame_ns in addition to its bytes: a message of
 * whole frames takes length * (message + cost), in parts parts_length * (message / parts + cost).
 */
static uint64_t parts_from(const struct advise *advise, const struct advise_probes *probes,
			   double frame_ns)
{
	double whole = probes->schedule.length, more = probes->schedule.parts_length - whole;
	double shorter = whole - (double)probes->schedule.parts_length / probes->schedule.parts;

	return (uint64_t)(frame_ns * (double)advise->rate_bps / 8e9 * more / shorter);
}

/* Routes with less lambda than there are; of several, more lanes only for a gain again. */
static int best_routes(const struct advise_facts *facts, const struct advise_probes *probes)
{
	double least = facts->lambda;
	int best = -1;

	for (int lanes = 0; lanes < ADVISE_LANES; lanes++) {
		double now = probes->routes[lanes].lambda;

		if (!probes->routes[lanes].done || least < ADVISE_GAIN_LEAST * now)
			continue;
		least = now;
		best = lanes;
	}
	return best;
}

void advise_judge(const struct advise *advise, const struct advise_facts *facts,
		  const struct advise_scale *scale, const struct advise_probes *probes,
		  struct advise_verdict *verdict)
{
	*verdict = (struct advise_verdict){
		.pair_bytes = advise_pair_bytes(advise), .error = error_of(scale),
		.routes = best_routes(facts, probes),
	};
	verdict->pair_ns = (uint64_t)wire_ns(advise, (double)verdict->pair_bytes);
	for (int queues = 0; queues < ADVISE_SWITCHES; queues++) {
		verdict->schedule[queues] = probes->schedule.simulated ?
			probes->schedule.tokens[queues] : tokens_share(advise, facts, probes);
		compare_orders(probes, queues, verdict);
	}
	verdict->nothing = verdict->gain[ADVISE_FIFO] < ADVISE_GAIN_LEAST &&
		verdict->gain[ADVISE_VOQ] < ADVISE_GAIN_LEAST;
	judge_tokens(advise, verdict);
	judge_gates(advise, verdict);
	if (probes->schedule.parts) {
		verdict->parts_by_tokens = parts_from(advise, probes, SIMULATE_TOKEN_LOSS *
						      (double)advise->token_ns);
		verdict->parts_by_gates = parts_from(advise, probes, (double)verdict->guard_ns);
	}
	verdict->other_nodes = probes->choice.done &&
		facts->lambda >= ADVISE_GAIN_LEAST * probes->choice.lambda;
}
