/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libliquidsched: fabrics, traffics, liquid schedules and their certificates
 *
 * Data goes one way: fabric + traffic -> solve -> schedule -> verify, or plan -> run. The
 * library keeps no global state and prints nothing. An object may be used by one thread at
 * a time, unless its functions say otherwise; different threads may use different objects.
 * Functions that can fail return an enum liquid_status (negative) and fill in struct
 * liquid_error. After a failure no object has changed and output pointers are NULL.
 *
 * Members of a struct that the caller does not set must be 0, which means the default. Structs
 * that the library makes are returned by pointer. Where a function does not change a list of @count
 * hosts, the list may be NULL, which means the hosts 0 ... @count - 1.
 *
 * The words (transfer, load, duration, team, ...) are those of Documentation/terms.rst;
 * "paper" is Gabrielyan & Hersch, liquid schedule construction (2006).
 */
#ifndef LIQUIDSCHED_H
#define LIQUIDSCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything else in the library is hidden. */
#pragma GCC visibility push(default)

#define LIQUID_NONE UINT32_MAX		/* no link, no host, no switch */
#define LIQUID_PATH_MAX 64		/* links of the longest route */
#define LIQUID_NAME_MAX 255		/* bytes of a name, without the final 0 */

enum liquid_status {
	LIQUID_OK = 0,
	LIQUID_BAD_INPUT = -1,		/* the input is invalid; the error names the place */
	LIQUID_NO_MEMORY = -2,
	LIQUID_IO = -3,			/* a file could not be read or written */
	LIQUID_LIMIT = -4,		/* no schedule within the limits given */
	LIQUID_CANCELLED = -5,		/* the progress callback asked to stop */
	LIQUID_INVALID = -6,		/* the schedule, or a proof, is not valid */
};

/* Message for the user: "file:line: reason" where there is a file. */
struct liquid_error {
	char text[1024];
};

/* Fill in @err (may be NULL) and return @status. Programs may use it for their own errors. */
int liquid_fail(struct liquid_error *err, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline int liquid_no_memory(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
}

/* ---- streams: files and memory, for the functions that read and write a FILE ---- */

struct liquid_bytes {
	char *data;
	size_t size;
};

/*
 * Open the file @path by the @mode "r" or "w"; or where @path is NULL, @bytes, which must outlive
 * the stream. What is written there is in @bytes after liquid_stream_close(): the caller frees its
 * data, whose size does not count a 0 at the end. Programs that have fopen() may use that.
 */
int liquid_stream_open(const char *path, const char *mode, struct liquid_bytes *bytes,
		       FILE **stream, struct liquid_error *err);
/* LIQUID_IO: not all that was written has got there. */
int liquid_stream_close(FILE *stream, struct liquid_error *err);

/* Names in the order in which they were written; see liquid_hostlist_expand(). */
struct liquid_names {
	char **name;
	size_t count;
};

/* ---- fabric: hosts, switches, unidirectional links, forwarding tables ---- */

/*
 * Hosts (endpoints), switches and links are each numbered from 0 in the order in
 * which they were added. A host has at most one outgoing link (a sender has one) and
 * at most one incoming link (a receiver has one). Nodes are hosts and switches in one
 * numbering: host h is node h, switch s is node host_count + s.
 */
struct liquid_fabric;

struct liquid_link {
	uint32_t from, to;		/* nodes */
	uint32_t from_port, to_port;	/* port numbers, 0 where the fabric has none */
	uint32_t capacity;		/* as written; see liquid_fabric_capacity() */
};

int liquid_fabric_new(const char *name, struct liquid_fabric **fabric, struct liquid_error *err);
void liquid_fabric_free(struct liquid_fabric *fabric);

/* Add hosts and switches, then links, then forwards. liquid_fabric_finish() checks the fabric. */
int liquid_fabric_add_host(struct liquid_fabric *fabric, const char *name,
			   struct liquid_error *err);
int liquid_fabric_add_switch(struct liquid_fabric *fabric, const char *name,
			     struct liquid_error *err);
int liquid_fabric_add_link(struct liquid_fabric *fabric, const struct liquid_link *link,
			   struct liquid_error *err);
int liquid_fabric_set_forward(struct liquid_fabric *fabric, uint32_t sw, uint32_t dst_host,
			      uint32_t link, struct liquid_error *err);
int liquid_fabric_finish(struct liquid_fabric *fabric, struct liquid_error *err);

/* Rate of a link of capacity 1 in bit/s; 0: not given. It is part of the fabric's digest. */
int liquid_fabric_set_unit_rate(struct liquid_fabric *fabric, uint64_t bps,
				struct liquid_error *err);
uint64_t liquid_fabric_unit_rate(const struct liquid_fabric *fabric);
/* Notes of the import for the user, from index 0; NULL after the last. */
const char *liquid_fabric_note(const struct liquid_fabric *fabric, size_t index);
/* What the import was asked to leave out: hosts, nodes, switches, NODE:PORT, rail:NAME. */
const struct liquid_names *liquid_fabric_left_out(const struct liquid_fabric *fabric);

/* What a host is: the port of an adapter, at a port of a switch. What is not known is 0 or "". */
struct liquid_endpoint {
	bool told;			/* by an import; else it is what the name tells */
	char node[LIQUID_NAME_MAX + 1];	/* its machine */
	char adapter[LIQUID_NAME_MAX + 1];
	uint32_t port;			/* of the adapter */
	uint32_t rail;			/* from 1; 0: the adapter's name is not its own */
	uint32_t lid, lids;		/* the first, and how many */
	uint64_t bps;			/* of its link; if not told, in whole units */
	uint32_t switch_node, switch_port;	/* where its link leads; LIQUID_NONE: it has none */
};

/* Of an alias it is that of its host. */
void liquid_fabric_endpoint(const struct liquid_fabric *fabric, uint32_t host,
			    struct liquid_endpoint *endpoint);

#define LIQUID_RAILS_MAX 64		/* of a node */

/* Endpoints of a node by rail. In a fabric of which no import told them, they are counted. */
struct liquid_rails {
	uint32_t host[LIQUID_RAILS_MAX], number[LIQUID_RAILS_MAX];
	uint32_t count;
	uint32_t endpoints;		/* of the node, with those on no rail */
	bool only;			/* @node is a host, in a fabric of one rail */
};

/* @node is a host, or what its endpoints NODE/ADAPTER/PORT have in common. */
void liquid_fabric_rails(const struct liquid_fabric *fabric, const char *node,
			 struct liquid_rails *rails);

const char *liquid_fabric_name(const struct liquid_fabric *fabric);
/*
 * Hosts, and after them aliases: the last liquid_fabric_alias_count() are not hosts. An alias is
 * another address of a host, as a LID above the base LID of a port with an LMC is. It is numbered
 * as a host and has its own forwards, which end on the link of that host. It is a destination
 * only: no link leaves it, and routes from it are refused.
 */
uint32_t liquid_fabric_host_count(const struct liquid_fabric *fabric);
uint32_t liquid_fabric_alias_count(const struct liquid_fabric *fabric);
/* The host that the alias @host is an address of; @host itself if it is not an alias. */
uint32_t liquid_fabric_owner(const struct liquid_fabric *fabric, uint32_t host);
uint32_t liquid_fabric_switch_count(const struct liquid_fabric *fabric);
uint32_t liquid_fabric_link_count(const struct liquid_fabric *fabric);
const char *liquid_fabric_node_name(const struct liquid_fabric *fabric, uint32_t node);
/* NULL: there is no such link. Links lie one after another in memory. */
const struct liquid_link *liquid_fabric_link(const struct liquid_fabric *fabric, uint32_t link);
/*
 * Transfers that @link carries per frame. In version 1 a host's link always carries one; in
 * version 2 its capacity as written. 0: no such link.
 */
uint32_t liquid_fabric_capacity(const struct liquid_fabric *fabric, uint32_t link);
/*
 * Most transfers that @host can send in a frame; 0: it has no outgoing link. Its device is this
 * many times as fast as a link of capacity 1.
 */
uint32_t liquid_fabric_host_capacity(const struct liquid_fabric *fabric, uint32_t host);
/* Write "from[port]>to[port]" into @text of @size bytes, for messages; returns @text. */
const char *liquid_fabric_link_name(const struct liquid_fabric *fabric, uint32_t link,
				    char *text, size_t size);
/* Each of these returns LIQUID_NONE if there is none. */
uint32_t liquid_fabric_find_host(const struct liquid_fabric *fabric, const char *name);
#define LIQUID_NEAR_TEXT (4 * LIQUID_NAME_MAX)
/* For messages: "; near it: a, b", the hosts that liquid_near_names() finds, or ""; in @text */
const char *liquid_fabric_near_host(const struct liquid_fabric *fabric, const char *name,
				    char text[LIQUID_NEAR_TEXT]);
/* The link of an alias is that by which its host receives; none leaves an alias. */
uint32_t liquid_fabric_host_out(const struct liquid_fabric *fabric, uint32_t host);
uint32_t liquid_fabric_host_in(const struct liquid_fabric *fabric, uint32_t host);
uint32_t liquid_fabric_forward(const struct liquid_fabric *fabric, uint32_t sw, uint32_t dst_host);

#define LIQUID_LANES_MAX 16		/* virtual lanes */

/*
 * Find the links from @src to @dst by the forwarding tables, in order. Returns their
 * number (1 ... LIQUID_PATH_MAX), or LIQUID_BAD_INPUT if there is no route (the error
 * names where it ends) or the route is a loop.
 */
int liquid_fabric_route(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
			uint32_t path[LIQUID_PATH_MAX], struct liquid_error *err);

/* An all-to-all: of each host that sends to each other one that receives, a transfer */
struct liquid_loads {
	uint64_t transfers, unreachable;	/* pairs with a route, and without */
	uint32_t senders, receivers;
	uint32_t lost;			/* a host that some senders have no route to; LIQUID_NONE */
};

/*
 * What an all-to-all of @count different @hosts puts on each link: transfers, into @load by link.
 * Aliases among them count for nothing, and pairs without a route are left out. It takes the time
 * of hosts times switches, so it is also for hosts whose pairs would be too many to list.
 */
int liquid_fabric_loads(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
			uint64_t *load, struct liquid_loads *loads, struct liquid_error *err);

/*
 * The native format, see Documentation/formats.rst. @label names the file in errors. It is read by
 * @threads threads side by side, at most 64; 0: one. As many are then at work on its digest, in the
 * proof of a schedule of orbits, and in liquid_solve() if its options say no number. All results
 * and errors are the same with any number.
 */
int liquid_fabric_read_by(FILE *in, const char *label, uint32_t threads,
			  struct liquid_fabric **fabric, struct liquid_error *err);

static inline int liquid_fabric_read(FILE *in, const char *label, struct liquid_fabric **fabric,
				     struct liquid_error *err)
{
	return liquid_fabric_read_by(in, label, 0, fabric, err);
}

int liquid_fabric_write(const struct liquid_fabric *fabric, FILE *out, struct liquid_error *err);

#define LIQUID_DIGEST_HEX 65		/* SHA-256 in hex, with the final 0 */
/*
 * Digest of links, capacities and routes in canonical order; it does not depend on numbers. A
 * finished fabric keeps it: only the first call takes time.
 */
int liquid_fabric_digest(const struct liquid_fabric *fabric, char hex[LIQUID_DIGEST_HEX],
			 struct liquid_error *err);

/* ---- import ---- */

/* A host and its addresses; 0: not known */
struct liquid_import_host {
	const char *name;
	uint64_t mac;			/* 52:54:00:12:34:56 is 0x525400123456 */
	uint32_t ipv4;			/* 10.0.0.1 is 0x0a000001 */
};

struct liquid_import {
	FILE *topo;			/* output of ibnetdiscover */
	const char *topo_label;
	FILE *lft;			/* dump_fts, opensm-lfts.dump or ibdiagnet2.far */
	const char *lft_label;
	const char *name;		/* name of the fabric; NULL: "imported" */
	/* N: only the rail that is the Nth of those that most nodes have; 0: all */
	uint32_t rail;
	/*
	 * Rate of a link of capacity 1 in bit/s. 0: the rate of most links of hosts; then a host
	 * with a slower link is refused.
	 */
	uint64_t unit_bps;
	/*
	 * List of hosts, nodes, switches (with their hosts), cables NODE:PORT (of a host: the host)
	 * and rails rail:NAME or rail:N to leave out; or NULL.
	 */
	const char *leave_out;
	/* Import even if a host has no LID, a switch no table or a pair no route. */
	bool allow_unreachable;
	/* Fabric whose import options are the defaults of the members above; or NULL. */
	const struct liquid_fabric *like;
	/* Called with notes for the user, such as what was left out or rounded down; or NULL. */
	void (*note)(void *context, const char *text);
	void *context;
	uint64_t unknown_bps;		/* bit/s of links whose rate the topology does not tell */
	/*
	 * Only this rail: the endpoints of the adapters of this name, HCA-3, or HCA-3/2 for a port
	 * other than most of them have. Digits are as the member rail. NULL: as that says.
	 */
	const char *rail_name;
	/* OpenSM's node-name-map, lines GUID "NAME" that replace descriptions of nodes; or NULL */
	FILE *node_names;
	const char *node_names_label;
	const char *strip_domain;	/* taken off the end of names of nodes; or NULL */
	const char *from;		/* one of liquid_importer_name(); NULL: the first */
	/*
	 * For "ethernet", which reads neither topo nor lft: a directory with one for each switch,
	 * named as it calls itself by LLDP, with the files that liquid-fabric(1) names; the hosts.
	 */
	const char *dir;
	const struct liquid_import_host *host;
	size_t hosts;
};
/* The importers: "infiniband", "ethernet"; NULL after the last */
const char *liquid_importer_name(size_t index);
/* The notes are kept in the fabric, too: see liquid_fabric_note(). */
int liquid_fabric_import(const struct liquid_import *import, struct liquid_fabric **fabric,
			 struct liquid_error *err);

/*
 * The fabric @before without the links between switches that import->topo no longer has; @lost is
 * how many. It has no routes, but the lanes of before: see the member from of
 * struct liquid_route_options.
 */
int liquid_fabric_living(const struct liquid_fabric *before, const struct liquid_import *import,
			 struct liquid_fabric **after, uint32_t *lost, struct liquid_error *err);

/* ---- generators ---- */

struct liquid_generator {
	const char *name;		/* "papers-5x5" */
	const char *usage;		/* its parameters, for a usage message */
	const char *source;		/* where it is published */
};
/* From index 0; NULL after the last. */
const struct liquid_generator *liquid_generator(size_t index);
/* @name is that of a generator, @params are its parameters as "key=value". */
int liquid_fabric_make(const char *name, const char *const *params, size_t param_count,
		       struct liquid_fabric **fabric, struct liquid_error *err);

/* ---- names ---- */

/*
 * "; near it: a, b" for up to three of @count names that differ least from @name, or ""; first
 * those that differ by a domain, a suffix, an adapter or in upper case. Returns @text.
 */
const char *liquid_near_names(const char *name,
			      const char *(*name_of)(const void *context, uint32_t index),
			      const void *context, uint32_t count, char *text, size_t size);
/* The number of letters to change, add or remove to turn one word into the other, or @limit + 1 */
unsigned int liquid_name_distance(const char *name, const char *word, unsigned int limit);

/* ---- lists of hosts ---- */

/* Expand a list in Slurm's syntax: "node[001-032,040],gpu7/HCA-1/1". */
int liquid_hostlist_expand(const char *list, struct liquid_names *names, struct liquid_error *err);
void liquid_names_clear(struct liquid_names *names);

/* ---- traffic: a multiset of transfers ---- */

struct liquid_traffic;

struct liquid_pair {
	uint32_t src, dst;		/* hosts */
	uint32_t count;			/* units; >= 1 */
};

int liquid_traffic_new(struct liquid_traffic **traffic, struct liquid_error *err);
void liquid_traffic_free(struct liquid_traffic *traffic);
/* Add @count pairs, which may be there already. src == dst is refused. */
int liquid_traffic_add_pairs(struct liquid_traffic *traffic, const struct liquid_pair *pairs,
			     size_t count, struct liquid_error *err);

/* Add @count units to the pair. */
static inline int liquid_traffic_add(struct liquid_traffic *traffic, uint32_t src, uint32_t dst,
				     uint32_t count, struct liquid_error *err)
{
	struct liquid_pair pair = { src, dst, count };

	return liquid_traffic_add_pairs(traffic, &pair, 1, err);
}

/* A unit for every ordered pair of distinct hosts: also more of them than can be listed. */
int liquid_traffic_alltoall(const uint32_t *hosts, size_t count, struct liquid_traffic **traffic,
			    struct liquid_error *err);
/* A unit from every sender to every receiver; a host in both sets does not send to itself. */
int liquid_traffic_cross(const uint32_t *senders, size_t sender_count,
			 const uint32_t *receivers, size_t receiver_count,
			 struct liquid_traffic **traffic, struct liquid_error *err);
/*
 * Of a fabric imported with allow_unreachable, take the pairs that have no route out of @traffic;
 * *lost has them. NULL: there are none, or the fabric is another one.
 */
int liquid_traffic_take_lost(struct liquid_traffic *traffic, const struct liquid_fabric *fabric,
			     struct liquid_traffic **lost, struct liquid_error *err);
/* Read lines of "src dst [count]"; # begins a comment. */
int liquid_traffic_read(FILE *in, const char *label, const struct liquid_fabric *fabric,
			struct liquid_traffic **traffic, struct liquid_error *err);
/*
 * The pairs are sorted by (src, dst), and each occurs once. An all-to-all lists its pairs when they
 * are first asked for. If they are more than 2^28, or there is no memory for them, the count is 0
 * and the list NULL.
 */
const struct liquid_pair *liquid_traffic_list(const struct liquid_traffic *traffic, size_t *count);

static inline size_t liquid_traffic_pair_count(const struct liquid_traffic *traffic)
{
	size_t count;

	liquid_traffic_list(traffic, &count);
	return count;
}

static inline const struct liquid_pair *liquid_traffic_pairs(const struct liquid_traffic *traffic)
{
	size_t count;

	return liquid_traffic_list(traffic, &count);
}

uint64_t liquid_traffic_transfer_count(const struct liquid_traffic *traffic);
int liquid_traffic_digest(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			  char hex[LIQUID_DIGEST_HEX], struct liquid_error *err);

/* Compute the load of each link (paper, section 4); @load has link_count entries. */
int liquid_traffic_loads(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 uint64_t *load, struct liquid_error *err);

/* ---- ranks: a parallel program's processes on hosts ---- */

/* Where the ranks 0, 1, ... of a program run (Slurm's block and cyclic distribution). */
struct liquid_ranks {
	const uint32_t *hosts;		/* each once, in the order of the ranks; or NULL */
	size_t count;
	uint32_t tasks_per_host;
	bool cyclic;			/* rank r is on host r % count, not r / tasks_per_host */
	uint64_t unit_bytes;		/* size of a transfer; for a matrix */
	/* Whose names of hosts may label rows and columns of a matrix, in any order. NULL: none. */
	const struct liquid_fabric *fabric;
	bool named;			/* they must, and hosts without a row send nothing */
};

/* Traffic of MPI_Alltoall: a unit from each rank to each rank on another host. */
int liquid_ranks_alltoall(const struct liquid_ranks *ranks, struct liquid_traffic **traffic,
			  struct liquid_error *err);
/*
 * Read a matrix: a row per sender with the bytes for each receiver, separated by commas,
 * semicolons or white space; # begins a comment. Whole numbers may be decimal fractions, and rows
 * and columns labelled 0, 1, ... or by names of hosts. The number of columns says whether rows are
 * hosts or ranks. The bytes from host to host are summed and rounded up to units.
 */
int liquid_ranks_read_matrix(FILE *in, const char *label, const struct liquid_ranks *ranks,
			     struct liquid_traffic **traffic, struct liquid_error *err);
enum liquid_order {
	LIQUID_ORDER_SWITCHES,		/* next to each other are hosts close in the fabric */
	/*
	 * The steps of a shift exchange contend as little as was found by swapping hosts. All must
	 * have routes to each other. In none of the orders tried does it take fewer frames.
	 */
	LIQUID_ORDER_SHIFT,
};

/* Sort @hosts, each there once. The same arguments give the same order. */
int liquid_ranks_order(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
		       enum liquid_order order, struct liquid_error *err);
/*
 * Count the frames of a shift exchange in the order of @hosts: in step k the i-th host sends to
 * the (i + k)-th, and all wait for the slowest. Without congestion there are @count - 1.
 */
int liquid_ranks_shift_frames(const struct liquid_fabric *fabric, const uint32_t *hosts,
			      size_t count, uint64_t *frames, struct liquid_error *err);

/* ---- choosing nodes for a job ---- */

/*
 * Which @count of the candidates exchange fastest. Choices are compared by lambda, the greatest
 * load / capacity over the links (paper, section 4), and those of equal lambda by spread, the
 * links between switches that all transfers cross in all. The same options give the same choice.
 */
struct liquid_choose_options {
	/*
	 * Candidates: node i sends as senders[i] and receives as receivers[i], or where
	 * receivers is NULL as the same host; both NULL: node i is host i. In an all-to-all
	 * a node that has two hosts also sends to itself, as in the papers.
	 */
	const uint32_t *senders, *receivers;
	size_t candidates;
	uint32_t count;			/* nodes to choose */
	/*
	 * Units from place to place: its hosts are the numbers 0 ... count - 1, and what is chosen
	 * for place i comes i-th in the result. NULL: an all-to-all of a unit each.
	 */
	const struct liquid_traffic *traffic;
	uint64_t seed;
	uint64_t work;			/* budget in steps along routes; 0: the default */
};

enum liquid_choice_proof {
	LIQUID_CHOICE_UNPROVEN,
	LIQUID_CHOICE_LAMBDA,		/* no choice has less lambda */
	LIQUID_CHOICE_BEST,		/* none has less lambda, or as little and less spread */
};

#define LIQUID_CHOICE_DRAWS 15		/* random choices that a choice is compared with */

struct liquid_choice {
	uint32_t count;			/* nodes */
	const uint32_t *senders, *receivers;	/* hosts, mostly the same ones */
	uint64_t transfers;
	double lambda;			/* times of a transfer on a link of capacity 1 */
	uint64_t spread;		/* links between switches that transfers cross, in all */
	double bound;			/* no choice of as many candidates has less lambda */
	enum liquid_choice_proof proof;
	/* Lambdas of other choices; INFINITY: without a route for some pair. */
	double first_lambda;		/* of the first candidates */
	double random_lambda;		/* median of random choices */
	double random_least, random_most;
	uint64_t first_spread, random_spread;
	uint32_t candidates, classes;	/* classes of exchangeable candidates */
	uint64_t allocations;		/* choices up to exchangeable ones, if all are tried */
	uint64_t trials, work;		/* nodes put somewhere to see; steps along routes */
};

/*
 * Returns LIQUID_BAD_INPUT if there are fewer candidates than @count, a candidate is named twice or
 * has no link, or no such number of candidates with routes to each other was found.
 */
int liquid_choose(const struct liquid_fabric *fabric, const struct liquid_choose_options *options,
		  struct liquid_choice **choice, struct liquid_error *err);
void liquid_choice_free(struct liquid_choice *choice);

/* ---- routes for a traffic ---- */

struct liquid_route_options {
	const struct liquid_traffic *traffic; /* NULL: a transfer for each pair of hosts */
	uint32_t lanes;			/* virtual lanes at most; 0: one */
	/* Routes may wait for each other in a circle: the network drops packets, as Ethernet. */
	bool circles;
	uint64_t seed;
	/* Changes to try for each start, and with schedule for each try of it; 0: by the size */
	uint64_t work;
	/*
	 * The fabric of before, with its routes and lanes: change only the trees that no longer
	 * work. Its nodes and ports have the same names. NULL: route anew.
	 */
	const struct liquid_fabric *from;
	/*
	 * Each host gets 2^lmc addresses, LIQUID_LMC_MAX at most: aliases HOST.1, HOST.2 ... Each
	 * pair of the traffic is given one of them. 0: hosts have the aliases of from, or none.
	 */
	uint32_t lmc;
	/* Links that a route may have more than the shortest one; NULL: any number */
	const uint32_t *stretch;
	/*
	 * Find a schedule, too, and change the routes where that makes it shorter; not with from
	 * or lmc.
	 */
	bool schedule;
};

#define LIQUID_LMC_MAX 7		/* of InfiniBand: 128 addresses */

struct liquid_routing {
	/*
	 * The same fabric with the tables found; and lanes. Of the aliases it has those that the
	 * traffic uses and whose routes differ from those of its host's lower addresses.
	 */
	struct liquid_fabric *fabric;
	uint32_t lanes;			/* in use */
	bool circles;			/* were allowed */
	const uint8_t *lane;		/* by host of that fabric: lane of packets to it */
	double load;			/* greatest load by capacity: the duration that is found */
	double switch_load;		/* of these, the greatest between switches */
	uint32_t busiest;		/* links between switches that have it */
	uint64_t hops;			/* links between switches that all transfers take */
	double bound;			/* no routes have a smaller load, even if they split */
	/*
	 * By link: prices that prove the bound. Each transfer pays at least the distance of its
	 * ends, so the load is at least all distances over all prices times capacities.
	 */
	const uint64_t *price;
	uint32_t moved;			/* with from: addresses to which some route has changed */
	/* With lmc: the traffic with the address that each pair is given; or NULL */
	struct liquid_traffic *traffic;
	/*
	 * No routes that do not split have a smaller load. Where all links between switches have
	 * capacity 1, loads are whole numbers; and what the hosts of a switch send to an address
	 * stays together, so loads may be multiples of more.
	 */
	double least;
	struct liquid_schedule *schedule; /* with such an option: for these routes; or NULL */
	/*
	 * What a pairwise exchange takes, in messages' times: the sum, over the shifts d of the
	 * hosts, of the greatest load that i -> i + d gives a link between switches, or 1. Tables
	 * of the same load differ by it. 0: the traffic is not an all-to-all, or with lmc
	 */
	double shifts;
};

/*
 * Find forwarding tables that make the greatest load of the traffic small, without a circle of
 * dependencies in any lane (Dally and Seitz, deadlock-free message routing, 1987). The tables that
 * @fabric has are one of several starts. The result is the same on every machine.
 */
int liquid_route(const struct liquid_fabric *fabric, const struct liquid_route_options *options,
		 struct liquid_routing **routing, struct liquid_error *err);
void liquid_routing_free(struct liquid_routing *routing);

/* Files of OpenSM */
enum liquid_opensm {
	/*
	 * The tables (opensm -R file -U FILE). Rows for switches and for hosts that were left out
	 * close no circle either; a row is missing where that is not possible.
	 */
	LIQUID_OPENSM_TABLES,
	/*
	 * The lanes as service levels by destination (opensm -Q -Y FILE), which only programs use
	 * that ask the subnet administrator for a path.
	 */
	LIQUID_OPENSM_QOS_POLICY,
	LIQUID_OPENSM_OPTIONS,		/* for these lanes (opensm -F FILE) */
};

/*
 * @import names the output of ibnetdiscover that the fabric was imported from, with the same rail,
 * for LIDs and GUIDs; not used for the options.
 */
int liquid_routing_write(const struct liquid_routing *routing, enum liquid_opensm file,
			 const struct liquid_import *import, FILE *out, struct liquid_error *err);

/*
 * Compute the bound that @witness proves: no routes of @traffic have a smaller greatest load by
 * capacity. The witness is JSON, {"kind":"prices","links":[["link",PRICE],...]}. Shares no code
 * with liquid_route(). LIQUID_INVALID: it proves nothing, and the error says why.
 */
int liquid_verify_prices(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 const char *witness, double *bound, struct liquid_error *err);
/*
 * Do packets of some lane wait for each other in a circle, whatever is sent? Follows every route,
 * with code that shares nothing with liquid_route(). Returns 1 if so, and then names the links of
 * the circle in @circle, in order; @count is how many; the caller frees it.
 */
int liquid_fabric_find_circle(const struct liquid_fabric *fabric, uint32_t **circle,
			      uint32_t *count, struct liquid_error *err);

/* ---- capillary routing: a stream over many ways, and the redundancy that failures take ---- */

/*
 * How one stream is spread over a fabric so that a broken link takes as little of it as possible,
 * without regard to forwarding tables: thesis (Gabrielyan 2006), chapter 4. Layer by layer the
 * greatest load is minimised: that of the bottlenecks of layer 1, then that of the rest, and
 * so on. Shares are parts of the stream, 0 to 1. Other hosts than the two ends relay nothing.
 */
struct liquid_capillary_options {
	uint32_t from, to;		/* nodes: hosts or switches */
	uint32_t layers;		/* layers to build at most; 0: all */
};

struct liquid_capillary_layer {
	double factor;			/* F: how much the flow grew; >= 1 except for rounding */
	/*
	 * Product of the factors up to here: a bottleneck's share is its capacity over this
	 * (thesis, eq. 19).
	 */
	double product;
	uint32_t bottlenecks;
	const uint32_t *bottleneck;	/* links */
};

struct liquid_capillary {
	uint32_t from, to;
	uint32_t layers;
	bool complete;			/* all of the stream is in bottlenecks of these layers */
	const struct liquid_capillary_layer *layer;
};

/*
 * Thesis, section 4.2.2, by maximum flows. Supplies are exact, so errors do not grow from layer to
 * layer; links that are full except for 10^-9 of their capacity are bottlenecks. Returns
 * LIQUID_BAD_INPUT if an end is not a node, both are the same or no links lead from one to the
 * other. Free it with liquid_capillary_free().
 */
int liquid_capillary(const struct liquid_fabric *fabric,
		     const struct liquid_capillary_options *options,
		     struct liquid_capillary **capillary, struct liquid_error *err);
void liquid_capillary_free(struct liquid_capillary *capillary);
/*
 * Write the share of each link by @layer (1 ... layers) into @share, which has an entry for each
 * link of the fabric: the bottlenecks of the layers up to it, and the rest over as few links as
 * possible (thesis, Fig. 47). The same arguments give the same shares.
 */
int liquid_capillary_pattern(const struct liquid_capillary *capillary, uint32_t layer,
			     double *share, struct liquid_error *err);
/*
 * Write what @layer (1 ... layers) solves as an LP file (GLPK, CBC, HiGHS): maximise F (thesis,
 * eqs. 16 to 18). Variables are F and x with the number of the link.
 */
int liquid_capillary_write_lp(const struct liquid_capillary *capillary, uint32_t layer, FILE *out,
			      struct liquid_error *err);

#define LIQUID_WAYS_MAX 65536u

struct liquid_way {
	double weight;			/* share of the stream */
	uint32_t links;
	const uint32_t *link;		/* from end to end */
};

struct liquid_ways {
	uint32_t count;
	const struct liquid_way *way;	/* the widest first */
	const double *share;		/* by link of the fabric: weights of its ways */
};

/*
 * Make at most @most (1 ... LIQUID_WAYS_MAX) ways of the last layer's pattern: the widest first,
 * with weights in proportion to their widths. Free them with liquid_ways_free().
 */
int liquid_capillary_ways(const struct liquid_capillary *capillary, uint32_t most,
			  struct liquid_ways **ways, struct liquid_error *err);
void liquid_ways_free(struct liquid_ways *ways);

/*
 * FEC_p: the least number of packets of which, at a loss of @loss (0 to below 1), fewer than
 * @block arrive with a probability of at most @der, above 0 and below 0.5 (thesis, section 4.3.2,
 * eq. 25). Returns LIQUID_BAD_INPUT for other arguments, LIQUID_LIMIT for more than 2^30 packets.
 */
int liquid_fec_size(double loss, uint32_t block, double der, uint32_t *size,
		    struct liquid_error *err);

struct liquid_ror_options {
	double tolerance;		/* t: loss that is always borne, 0 to below 1 */
	uint32_t block;			/* M: source packets of a block; 0: very many (eq. 29) */
	double der;			/* rate of blocks that may fail; used with a block */
	/*
	 * Mean time between failures of a link and duration of one, to count failures of two links
	 * at a time; 0: one at a time.
	 */
	uint64_t fail_every_ns, fail_for_ns;
};

/*
 * Redundancy overall requirement (thesis, section 4.3). While links fail one at a time, D each, the
 * sender of P packets per second (with the FEC of the tolerance) adds D P ror packets.
 */
struct liquid_ror {
	double ror;			/* eq. 23 or 29; with failure times also pairs */
	uint32_t fec;			/* FEC_t, packets of a block; 0: no block */
	uint32_t footprint;		/* links in use */
	uint32_t critical;		/* of them, those that carry all: no redundancy helps */
	uint32_t tolerated;		/* those of a share below the tolerance */
	double greatest;		/* greatest share below 1; near 1 it makes up most of ror */
	/* With failure times, appendix G. */
	double overlap;			/* probability that two failures overlap (eq. 39) */
	double single, pairs;		/* sums over links and pairs of links (eqs. 46, 53) */
	/* Of those sums: k1 and k2 2 / (footprint - 1), times the share of D without overlap */
	double single_weight, pair_weight;
};

/*
 * Rate the pattern @share, by link of @fabric. Returns LIQUID_BAD_INPUT for a share outside 0 to 1,
 * an option out of range, and with failure times for shares that go round in a circle.
 */
int liquid_ror(const struct liquid_fabric *fabric, const double *share,
	       const struct liquid_ror_options *options, struct liquid_ror *ror,
	       struct liquid_error *err);

/* ---- schedules ---- */

struct liquid_schedule;

enum liquid_certificate {
	LIQUID_CERT_LIQUID,		/* length == duration */
	LIQUID_CERT_OPTIMAL,		/* longer, and proven that no shorter exists */
	LIQUID_CERT_GAP,		/* longer than the proven lower bound; may not be optimal */
};
const char *liquid_certificate_name(enum liquid_certificate certificate);

struct liquid_schedule_info {
	const char *fabric_name;
	const char *fabric_digest, *traffic_digest;
	const char *method;
	uint64_t seed, work;
	uint64_t unit_bytes;			/* 0: not given */
	uint64_t link_rate_bps;			/* rate of a link of capacity 1; 0: not given */
	uint64_t transfers;
	uint32_t duration;			/* paper, eq. 2; ceil(load / capacity) */
	double fluid_bound;			/* largest load / capacity */
	uint32_t length;			/* frames */
	uint32_t lower_bound;			/* proven least length, frames */
	enum liquid_certificate certificate;
	const char *witness_json;		/* proof of the bound; NULL: it is the duration */
	uint32_t wavelengths;			/* frames per timeslot; 0: no timeslots */
	uint32_t timeslots;			/* number of timeslots; 0 without wavelengths */
	uint32_t timeslot_bound;		/* proven least number of timeslots */
	uint32_t version;			/* version of the JSON format: 1 or 2 */
	/*
	 * Equal parts of a message, of which each transfer of a frame carries one; 1: messages are
	 * whole. Each unit of a pair is there that number of times in the frames. All figures above
	 * count parts and frames of parts, so that a message takes length / parts frames; but
	 * traffic_digest and unit_bytes are those of whole messages.
	 */
	uint32_t parts;
};
#define LIQUID_PARTS_MAX 64u		/* of a message */

/* Bytes of a transfer of a frame: those of a part, rounded up; 0: the schedule has none. */
static inline uint64_t liquid_part_bytes(const struct liquid_schedule_info *info)
{
	return info->unit_bytes / info->parts + (info->unit_bytes % info->parts > 0);
}

struct liquid_transfer {
	uint32_t src, dst;		/* hosts of the fabric of the schedule */
};

/* Remarks on one transfer in a list, in addition to its frame. Most schedules have no marks. */
struct liquid_mark {
	uint32_t frame, src, dst;	/* one transfer of this pair */
	uint32_t way;			/* which path of the pair; 0: that of the tables */
	/*
	 * The transfer begins only when all has arrived that the frames 0 ... @after - 1 bring to
	 * its source for the same member; 0: it waits for nothing.
	 */
	uint32_t after;
	/* Of a plan: a communicator of a split, a job, a phase, a storage client; 0: none */
	uint32_t member;
	bool reverse;			/* its destination asks for it, as by an RDMA READ */
};

/*
 * The shape of an all-to-all whose transfers are not listed: its hosts are numbered as places, such
 * that those of a switch follow each other. They are cut into blocks of at most @turns. All
 * transfers are images of few by two symmetries.
 *
 * Turns: tables know the destination only, so that hosts of a switch are twins as senders. What
 * the block's host of slot j sends in turn t, that of slot j + 1 sends in turn t + 1.
 *
 * Shifts: renamings of places that the forwarding tables keep. Each adds 1 modulo @count to the
 * digit place / stride % count. The places whose digits are all 0 are the classes of receivers,
 * in their order; any other place is the image of one of them by its digits.
 *
 * Frames are of kinds, one kind after the other. A base frame of a kind has @phases phases of
 * @turns frames. An image by digits x1, x2, ... is weight[1] * x1 + weight[2] * x2 + ... phases
 * later, modulo @phases.
 *
 * So the schedule is told by frame[class * blocks + block]: when the block's host of slot 0 sends
 * to the place of the class. To itself it sends nothing; then the frame says when the others of
 * the block do. The last frame of all is left out if no host sends in it.
 *
 * Some places may be left out: they neither send nor receive, and all others do when they would
 * if no host were left out.
 */
#define LIQUID_SHIFTS_MAX 8
#define LIQUID_KINDS_MAX 4

struct liquid_shift {
	uint32_t stride, count;
};

struct liquid_kind {
	uint32_t phases, frames;	/* base frames */
	uint32_t weight[LIQUID_SHIFTS_MAX];
};

struct liquid_shape {
	uint32_t places, turns, blocks, classes, shifts, kinds;
	uint32_t frames;		/* of all kinds: the length, or one more */
	const uint32_t *first;		/* by block, and blocks: its first place */
	const uint32_t *frame;		/* by class and block */
	const uint32_t *host;		/* by place: its host of the schedule; NULL: the same */
	struct liquid_shift shift[LIQUID_SHIFTS_MAX];
	struct liquid_kind kind[LIQUID_KINDS_MAX];
	uint32_t left_out;		/* places that take no part */
	const bool *out;		/* by place: is it left out? NULL: none is */
};

void liquid_schedule_free(struct liquid_schedule *schedule);
const struct liquid_schedule_info *liquid_schedule_info(const struct liquid_schedule *schedule);
/* NULL: there is only the list of transfers. */
const struct liquid_shape *liquid_schedule_shape(const struct liquid_schedule *schedule);

/* All transfers, one frame after another, in each sorted by (src, dst) */
struct liquid_transfers {
	const struct liquid_transfer *transfer;
	const uint32_t *first;		/* by frame, and the length: its first transfer */
};

/*
 * List all transfers, as the functions that look at frames do where they are not listed yet. Also
 * of a schedule that other threads read. @list may be NULL. LIQUID_LIMIT: more than 2^28
 */
int liquid_schedule_list(const struct liquid_schedule *schedule, struct liquid_transfers *list,
			 struct liquid_error *err);

/* Transfers of frame @frame (0 ... length - 1). NULL where liquid_schedule_list() fails */
static inline const struct liquid_transfer *
liquid_schedule_frame(const struct liquid_schedule *schedule, uint32_t frame, size_t *count)
{
	struct liquid_transfers list;

	*count = 0;
	if (frame >= liquid_schedule_info(schedule)->length ||
	    liquid_schedule_list(schedule, &list, NULL))
		return NULL;
	*count = list.first[frame + 1] - list.first[frame];
	return list.transfer + list.first[frame];
}

/* Sorted by frame, source and destination; NULL: there are none. */
const struct liquid_mark *liquid_schedule_marks(const struct liquid_schedule *schedule,
						size_t *count);
/* The JSON format, see Documentation/formats-schedule.rst. */
int liquid_schedule_write_json(const struct liquid_schedule *schedule,
			       const struct liquid_fabric *fabric, FILE *out,
			       struct liquid_error *err);
/*
 * Hosts are matched with those of @fabric by name. If @fabric is NULL, hosts are
 * numbered in the order in which they first appear (see liquid_schedule_host_name()):
 * for nodes that have no fabric file.
 */
int liquid_schedule_read_json(FILE *in, const char *label, const struct liquid_fabric *fabric,
			      struct liquid_schedule **schedule, struct liquid_error *err);
uint32_t liquid_schedule_host_count(const struct liquid_schedule *schedule);
/* Also of a host that is left out; NULL: there is none of this number. */
const char *liquid_schedule_host_name(const struct liquid_schedule *schedule, uint32_t host);
/* LIQUID_NONE: the schedule has no such host, or leaves it out. */
uint32_t liquid_schedule_find_host(const struct liquid_schedule *schedule, const char *name);
/*
 * Number the hosts of a schedule that was read without a fabric as @fabric does. Returns
 * LIQUID_BAD_INPUT if @fabric lacks one of them.
 */
int liquid_schedule_renumber(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
			     struct liquid_error *err);
/*
 * Make the traffic that the schedule carries: the sum of its frames, where each part of a message
 * counts as one. With @fabric, which may be NULL, hosts have its numbers, and transfers of hosts
 * that it does not have are left out.
 */
int liquid_schedule_traffic(const struct liquid_schedule *schedule,
			    const struct liquid_fabric *fabric, struct liquid_traffic **traffic,
			    struct liquid_error *err);

/* Most transfers that @src sends in any frame. */
uint32_t liquid_schedule_at_once(const struct liquid_schedule *schedule, uint32_t src);
/*
 * The schedule of one node, for a gate that sends to one destination at a time. Each frame is cut
 * into @parts equal parts, which are divided among the transfers that @src begins in the frame.
 * dst[f * parts + p] is the host to which @src sends in part p of frame f; LIQUID_NONE in an idle
 * frame. @dst has length * parts entries. A transfer that is marked reverse is begun by its
 * destination: there @dst has the host that is asked. Returns LIQUID_BAD_INPUT if @src begins more
 * than @parts transfers in a frame, or any transfer has a way: a gate cannot choose it.
 */
int liquid_schedule_slice(const struct liquid_schedule *schedule, uint32_t src, uint32_t parts,
			  uint32_t *dst, struct liquid_error *err);

/*
 * List only what some hosts send, each host once: frames may be empty, and there are no marks. The
 * figures are those of the whole.
 */
int liquid_schedule_sample(const struct liquid_schedule *schedule, const uint32_t *hosts,
			   size_t count, struct liquid_schedule **sample, struct liquid_error *err);
/*
 * Links of the longest path of a transfer, or of one that hosts left out would have. @schedule has
 * passed liquid_verify() on @fabric.
 */
int liquid_schedule_hops(const struct liquid_schedule *schedule,
			 const struct liquid_fabric *fabric, uint32_t *hops,
			 struct liquid_error *err);

/*
 * Attach a JSON value of the caller's own that is written with the schedule under @key. Readers
 * ignore it. A key of the format takes precedence over @key.
 */
int liquid_schedule_attach(struct liquid_schedule *schedule, const char *key, const char *json,
			   struct liquid_error *err);

/*
 * Timeslots of a WDM network: @wavelengths frames run at the same time, each on its own
 * wavelength. Frame f is in timeslot f / wavelengths, on wavelength f % wavelengths.
 */
int liquid_schedule_set_wavelengths(struct liquid_schedule *schedule, uint32_t wavelengths,
				    struct liquid_error *err);

/* ---- solving ---- */

/* Of a progress callback: end with the best schedule so far */
#define LIQUID_ENOUGH	2

struct liquid_progress {
	const char *phase;
	uint64_t done, total;		/* transfers: placed, in all */
	uint32_t best_length;		/* frames of the best schedule so far; 0: none */
	uint32_t lower_bound;		/* proven least length, frames */
	uint64_t work;			/* operations since the phases began; a list begins anew */
};

struct liquid_solve_options {
	const char *method;		/* one of liquid_method_name(); NULL: "auto" */
	uint64_t seed;
	uint64_t work;			/* budget in operations of the solver; 0: the default */
	/* Wall time in s; 0: none. With it the result depends on the machine. */
	double time_limit;
	uint64_t unit_bytes;		/* size of a transfer, for the schedule; 0: not given */
	/*
	 * Rate of a link of capacity 1, for the schedule; 0: that of the fabric. If both are
	 * given they must be equal.
	 */
	uint64_t link_rate_bps;
	/*
	 * An earlier schedule, of this fabric or another; or NULL. Its transfers stay in
	 * their frames where possible. The result is at most 5 % longer than without it.
	 */
	const struct liquid_schedule *from;
	/*
	 * Called now and then, and when a method's turn or the search for orbits ends: what was
	 * spent and gained since the last call is by @phase. LIQUID_ENOUGH ends the search with the
	 * best schedule so far; another value than 0, as LIQUID_CANCELLED, without one.
	 */
	int (*progress)(void *context, const struct liquid_progress *progress);
	void *context;
	/*
	 * Threads at work side by side, at most 64; 0: as many as have read the fabric. The result
	 * is the same with any number. Only a schedule of orbits has work for several.
	 */
	uint64_t threads;
	bool list;			/* the result has no shape: all its transfers are listed */
	/*
	 * A message may be sent in equal parts, at most so many; 0 or 1: it is sent whole. In parts
	 * it takes length / parts frames, which may be fewer than in any schedule of whole
	 * messages. LIQUID_PARTS_FEW: as few parts as come within 0.5 % of the bound. There are
	 * fewer where a method or the memory cannot take more. Not with an earlier schedule, a time
	 * limit or the method "compact"
	 */
	uint32_t parts;
};
#define LIQUID_PARTS_FEW UINT32_MAX	/* at most 32 */
/* Names of the methods, from index 0; NULL after the last. */
const char *liquid_method_name(size_t index);
/*
 * Find a schedule of @traffic. The result has a shape if it is that of a large all-to-all
 * (liquid_traffic_alltoall()) and no list is shorter, or its transfers are too many to list. By the
 * method "compact" it always has one, which asks of each host to have one link of capacity 1 into a
 * switch, and of the fabric to have no aliases.
 */
int liquid_solve(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 const struct liquid_solve_options *options, struct liquid_schedule **schedule,
		 struct liquid_error *err);

/* ---- full teams: what a frame of a liquid schedule can be ---- */

/* The papers' searches for full teams; each leaves out what the one before does not. */
enum liquid_team_search {
	LIQUID_TEAMS_NAIVE,		/* fission of categories alone */
	LIQUID_TEAMS_BLANK,		/* without blank categories */
	LIQUID_TEAMS_IDLE,		/* without idle ones */
	LIQUID_TEAMS_SKELETON,		/* the skeleton first: the transfers that use bottlenecks */
	LIQUID_TEAMS_SEARCHES
};

struct liquid_teams {
	uint64_t transfers, skeleton;	/* skeleton: those that use a bottleneck */
	uint32_t duration;		/* frames */
	uint64_t full_simultaneities;	/* at least so many, unless the BLANK search ended */
	uint64_t full_teams;		/* at least so many, unless the SKELETON search ended */
	uint64_t categories[LIQUID_TEAMS_SEARCHES];	/* that each search went through */
	bool ended[LIQUID_TEAMS_SEARCHES];		/* within the work */
};

/*
 * Called for each full simultaneity or team, with its transfers sorted by (src, dst); a return
 * value other than 0 cancels.
 */
typedef int (*liquid_team_report)(void *context, const struct liquid_transfer *transfers,
				  size_t count);
/*
 * List the full teams of the traffic, or with @all its full simultaneities: sets of transfers
 * without congestion which no other transfer fits in. A team uses all bottlenecks. @work: the
 * budget of each search in operations, 0: the default; @report may be NULL. Returns
 * LIQUID_BAD_INPUT if the traffic has more than 16384 pairs, or if several units of a pair fit
 * into one frame.
 */
int liquid_list_teams(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      bool all, uint64_t work, liquid_team_report report, void *context,
		      struct liquid_teams *teams, struct liquid_error *err);

/* ---- change ---- */

struct liquid_change {
	uint64_t kept, moved, gone, added;	/* transfers; hosts are matched by name */
};

/* Called for a transfer that changed its frame; LIQUID_NONE as @from: added, as @to: gone. */
typedef void (*liquid_change_report)(void *context, const char *src, const char *dst,
				     uint32_t from, uint32_t to);
/* Fill in @change. @report (may be NULL) is called in the order of the names. */
int liquid_schedule_compare(const struct liquid_schedule *from,
			    const struct liquid_schedule *to, struct liquid_change *change,
			    liquid_change_report report, void *context, struct liquid_error *err);

/*
 * Explain why @schedule of @traffic is longer than the duration. The caller frees the
 * sentences in *@text; they are also attached to the schedule as "explanation"
 * (formats-schedule.rst). @work is the budget of its searches; 0: the default.
 */
int liquid_explain(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		   struct liquid_schedule *schedule, uint64_t work, char **text,
		   struct liquid_error *err);

/* ---- better bounds ---- */

/* How many frames a traffic needs if they may be mixed in any proportion: 1/2 of one, 1/3 ... */
struct liquid_mix {
	uint32_t classes;		/* of transfers with one price; 0: not examined */
	double least;			/* frames, proven */
	double most;			/* frames of the best mix found; no prices prove more */
	bool ended;			/* no better mix was found; else the work was spent */
	bool too_large;			/* too many classes: nothing was tried */
};
/*
 * Raise the lower bound of @schedule, which is a valid one of the traffic, by prices of transfers
 * at which no frame is worth more than another number: column generation. The witness is replaced
 * if the verifier accepts the new one. Does nothing if the schedule is as short as its bound. The
 * schedule gets @mix as "mix" (formats-schedule.rst). @work is the budget in operations; 0: the
 * default. Call it before liquid_schedule_set_wavelengths().
 */
int liquid_raise_bound(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		       struct liquid_schedule *schedule, uint64_t work, struct liquid_mix *mix,
		       struct liquid_error *err);

/* ---- export to other solvers ---- */

enum liquid_model {
	/*
	 * The model of the paper's appendix B as an LP file (CBC, GLPK, HiGHS). With 0 frames it
	 * asks for the fewest, with a variable for each frame in use; else whether that many are
	 * enough.
	 */
	LIQUID_MODEL_MILP,
	/*
	 * The congestion graph, to be coloured; the number of frames is ignored. LIQUID_BAD_INPUT
	 * if a link's capacity is above 1 and congestion is not a matter of pairs.
	 */
	LIQUID_MODEL_DIMACS,
	/*
	 * A CNF: is that number of frames, 1 or more, enough? For SAT solvers and proof checkers.
	 */
	LIQUID_MODEL_CNF,
	LIQUID_MODELS
};

int liquid_export(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  enum liquid_model model, uint32_t frames, FILE *out, struct liquid_error *err);

/* ---- verifying, which shares only fabric and traffic with the solver ---- */

/* Called for each error; @text is a sentence that names frame, transfers and link. */
typedef void (*liquid_verify_report)(void *context, const char *text);

/*
 * Check that @schedule carries @traffic (NULL: the traffic that it claims to carry) on
 * @fabric without congestion, that no transfer is missing or extra and no frame empty,
 * and that figures and certificate are true. Returns LIQUID_OK, or LIQUID_INVALID with
 * the first error in @err; @report (may be NULL) is called for each.
 *
 * Of a schedule with a shape this is proven over classes: that the tables keep the shifts, all
 * entries of them; that the hosts of a block are twins; that no base frame overfills a link, or
 * lets a host send twice; and that names, digests and figures are true, those of the hosts that are
 * not left out. A base frame is reported by one of its frames, and where there are shifts by one of
 * each set of transfers, "and their images". If the shape is invalid, or the tables do not keep its
 * shifts, frames and figures are not checked.
 */
int liquid_verify(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  const struct liquid_schedule *schedule, liquid_verify_report report,
		  void *context, struct liquid_error *err);

/* ---- plans and runs: a schedule as each endpoint of a parallel program goes through it ---- */

/*
 * A plan has, for each rank, the pieces that it sends, in order, and the tokens that go from rank
 * to rank: "the last user of this link before you has left". With them the schedule keeps its
 * order without clock and without a gate. Documentation/plans.rst explains how to use it.
 *
 * A rank here is one endpoint, on its own host. Processes that share an endpoint share its
 * plan and its run: one of them drives it, and a piece is a part of what all of them send.
 *
 * A plan never changes: any number of threads may read one at the same time.
 */
struct liquid_plan;

/*
 * What a rank sends to a peer without a pause: the units @part ... @part + @units - 1 of the
 * @parts equal ones into which the message to that peer is cut. Lanes are the transfers that the
 * rank sends at once; it has as many as its link to the fabric has capacity, mostly one. Each has
 * its own sequence of pieces, of which one at a time is in flight.
 */
struct liquid_piece {
	uint32_t peer;			/* rank that receives it */
	uint32_t part, units, parts;
	uint32_t frame, frames;		/* first frame in the schedule; their number, 1 or more */
	uint32_t lane;
	/*
	 * Slots whose tokens it waits for: @slot ... @slot + @waits - 1. Those of the last @again
	 * come from the epoch before.
	 */
	uint32_t slot, waits, again;
	uint32_t member, after;		/* see struct liquid_mark */
};

/* The rank to inform that a piece has left, and in which of that rank's slots. */
struct liquid_token {
	uint32_t rank, slot;
};

/*
 * The message that comes to a rank from one other in an epoch: the pieces of @peer that have the
 * rank as theirs.
 */
struct liquid_incoming {
	uint32_t peer;			/* rank that sends it */
	uint32_t pieces, parts;		/* pieces that come; equal parts of the message */
	uint32_t frame;			/* first frame of the piece that begins first */
};

struct liquid_plan_info {
	uint64_t id;			/* digest; the same in all slices of a plan */
	uint32_t ranks;
	uint32_t rank;			/* whose slice it is; LIQUID_NONE: all ranks */
	uint32_t length;		/* frames of the schedule */
	bool cyclic;			/* see struct liquid_plan_options */
	/* Sums over the ranks that it has. */
	uint64_t pieces;
	uint64_t tokens;		/* sent to other ranks in an epoch */
	uint64_t edges;			/* tokens without the reduction; 0 in a slice */
	uint64_t memory_bytes;		/* of the plan */
	uint64_t unit_bytes;		/* size of a transfer; 0: the schedule has none */
};

struct liquid_plan_options {
	/* Host of each rank, each host once; NULL: rank r is host r, for all hosts. */
	const uint32_t *host_of_rank;
	/* Entries of host_of_rank; with NULL 0 or the number of hosts. */
	uint32_t ranks;
	/*
	 * The plan is run again and again without a barrier between: the first users of a link
	 * wait for the last of the epoch before.
	 */
	bool cyclic;
	/*
	 * liquid_plan_make_matrix(): the cost of a piece in addition to its bytes, in bytes that a
	 * link carries meanwhile, such as those of a token's time; below 2^40. More makes larger
	 * units.
	 */
	uint64_t piece_bytes;
};

/*
 * Make the plan of @schedule on @fabric; @options may be NULL. Returns LIQUID_BAD_INPUT if the
 * schedule has wavelengths or a host without a rank, or exceeds a link's capacity: it was made
 * for another fabric; or if a transfer has a way, is asked for by its destination, or waits for
 * its own frame or a later one.
 */
int liquid_plan_make(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
		     const struct liquid_plan_options *options, struct liquid_plan **plan,
		     struct liquid_error *err);
/*
 * Solve and plan an exchange of messages of different sizes: @bytes has ranks x ranks entries
 * (hosts x hosts without host_of_rank), a row per sender; what a rank sends to itself is left out.
 * The bytes of a transfer are solve->unit_bytes, or chosen if that is 0 or @solve is NULL; the
 * plan's info tells them. The same input gives the same plan on every machine unless @solve has a
 * time limit. A matrix of zeros has a plan without pieces; a message has at most 2^40 bytes.
 */
int liquid_plan_make_matrix(const struct liquid_fabric *fabric, const uint64_t *bytes,
			    const struct liquid_plan_options *options,
			    const struct liquid_solve_options *solve, struct liquid_plan **plan,
			    struct liquid_error *err);
void liquid_plan_free(struct liquid_plan *plan);
const struct liquid_plan_info *liquid_plan_info(const struct liquid_plan *plan);

/*
 * Pieces of @rank by lane, and in each lane in the order in which they are sent. NULL, and a
 * *@count of 0, for a rank that the plan does not have.
 */
const struct liquid_piece *liquid_plan_pieces(const struct liquid_plan *plan, uint32_t rank,
					      uint32_t *count);
/*
 * Tokens that @rank gives when its @piece-th piece has left. Those to itself, which only ranks
 * with several lanes have, come last; a run delivers them itself, when all of the piece has left.
 */
const struct liquid_token *liquid_plan_tokens(const struct liquid_plan *plan, uint32_t rank,
					      uint32_t piece, uint32_t *count);

/*
 * What comes to @rank, a message for each rank that sends to it, in the order in which their first
 * pieces begin in the schedule; of those that begin in one frame, by peer. With it a rank knows
 * before an exchange to whom to tell its memory, and after it whether all has come.
 */
const struct liquid_incoming *liquid_plan_incoming(const struct liquid_plan *plan, uint32_t rank,
						   uint32_t *count);
/*
 * By slot of @rank, in which tokens for it arrive, the rank whose token fills it; it is @rank for
 * those that a run delivers itself.
 */
const uint32_t *liquid_plan_givers(const struct liquid_plan *plan, uint32_t rank, uint32_t *count);

/*
 * Write what @rank needs of @plan into *@bytes, which the caller frees, for that rank to read on
 * another machine. liquid_plan_read() makes a plan that has that rank alone. It returns
 * LIQUID_BAD_INPUT for bytes that are not a slice, cut short or changed, and takes any. The plan
 * takes up to 6 times the bytes of its slice, and the slots of its run up to 8 times.
 */
int liquid_plan_slice(const struct liquid_plan *plan, uint32_t rank, void **bytes, size_t *size,
		      struct liquid_error *err);
/*
 * For a program whose ranks have other numbers, @number[r], of @ranks entries, is its number of the
 * plan's rank r; or NULL. LIQUID_BAD_INPUT also if those are not all numbers below @ranks, or the
 * plan has another number of ranks.
 */
int liquid_plan_read(const void *bytes, size_t size, const uint32_t *number, uint32_t ranks,
		     struct liquid_plan **plan, struct liquid_error *err);

/* Where in a message a piece lies, in bytes: @main at @offset, and @tail after it. */
struct liquid_cut {
	uint64_t offset, main, tail;
};
/*
 * Cut a piece of a message of @message bytes. The tail, of at most @tail bytes, is what may still
 * be under way when the piece's tokens are given: the bytes that the link sends in the time that
 * a token takes. All pieces of a message together are the message.
 */
void liquid_piece_cut(const struct liquid_piece *piece, uint64_t message, uint64_t tail,
		      struct liquid_cut *cut);

/*
 * A run takes one rank through its plan. It does no I/O, has no clock, and allocates nothing
 * after liquid_run_new(): the caller asks what is next, does it, and says what has happened.
 */
struct liquid_run;

enum liquid_sync {
	LIQUID_SYNC_TOKENS,		/* a piece waits for tokens: no clock, no common start */
	LIQUID_SYNC_CLOCK,		/* a piece waits for the begin of its frame */
	LIQUID_SYNC_ORDER,		/* a piece waits for the one before it alone */
};

struct liquid_run_options {
	enum liquid_sync sync;		/* the same on all ranks */
	/* Longest wait for tokens of a piece in ns, after which it goes without; 1 or more. */
	int64_t timeout_ns;
	/* Waits that may time out in an epoch; then no more is waited for in it. 0: 1. */
	uint32_t timeouts;
	int64_t frame_ns;		/* length of a frame with a clock; 1 or more */
	/*
	 * By slot, the memory into which others write tokens; it begins as zeros and outlives
	 * the run. NULL: the run's own, for liquid_run_token().
	 */
	uint64_t *slots;
	/*
	 * The first epoch that begins, the same on all ranks; 0: 1. Above the epochs of earlier
	 * runs over the same slots: their tokens count no more then.
	 */
	uint64_t first_epoch;
};

enum liquid_run_step {
	LIQUID_RUN_DONE,		/* all pieces have left */
	LIQUID_RUN_SEND,		/* send @piece, which is now in flight */
	LIQUID_RUN_WAIT_LEFT,		/* until a piece in flight has left */
	LIQUID_RUN_WAIT_TOKEN,		/* until a token comes in @slot, at most until @until_ns */
	LIQUID_RUN_WAIT_UNTIL,		/* until @until_ns */
};

struct liquid_next {
	enum liquid_run_step step;
	uint32_t piece;			/* SEND: number in liquid_plan_pieces() */
	uint32_t slot;			/* WAIT_TOKEN: one that is missing */
	int64_t until_ns;		/* WAIT_TOKEN, WAIT_UNTIL: ask again then at the latest */
};

/* Since the run was made. */
struct liquid_run_stats {
	uint64_t epochs;		/* begun */
	/* The one begun last, which is what to write into slots; before it, first_epoch - 1. */
	uint64_t epoch;
	uint64_t sent;			/* pieces that have left */
	uint64_t waits;			/* pieces that waited for tokens */
	uint64_t wait_ns, wait_max_ns;
	uint64_t timeouts;		/* waits that timed out */
	uint64_t unsynchronised;	/* pieces without a token, or after the clock was lost */
};

/*
 * Make a run of @rank's part of @plan, which must outlive it. Returns LIQUID_BAD_INPUT if the plan
 * does not have that rank, an option is missing, or a piece is marked "after" and the run does not
 * follow a clock. Different threads may use different runs of one plan; a run is used by one at a
 * time, except for liquid_run_token().
 */
int liquid_run_new(const struct liquid_plan *plan, uint32_t rank,
		   const struct liquid_run_options *options, struct liquid_run **run,
		   struct liquid_error *err);
void liquid_run_free(struct liquid_run *run);
/*
 * Begin an epoch, from the first piece; the epoch before must be done, else the call returns
 * LIQUID_BAD_INPUT. Epochs are numbered from first_epoch on, and all ranks begin the
 * same ones in turn. The first one waits for nothing of the time before the run.
 * @base_ns is when frame 0 begins on the caller's clock; used with a clock only.
 */
int liquid_run_begin(struct liquid_run *run, int64_t base_ns, struct liquid_error *err);
/*
 * Say that the caller's clock was set, or that its frames are no longer those of the others. What
 * is left of the epoch goes in order, as with LIQUID_SYNC_ORDER: a piece in flight for each lane.
 * Tokens would not do, because others go on by their clocks and give none. The next epoch follows
 * the clock again. Without LIQUID_SYNC_CLOCK it means nothing.
 */
void liquid_run_clock_lost(struct liquid_run *run);
/*
 * Ask what to do at @now_ns, which never goes back. Ask again when that is done or has happened.
 * Where several lanes wait, the step is that of the one that waits for the shortest time, and
 * what another waits for may come first: ask after each event.
 */
void liquid_run_next(struct liquid_run *run, int64_t now_ns, struct liquid_next *next);
/*
 * Say that all of @piece but its tail has left this rank. Returns the tokens to give now: write
 * the epoch into the slot of each rank. Not needed for a piece without a tail.
 */
const struct liquid_token *liquid_run_main_left(struct liquid_run *run, uint32_t piece,
						uint32_t *count);
/*
 * Say that all of @piece has left this rank, so that its lane is free. Returns the tokens to
 * give, none if liquid_run_main_left() has returned them. A piece that is not in flight has none.
 */
const struct liquid_token *liquid_run_left(struct liquid_run *run, uint32_t piece,
					   uint32_t *count);
/*
 * Take a token: another rank's piece has left in @epoch. Late, early and unknown ones do no harm.
 * Any thread may call it at any time. It is not needed where others write into the slots.
 */
void liquid_run_token(struct liquid_run *run, uint32_t slot, uint64_t epoch);
const struct liquid_run_stats *liquid_run_stats(const struct liquid_run *run);

/* ---- simulating discrete events, by the model of tools/lab/model.rst ---- */

enum liquid_sim_switching { LIQUID_SIM_WORMHOLE, LIQUID_SIM_CUT_THROUGH, LIQUID_SIM_PACKET };

/*
 * What a sender sends next. Pairwise and random: the next message when the previous
 * one has arrived. All at once: a packet or worm of each message in turn. Shuffle: a packet
 * of each message in turn, with a common window (Documentation/simulate.rst). Pairwise by XOR: in
 * step k rank i sends to rank i XOR k.
 */
enum liquid_sim_order {
	LIQUID_SIM_PAIRWISE, LIQUID_SIM_RANDOM, LIQUID_SIM_ALL_AT_ONCE, LIQUID_SIM_SHUFFLE_XOR,
	LIQUID_SIM_SHUFFLE_ROTATION, LIQUID_SIM_PAIRWISE_XOR,
};

enum liquid_sim_jitter {
	LIQUID_SIM_NO_JITTER,
	LIQUID_SIM_UNIFORM,		/* 0 ... jitter_ns */
	LIQUID_SIM_NORMAL,		/* absolute value; jitter_ns is the standard deviation */
	LIQUID_SIM_EXPONENTIAL,		/* jitter_ns is the mean */
};

/*
 * The queues of a buffer, with cut-through: a FIFO that is read as often at a time as the switch
 * has links out, one for each link out, or a FIFO that is read by one packet at a time
 */
enum liquid_sim_queues { LIQUID_SIM_FIFO_SPEEDUP, LIQUID_SIM_VOQ, LIQUID_SIM_FIFO };

/*
 * The virtual lane of a packet: the number of its destination's or its source's switch, modulo the
 * number of lanes; or by destination the first lane whose routes then have no deadlock.
 */
enum liquid_sim_lane_by { LIQUID_SIM_BY_DESTINATION, LIQUID_SIM_BY_SOURCE, LIQUID_SIM_BY_LAYERS };

/*
 * What holds senders to a schedule: gates by the clock; or a run of its plan, in each of the modes
 * of enum liquid_sync.
 */
enum liquid_sim_sync {
	LIQUID_SIM_SYNC_GATES, LIQUID_SIM_SYNC_TOKENS, LIQUID_SIM_SYNC_CLOCK, LIQUID_SIM_SYNC_ORDER,
};

#define LIQUID_SIM_DEFAULT UINT64_MAX	/* the default of a time for which 0 is a value */
#define LIQUID_SIM_WINDOW_AUTO UINT64_MAX

struct liquid_sim_options {
	enum liquid_sim_switching switching;
	enum liquid_sim_order order;	/* used without a schedule */
	/* Rank the first hosts of all switches, then the second ones, ... (orders by rank) */
	bool contention_aware;
	uint64_t window;		/* packets of a shuffle, messages all at once; 0: none */
	uint64_t rate_bps;		/* 0: the schedule's, or 100 Gbit/s */
	uint64_t message_bytes;		/* 0: the schedule's unit, or 65536 */
	uint64_t packet_bytes;		/* 0: the message (wormhole), or at most 4096 of it */
	uint64_t worm_bytes;		/* length of a worm on the wire; 0: the message */
	uint64_t buffer_bytes;		/* size of a queue on the wire; 0: 16 packets */
	uint64_t overhead;		/* bytes added to each packet on the wire */
	uint64_t hop_ns;		/* latency of a hop */
	uint64_t frame_ns, guard_ns;	/* used with a schedule; LIQUID_SIM_DEFAULT */
	uint64_t cycles;		/* runs of the schedule or the traffic; 0: 1 */
	/* Distribution of the delay of each frame; without a schedule, of each message. */
	enum liquid_sim_jitter jitter;
	uint64_t jitter_ns;		/* scale of that delay */
	uint64_t clock_error_ns;	/* largest constant offset of a host's clock */
	uint64_t seed;
	/* Called now and then; a return value other than 0 cancels. Or NULL. */
	int (*progress)(void *context, uint64_t done, uint64_t total, uint64_t now_ns);
	void *context;
	enum liquid_sim_queues queues;
	uint32_t lanes;			/* virtual lanes of each link, without wormhole; 0: 1 */
	enum liquid_sim_lane_by lane_by;
	enum liquid_sim_sync sync;	/* used with a schedule */
	double jitter_share;		/* of a message's time, added to jitter_ns */
	/* Used with sync. */
	uint64_t token_ns;		/* time of a token on its way; LIQUID_SIM_DEFAULT: 2 us */
	/*
	 * LIQUID_SIM_DEFAULT: what is sent in that time and, where routes and virtual lanes exclude
	 * deadlocks, in three quarters of the mean jitter.
	 */
	uint64_t tail_bytes;
	uint64_t token_timeout_ns;	/* 0: ten times the schedule's time */
	uint64_t start_skew_ns;		/* largest delay with which a rank begins */
	double frame_slack;		/* clock: of a message's time, added to frame_ns */
	/* Ranks from 0 on, by host, for the orders by rank; not with contention_aware. Or NULL. */
	const uint32_t *rank;
};

enum liquid_sim_drop {
	LIQUID_SIM_DEADLOCK,		/* dropped to break a deadlock */
	LIQUID_SIM_TAIL,		/* queue full */
	LIQUID_SIM_TOO_LONG,		/* longer than a queue */
	LIQUID_SIM_UNSENT,		/* did not fit into any frame */
	LIQUID_SIM_DROPS
};

struct liquid_sim_link {
	uint64_t bytes;			/* sent on the wire */
	uint64_t busy_ns, blocked_ns;	/* of worms: sums over its lanes */
	uint64_t waits;			/* requests that had to wait */
	uint64_t drops;			/* packets dropped */
};

struct liquid_sim_host {
	uint64_t sent_bytes, received_bytes;	/* bytes of messages */
	uint64_t sent_packets, received_packets;
	uint64_t worms;			/* worms sent; packets if there are no worms */
	uint64_t waits, wait_ns, wait_max_ns;	/* waits of what it sent, on all links */
	uint64_t blocked_ns;		/* time in which its next packet had to wait */
	uint64_t late, late_max_ns;	/* packets or worms past their frame; by how much */
	uint64_t end_ns;		/* when its last byte arrived */
	uint64_t drops[LIQUID_SIM_DROPS];	/* packets dropped, by reason */
};

struct liquid_sim_result {
	const struct liquid_sim_options *options;	/* with defaults filled in */
	bool scheduled;
	uint32_t duration;		/* duration of the traffic, frames */
	uint32_t length;		/* length of the schedule, frames; 0: none */
	uint64_t transfers;		/* in all cycles */
	uint64_t time_ns;		/* from the start to the arrival of the last byte */
	uint64_t message_ns;		/* time of a message's bytes at the rate of capacity 1 */
	double throughput, liquid_throughput, crossbar_throughput;	/* bytes/s */
	/* Sums over the hosts; the largest of each _max_ns and end_ns. */
	const struct liquid_sim_host *total;
	uint64_t deadlocks;
	uint64_t events;
	uint64_t memory_bytes;
	/* With a schedule: the parts of the time above that of a liquid schedule. */
	double lost_length_ns, lost_headers_ns, lost_guard_ns, lost_other_ns;
	uint32_t host_count, link_count;
	const struct liquid_sim_host *host;	/* by host of the fabric */
	const struct liquid_sim_link *link;	/* by link of the fabric */
	/* With tokens, sums over the ranks: those of struct liquid_run_stats */
	uint64_t tokens;		/* sent */
	uint64_t token_waits, token_wait_ns, token_wait_max_ns;
	uint64_t token_timeouts, unsynchronised;
	/*
	 * With a shuffle, packets of a sender that were under way, and would be if none had to
	 * wait: the time until one is acknowledged over that between two, rounded up.
	 */
	uint64_t under_way_most, on_schedule_most;
};

/*
 * Simulate @traffic in the order that the options give, or @schedule (then @traffic is
 * NULL), which need not be valid on @fabric. Free the result with liquid_sim_free().
 */
int liquid_simulate(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		    const struct liquid_schedule *schedule,
		    const struct liquid_sim_options *options, struct liquid_sim_result **result,
		    struct liquid_error *err);
void liquid_sim_free(struct liquid_sim_result *result);

/* ---- pictures: where the nodes of a fabric are drawn ---- */

/* The middle of a node, and the width of its box; 0: a host, which has none */
struct liquid_place {
	int32_t x, y, width;
};

/*
 * Trees by levels, hosts at the bottom and switches of a pod together; tori, meshes and products of
 * complete graphs as grids; others by groups on a circle, as of a dragonfly. Tenths of a point; y
 * grows downwards. The same fabric gives the same layout.
 */
struct liquid_layout {
	int32_t width, height;
	const struct liquid_place *place;	/* by node */
	const uint32_t *order;		/* nodes of switches: from the top, left to right */
	const uint32_t *level;		/* by switch: 0 is next to the hosts */
	bool folded;			/* the hosts of a switch have one place */
	bool upright;			/* names of hosts are written from top to bottom */
};

/* A link as lines: @count points, of which the line from @gap - 1 to @gap is not drawn, if not 0 */
#define LIQUID_STROKE_MAX 10
struct liquid_stroke {
	uint32_t count, gap;
	struct liquid_place point[LIQUID_STROKE_MAX];
};

int liquid_layout_new(const struct liquid_fabric *fabric, bool folded,
		      const struct liquid_layout **layout, struct liquid_error *err);
void liquid_layout_free(const struct liquid_layout *layout);
void liquid_layout_stroke(const struct liquid_layout *layout, const struct liquid_fabric *fabric,
			  uint32_t link, struct liquid_stroke *stroke);

/* ---- pages: a fabric, its loads and what helps, as HTML without anything from elsewhere ---- */

/*
 * Routes with the loads of an exchange; a page shows one after the other, or all side by side. A
 * link between switches that leads one way only is drawn as broken.
 */
struct liquid_view {
	const char *label;
	const struct liquid_fabric *fabric;	/* with the links of the first view's */
	const uint64_t *load;		/* by link of that fabric */
	const char *unit;		/* "messages" */
	const struct liquid_traffic *traffic;	/* who uses a link; or NULL */
	const struct liquid_schedule *schedule;	/* its frames are shown as a film; or NULL */
};

#define LIQUID_BAR_TIMES 2

/* What an order or a remedy takes: with the page's kinds of switches. 0: not known */
struct liquid_bar {
	const char *label;
	const char *command;		/* or NULL */
	uint64_t ns[LIQUID_BAR_TIMES];
};

struct liquid_page {
	const char *title, *text;	/* text: paragraphs, each a line */
	const struct liquid_view *view;	/* the first is the present one */
	size_t views;
	const struct liquid_bar *bar;	/* gains are those over the first */
	size_t bars;
	const char *kind[LIQUID_BAR_TIMES];	/* "FIFO switches"; NULL: no second one */
};

int liquid_page_write(const struct liquid_page *page, FILE *out, struct liquid_error *err);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif /* LIQUIDSCHED_H */
