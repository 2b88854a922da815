/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A page about an exchange on a fabric, and what to do
 *
 * facts.c counts loads; sample.c decides how much is simulated; probe.c simulates, solves, routes
 * and chooses, each in a separate process; judge.c makes remedies of all that was tried and ranks
 * them; commands.c says what to type for each; print.c and json.c show all of it. A share is the
 * least time that the exchange can take, by the time that it takes.
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
#define ADVISE_ROUTE_PLACES 400000u	/* hosts times switches; beyond no routes are looked for */
#define ADVISE_MESSAGES 8u		/* under way, of ADVISE_FEW */
#define ADVISE_SEEDS 3u			/* runs with late starts, of which the median is shown */

/* What libraries do, in the order of the page. ADVISE_SHUFFLE is LIQUID_MPI=shuffle. */
enum { ADVISE_PAIRWISE, ADVISE_AT_ONCE, ADVISE_FEW, ADVISE_SHUFFLE, ADVISE_XOR, ADVISE_RING,
       ADVISE_BRUCK, ADVISE_ORDERS };
/* And other remedies */
enum { ADVISE_TOKENS = ADVISE_ORDERS, ADVISE_GATES, ADVISE_RANKS, ADVISE_WAYS };
/* On the present tables, on those that `route` finds, among the nodes that `choose` finds */
enum { ADVISE_PRESENT, ADVISE_ROUTED, ADVISE_CHOSEN, ADVISE_PLACES };
enum { ADVISE_FIFO, ADVISE_VOQ, ADVISE_SWITCHES };
enum { ADVISE_ONE_LANE, ADVISE_FOUR_LANES, ADVISE_LANES };
enum advise_transport { TRANSPORT_ANY, TRANSPORT_RDMA, TRANSPORT_TCP };

extern const char *const advise_transports[];

struct advise {
	struct opt_list files;
	const char *fabric;		/* of these, or NULL: imported */
	struct liquid_import import;
	struct traffic_args traffic;
	uint64_t tasks;			/* ranks of each host, for an all-to-all */
	uint64_t message_bytes;
	uint64_t rate_bps;
	uint64_t token_ns, clock_ns;	/* latency of a token; error of a clock */
	uint32_t transport;
	uint64_t work;			/* of a simulation, in packets times links */
	uint32_t today;			/* what programs do now: ADVISE_PAIRWISE or _AT_ONCE */
	const char *html;
	bool json;
};

/* The words of `simulate`; of orders that it does not have, their names */
const char *advise_order(int order);
const char *advise_queues(int queues);
/* Bytes that a host sends to another: the messages of all their ranks. */
uint64_t advise_pair_bytes(const struct advise *advise);

/* ---- facts ---- */

#define ADVISE_LINKS 5			/* bottlenecks that are named */
#define ADVISE_FLOWS 3			/* and who meets there */

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
	struct liquid_pair meet[ADVISE_FLOWS];	/* on the first of them, of different hosts */
	uint32_t flows;
	uint32_t inner_links, unused;	/* links between switches; those that carry nothing */
	uint64_t inner_traversals;	/* links between switches that messages cross in all */
	bool all_to_all;
};

/* An exit code. */
int advise_facts(struct advise_facts *facts, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic);
void advise_facts_clear(struct advise_facts *facts);
/* A host or switch that differs from its kind: a slow link, a cable missing; "" if none does. */
void advise_cause(const struct advise_facts *facts, char *text, size_t size);

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
	bool done, estimated;
	double ns;
	uint32_t seed;			/* of the starts; 0: hosts start together */
	double spread;			/* part of ns that other starts differ; 0: not tried */
	double together_ns;		/* with hosts that start together; 0: not tried */
	uint32_t lanes;			/* virtual lanes that it takes to have no deadlock */
	uint64_t deadlocks;
};

struct advise_found {
	bool done;
	uint32_t length, duration, lower_bound;
	uint32_t parts, parts_length;	/* shorter per message; 0: none */
};

/* Plain data: the processes write it into memory that they share. */
struct advise_probes {
	size_t size;
	uint32_t hosts;
	struct {
		struct advise_order way[ADVISE_WAYS][ADVISE_SWITCHES];
		double traversals;	/* links between switches that messages cross in all */
		double lambda;
		struct advise_found schedule;
	} at[ADVISE_PLACES];
	struct {
		bool asked, done;	/* asked: there are other nodes */
		uint32_t count;
		double lambda;
	} choice;
	struct {
		bool done;
		double lambda;
	} routes[ADVISE_LANES];		/* other tables than the present ones */
	int routed;			/* the ones of ADVISE_ROUTED; -1: none */
	uint32_t list[];		/* twice as many as hosts: those chosen; ranks by host */
};

/* sample.c; an exit code */
int advise_scale(const struct advise *advise, const struct advise_facts *facts,
		 struct advise_scale *scale);
void advise_scale_clear(struct advise_scale *scale);
/*
 * An exit code; *@probes is to be unmapped by advise_probes_free(), *@routed, the fabric with the
 * tables of ADVISE_ROUTED or NULL, to be freed.
 */
int advise_probe(const struct advise *advise, const struct advise_facts *facts,
		 const struct advise_scale *scale, struct advise_probes **probes,
		 struct liquid_fabric **routed);
void advise_probes_free(struct advise_probes *probes);

/* ---- conclusions ---- */

/* Identical runs differ by up to 5 %: a smaller gain says nothing. */
#define ADVISE_GAIN_LEAST 1.05

/* In the order of effort: who has to do what */
enum { EFFORT_NOW, EFFORT_OPTION, EFFORT_PRELOAD, EFFORT_HOSTFILE, EFFORT_NODES, EFFORT_TABLES,
       EFFORT_TOKENS, EFFORT_GATES, EFFORTS };

/* Something that was tried. Times are of the whole exchange. */
struct advise_remedy {
	char name[96];			/* "other routes, pairwise" */
	int place, way;
	int effort, effort_too;		/* the greater one, and one more or EFFORT_NOW */
	double ns[ADVISE_SWITCHES];
	double spread[ADVISE_SWITCHES];	/* part of ns */
	double together_ns[ADVISE_SWITCHES];
	double gain[ADVISE_SWITCHES];	/* over what happens today */
	double network;			/* links between switches times bytes, by those of today */
	bool estimated, recommended;
	const char *why_not;		/* or NULL */
	char command[2048];
};

#define ADVISE_REMEDIES (ADVISE_PLACES * ADVISE_WAYS)

extern const char *const advise_efforts[EFFORTS];
/* "tables+option" */
const char *advise_effort(const struct advise_remedy *remedy, char text[32]);

struct advise_verdict {
	struct advise_remedy today;
	/* Those recommended, by gain with VOQ, of equal ones the least effort first; the rest. */
	struct advise_remedy remedy[ADVISE_REMEDIES];
	uint32_t remedies, recommended;
	uint64_t pair_bytes, pair_ns;	/* of a host for another: bytes, and time on a link */
	uint64_t tokens_from[ADVISE_SWITCHES];	/* bytes from which tokens pay */
	bool tokens[ADVISE_SWITCHES];	/* they do */
	uint64_t guard_ns, gates_from;	/* bytes from which the guard takes at most a tenth */
	bool gates;
	uint64_t parts_by_tokens, parts_by_gates;	/* bytes from which parts gain */
	double error;			/* of a share, the largest that was measured; 0: whole */
};

struct advise_page {
	const struct advise *advise;
	const struct advise_facts *facts;
	const struct advise_scale *scale;
	const struct advise_probes *probes;
	const struct liquid_fabric *routed;	/* with other tables, or NULL */
	const struct advise_verdict *verdict;
};

/* Fills in the page's verdict, too. */
void advise_judge(struct advise_page *page, struct advise_verdict *verdict);
void advise_print(const struct advise_page *page);
json_t *advise_json(const struct advise_page *page);
/* page.c; *@text: where the page in words goes. An exit code */
int advise_html(const struct advise_page *page, FILE **text);

/* ---- commands.c ---- */

/* What to type for a remedy, into its member command */
void advise_command(const struct advise_page *page, struct advise_remedy *remedy);
/* What to call next: commands of liquid, of @size bytes each. Returns how many. */
#define ADVISE_NEXT 4
int advise_next(const struct advise_page *page, char *text[ADVISE_NEXT], size_t size);

struct advise_library {
	const char *name;
	const char *option[ADVISE_ORDERS];	/* that chooses an order, or NULL */
};
extern const struct advise_library advise_libraries[];	/* ends with a row without a name */

#endif
