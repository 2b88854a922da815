/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page about an exchange on a fabric, and what to do
 *
 * facts.c counts loads; sample.c decides how much is simulated; probe.c simulates, solves and
 * chooses, each in a separate process; judge.c draws conclusions; print.c and json.c show all of
 * it. A share is the least time that the exchange can take, by the time that it takes.
 */
#ifndef LIQUID_ADVISE_H
#define LIQUID_ADVISE_H

#include <jansson.h>

#include "choose/choose.h"
#include "simulate/simulate.h"
#include "input/input.h"

#define ADVISE_SOLVE_WORK UINT64_C(400000000)
#define ADVISE_PARTS_WORK UINT64_C(100000000)
#define ADVISE_PARTS_TRANSFERS 65536u	/* of more messages no schedule in parts is looked for */
#define ADVISE_ROUTE_WORK UINT64_C(400000)
#define ADVISE_ROUTE_HOSTS 600u		/* of larger fabrics no routes are looked for */

enum { ADVISE_PAIRWISE, ADVISE_AT_ONCE, ADVISE_WINDOW, ADVISE_ORDERS };
enum { ADVISE_FIFO, ADVISE_VOQ, ADVISE_SWITCHES };
enum { ADVISE_ONE_LANE, ADVISE_FOUR_LANES, ADVISE_LANES };
enum advise_transport { TRANSPORT_ANY, TRANSPORT_RDMA, TRANSPORT_TCP };

extern const char *const advise_transports[];

struct advise {
	const char *fabric;		/* a file, or NULL: imported */
	struct liquid_import import;
	struct traffic_args traffic;
	uint64_t tasks;			/* ranks of each host, for an all-to-all */
	uint64_t message_bytes;
	uint64_t rate_bps;
	uint64_t token_ns, clock_ns;	/* latency of a token; error of a clock */
	uint32_t transport;
	uint64_t work;			/* of a simulation, in packets times links */
	bool json;
};

/* The words of `simulate` */
const char *advise_order(int order);
const char *advise_queues(int queues);
/* Bytes that a host sends to another: the messages of all their ranks. */
uint64_t advise_pair_bytes(const struct advise *advise);

/* ---- facts ---- */

#define ADVISE_LINKS 5			/* bottlenecks that are named */

struct advise_facts {
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;
	uint32_t senders, receivers;
	uint64_t transfers, traversals;	/* messages; links that they cross in all */
	uint64_t each;			/* messages of a pair, of an all-to-all */
	double lambda;			/* greatest load / capacity */
	double ends;			/* the same of hosts' links alone */
	double inner;			/* and of those between switches */
	uint64_t *load;			/* by link */
	uint32_t bottlenecks;		/* links that have lambda */
	uint32_t bottleneck[ADVISE_LINKS];	/* those between switches come first */
	bool all_to_all;
};

/* An exit code. */
int advise_facts(struct advise_facts *facts, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic);
void advise_facts_clear(struct advise_facts *facts);

/* ---- trials ---- */

/* Messages that an order is simulated with. */
struct advise_part {
	struct liquid_traffic *traffic;	/* NULL: all */
	uint32_t steps;			/* of the exchange, that these messages are; 0: all */
	double least;			/* times of a message that these take at least */
};

/* How much of an exchange is simulated. */
struct advise_scale {
	uint64_t packet_bytes;
	uint32_t packets;		/* of a message */
	bool whole;
	double share;			/* of the whole that the work given is */
	uint32_t of_steps;
	struct advise_part by_message, in_turns;
	/* Packets of the two shorter messages of an exchange in turns; few 0: not shortened. */
	uint32_t few, more;
};

struct advise_order {
	bool done;
	double share;
	uint32_t lanes;			/* virtual lanes that it takes to have no deadlock */
	uint64_t deadlocks;
};

/* Plain data: the processes write it into memory that they share. */
struct advise_probes {
	struct advise_order order[ADVISE_ORDERS][ADVISE_SWITCHES];
	struct {
		bool done, simulated;	/* simulated: tokens have a share that is not estimated */
		uint32_t length, duration, lower_bound;
		uint32_t parts, parts_length;	/* of another one, shorter per message; 0: none */
		double tokens[ADVISE_SWITCHES];	/* share */
	} schedule;
	struct {
		bool asked, done;	/* asked: there are other nodes */
		uint32_t count, candidates;
		double lambda, bound;
	} choice;
	struct {
		bool done;
		uint32_t lanes;		/* that they take */
		double lambda, bound;
	} routes[ADVISE_LANES];		/* other tables than the present ones */
};

/* sample.c; an exit code */
int advise_scale(const struct advise *advise, const struct advise_facts *facts,
		 struct advise_scale *scale);
void advise_scale_clear(struct advise_scale *scale);
/* An exit code; *@probes is to be unmapped by advise_probes_free(). */
int advise_probe(const struct advise *advise, const struct advise_facts *facts,
		 const struct advise_scale *scale, struct advise_probes **probes);
void advise_probes_free(struct advise_probes *probes);

/* ---- conclusions ---- */

/* Identical runs differ by up to 5 %: a smaller gain says nothing. */
#define ADVISE_GAIN_LEAST 1.05

struct advise_verdict {
	int best[ADVISE_SWITCHES];	/* the best order */
	double schedule[ADVISE_SWITCHES];	/* share of a schedule */
	double gain[ADVISE_SWITCHES];	/* over the best order */
	double over_pairwise[ADVISE_SWITCHES];
	bool gains[ADVISE_SWITCHES];	/* more than the error of the simulation */
	bool nothing;			/* no gain worth to be named, by no kind of switches */
	uint64_t pair_bytes, pair_ns;	/* of a host for another: bytes, and time on a link */
	uint64_t tokens_from[ADVISE_SWITCHES];	/* bytes from which tokens pay */
	bool tokens[ADVISE_SWITCHES];	/* they do */
	uint64_t guard_ns, gates_from;	/* bytes from which the guard takes at most a tenth */
	bool gates;
	uint64_t parts_by_tokens, parts_by_gates;	/* bytes from which parts gain */
	double error;			/* of a share, the largest that was measured; 0: whole */
	bool other_nodes;		/* they would have less lambda */
	int routes;			/* the fewest lanes whose routes have the least; -1: none */
};

void advise_judge(const struct advise *advise, const struct advise_facts *facts,
		  const struct advise_scale *scale, const struct advise_probes *probes,
		  struct advise_verdict *verdict);

struct advise_page {
	const struct advise *advise;
	const struct advise_facts *facts;
	const struct advise_scale *scale;
	const struct advise_probes *probes;
	const struct advise_verdict *verdict;
};
void advise_print(const struct advise_page *page);
json_t *advise_json(const struct advise_page *page);
/* What to call next: two commands, of @size bytes each. */
void advise_commands(const struct advise_page *page, char *first, char *second, size_t size);

#endif
