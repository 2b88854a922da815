/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libliquidsched: fabrics, traffics, liquid schedules and their certificates
 *
 * Data goes one way: fabric + traffic -> solve -> schedule -> verify. The library
 * keeps no global state and prints nothing; an object may be used by one thread
 * at a time, different objects by different threads. Functions that can fail
 * return an enum liquid_status (negative) and fill in struct liquid_error; on
 * failure no object has changed and output pointers are NULL.
 *
 * Structs grow. One that the caller makes begins with a member size, which the
 * caller sets to the sizeof of the struct, and every other member that it does not
 * use to 0: struct liquid_solve_options options = { .size = sizeof(options) }. A
 * later library adds members at the end, whose 0 means what was done before them;
 * it takes the smaller struct of an older program. The larger one of a newer
 * program is taken while what this library does not know is 0, and refused with
 * LIQUID_BAD_INPUT otherwise. Structs that the library makes are handed out by
 * pointer, one at a time, and grow at the end too: copy members, not the struct.
 * Structs that are put into arrays (liquid_link, liquid_pair, liquid_transfer,
 * liquid_names) and struct liquid_error never change.
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

/* The library is compiled with all else hidden. */
#pragma GCC visibility push(default)

#define LIQUID_NONE UINT32_MAX		/* no link, no host, no switch */
#define LIQUID_PATH_MAX 64		/* links of the longest route */
#define LIQUID_NAME_MAX 255		/* bytes of a name, without the final 0 */

enum liquid_status {
	LIQUID_OK = 0,
	LIQUID_BAD_INPUT = -1,		/* the input is wrong; the error names the place */
	LIQUID_NO_MEMORY = -2,
	LIQUID_IO = -3,			/* a file could not be read or written */
	LIQUID_LIMIT = -4,		/* no schedule within the limits given */
	LIQUID_CANCELLED = -5,		/* the progress callback asked to stop */
	LIQUID_INVALID = -6,		/* verify: the schedule does not hold */
};

/* What went wrong, for a person: "file:line: reason" where there is a file. */
struct liquid_error {
	char text[1024];
};

/* Fill in @err (may be NULL) and return @status. For the library's own use and its users' readers. */
int liquid_fail(struct liquid_error *err, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Names in the order written: see liquid_hostlist_expand(). */
struct liquid_names {
	char **name;
	size_t count;
};

/* ---- fabric: hosts, switches, unidirectional links, forwarding tables ---- */

/*
 * Hosts (endpoints), switches and links are numbered from 0, each kind by itself,
 * in the order in which they were added. A host has at most one link out (a
 * sender) and at most one link in (a receiver). The number of a node that may be
 * either: hosts first, then switches (host h is node h, switch s is node
 * host_count + s).
 */
struct liquid_fabric;

struct liquid_link {
	uint32_t from, to;		/* nodes */
	uint32_t from_port, to_port;	/* port numbers, 0 where the fabric has none */
	uint32_t capacity;		/* as written; what counts: liquid_fabric_capacity() */
};

int liquid_fabric_new(const char *name, struct liquid_fabric **fabric, struct liquid_error *err);
void liquid_fabric_free(struct liquid_fabric *fabric);

/* Building: hosts and switches first, then links, then forwards, then finish (checks the whole). */
int liquid_fabric_add_host(struct liquid_fabric *fabric, const char *name, struct liquid_error *err);
int liquid_fabric_add_switch(struct liquid_fabric *fabric, const char *name, struct liquid_error *err);
int liquid_fabric_add_link(struct liquid_fabric *fabric, const struct liquid_link *link,
			   struct liquid_error *err);
int liquid_fabric_set_forward(struct liquid_fabric *fabric, uint32_t sw, uint32_t dst_host,
			      uint32_t link, struct liquid_error *err);
int liquid_fabric_finish(struct liquid_fabric *fabric, struct liquid_error *err);

/*
 * What a link of capacity 1 carries, in bit/s; 0: the fabric does not say. It belongs to the
 * fabric's digest.
 */
int liquid_fabric_set_unit_rate(struct liquid_fabric *fabric, uint64_t bps,
				struct liquid_error *err);
uint64_t liquid_fabric_unit_rate(const struct liquid_fabric *fabric);
/* Of the file that liquid_fabric_write() makes: 1 where nothing is said that it cannot say, or 2. */
int liquid_fabric_file_version(const struct liquid_fabric *fabric);
/* What the import had to say, for people; NULL after the last. */
const char *liquid_fabric_note(const struct liquid_fabric *fabric, size_t index);
/* What it was asked to leave out. */
const struct liquid_names *liquid_fabric_left_out(const struct liquid_fabric *fabric);

const char *liquid_fabric_name(const struct liquid_fabric *fabric);
uint32_t liquid_fabric_host_count(const struct liquid_fabric *fabric);
uint32_t liquid_fabric_switch_count(const struct liquid_fabric *fabric);
uint32_t liquid_fabric_link_count(const struct liquid_fabric *fabric);
const char *liquid_fabric_node_name(const struct liquid_fabric *fabric, uint32_t node);
const struct liquid_link *liquid_fabric_link(const struct liquid_fabric *fabric, uint32_t link);
/* Of the format whose rules it follows, 1 or 2; what is built by calls follows those of 2. */
uint32_t liquid_fabric_version(const struct liquid_fabric *fabric);
/*
 * Transfers that @link takes a frame. In version 1 an endpoint's link takes one, whatever its
 * line says; in version 2 as many as its line says. 0: no such link.
 */
uint32_t liquid_fabric_capacity(const struct liquid_fabric *fabric, uint32_t link);
/*
 * Transfers that @host sends in a frame at most; 0 where it sends none. Its device has so many
 * times the rate of a unit.
 */
uint32_t liquid_fabric_host_capacity(const struct liquid_fabric *fabric, uint32_t host);
/* "from[port]>to[port]", for messages; @text has @size bytes; returns @text. */
const char *liquid_fabric_link_name(const struct liquid_fabric *fabric, uint32_t link,
				    char *text, size_t size);
/* LIQUID_NONE where there is none */
uint32_t liquid_fabric_find_host(const struct liquid_fabric *fabric, const char *name);
uint32_t liquid_fabric_host_out(const struct liquid_fabric *fabric, uint32_t host);
uint32_t liquid_fabric_host_in(const struct liquid_fabric *fabric, uint32_t host);
uint32_t liquid_fabric_forward(const struct liquid_fabric *fabric, uint32_t sw, uint32_t dst_host);

/*
 * The links from @src to @dst by the forwarding tables, in order. Returns their
 * number (1 ... LIQUID_PATH_MAX), or LIQUID_BAD_INPUT where there is no route (the
 * error names where it ends) or it goes in a circle.
 */
int liquid_fabric_route(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
			uint32_t path[LIQUID_PATH_MAX], struct liquid_error *err);

/* The native file, Documentation/formats.rst. @label stands for the file in errors. */
int liquid_fabric_read(FILE *in, const char *label, struct liquid_fabric **fabric,
		       struct liquid_error *err);
int liquid_fabric_write(const struct liquid_fabric *fabric, FILE *out, struct liquid_error *err);

#define LIQUID_DIGEST_HEX 65		/* SHA-256 in hex, with the final 0 */
/* Digest of links, capacities and routes in canonical order: independent of the numbering. */
int liquid_fabric_digest(const struct liquid_fabric *fabric, char hex[LIQUID_DIGEST_HEX],
			 struct liquid_error *err);

/* ---- import from what InfiniBand operators have ---- */

struct liquid_import {
	size_t size;			/* set to sizeof(struct liquid_import) */
	FILE *topo;			/* output of ibnetdiscover */
	const char *topo_label;
	FILE *lft;			/* of dump_fts, opensm-lfts.dump, or ibdiagnet2.far */
	const char *lft_label;
	const char *name;		/* of the fabric; NULL: "imported" */
	uint32_t rail;			/* N: of each node its Nth endpoint only; 0: all */
	/*
	 * What a link of capacity 1 carries, bit/s. 0: as fast as most links of hosts are; where
	 * some are slower that is refused.
	 */
	uint64_t unit_bps;
	/* A list of hosts, nodes and switches that are left out, and hosts on such switches. Or NULL. */
	const char *leave_out;
	/* Go on where a host has no LID, a switch no table, a pair no route. */
	bool allow_unreachable;
	/* Import as this one was, as far as nothing else is said above; NULL. */
	const struct liquid_fabric *like;
	/* Called for what a person should know: left out, rounded down. May be NULL. */
	void (*note)(void *context, const char *text);
	void *context;
};
/* What is said to the note belongs to the fabric, too: see liquid_fabric_note(). */
int liquid_fabric_import(const struct liquid_import *import, struct liquid_fabric **fabric,
			 struct liquid_error *err);

/* ---- generators ---- */

struct liquid_generator {
	const char *name;		/* "papers-5x5" */
	const char *usage;		/* its parameters */
	const char *source;		/* where it is published */
};
/* From index 0; NULL after the last. */
const struct liquid_generator *liquid_generator(size_t index);
/* @name is that of a generator, @params are its parameters as "key=value". */
int liquid_fabric_make(const char *name, const char *const *params, size_t param_count,
		       struct liquid_fabric **fabric, struct liquid_error *err);

/* ---- lists of hosts ---- */

/* Slurm's hostlist syntax: "node[001-032,040],gpu7/HCA-1/1". */
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
/* Repeated pairs add up. src == dst is refused. */
int liquid_traffic_add(struct liquid_traffic *traffic, uint32_t src, uint32_t dst, uint32_t count,
		       struct liquid_error *err);
/* Every ordered pair of distinct hosts. */
int liquid_traffic_alltoall(const uint32_t *hosts, size_t count, struct liquid_traffic **traffic,
			    struct liquid_error *err);
/* Every sender to every receiver; a host in both sets sends not to itself. */
int liquid_traffic_cross(const uint32_t *senders, size_t sender_count,
			 const uint32_t *receivers, size_t receiver_count,
			 struct liquid_traffic **traffic, struct liquid_error *err);
/* Lines "src dst [count]", # comments. */
int liquid_traffic_read(FILE *in, const char *label, const struct liquid_fabric *fabric,
			struct liquid_traffic **traffic, struct liquid_error *err);
/* Sorted by (src, dst), each pair once. */
size_t liquid_traffic_pair_count(const struct liquid_traffic *traffic);
const struct liquid_pair *liquid_traffic_pairs(const struct liquid_traffic *traffic);
uint64_t liquid_traffic_transfer_count(const struct liquid_traffic *traffic);
int liquid_traffic_digest(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			  char hex[LIQUID_DIGEST_HEX], struct liquid_error *err);

/* Load of each link (paper, 4); @load has link_count entries. */
int liquid_traffic_loads(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 uint64_t *load, struct liquid_error *err);

/* ---- ranks: a parallel program's processes on hosts ---- */

/* Ranks 0, 1, ... of a program: block by block or in turn (Slurm's block and cyclic). */
struct liquid_ranks {
	size_t size;			/* set to sizeof(struct liquid_ranks) */
	const uint32_t *hosts;		/* each once; their order is that of the ranks */
	size_t count;
	uint32_t tasks_per_host;
	bool cyclic;			/* rank r is on host r % count, else on r / tasks_per_host */
	uint64_t unit_bytes;		/* of a transfer; for a matrix */
};

/* MPI_Alltoall: a unit from each rank to each rank of another host. */
int liquid_ranks_alltoall(const struct liquid_ranks *ranks, struct liquid_traffic **traffic,
			  struct liquid_error *err);
/*
 * A row per sender of bytes to each receiver, parted by commas, semicolons or white space,
 * # comments; by hosts or by ranks, as the number of columns says. What goes from host to
 * host is added up, and rounded up to units.
 */
int liquid_ranks_read_matrix(FILE *in, const char *label, const struct liquid_ranks *ranks,
			     struct liquid_traffic **traffic, struct liquid_error *err);
/* Sort @hosts so that neighbours in the order are near in the fabric. */
int liquid_ranks_order(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
		       struct liquid_error *err);
/*
 * The frames of a shift exchange (in step k the i-th sends to the i+k-th, and all wait for
 * each other) in the order of @hosts. Without congestion it takes @count - 1.
 */
int liquid_ranks_shift_frames(const struct liquid_fabric *fabric, const uint32_t *hosts,
			      size_t count, uint64_t *frames, struct liquid_error *err);

/* ---- schedules ---- */

struct liquid_schedule;

enum liquid_certificate {
	LIQUID_CERT_LIQUID,		/* length == duration */
	LIQUID_CERT_OPTIMAL,		/* longer, and proven that no shorter exists */
	LIQUID_CERT_GAP,		/* longer than the proven lower bound */
};
const char *liquid_certificate_name(enum liquid_certificate certificate);

struct liquid_schedule_info {
	const char *fabric_name;
	const char *fabric_digest, *traffic_digest;
	const char *method;
	uint64_t seed, work;
	uint64_t unit_bytes;			/* 0: not given */
	uint64_t link_rate_bps;			/* of a link of capacity 1; 0: not given */
	uint64_t transfers;
	uint32_t duration;			/* paper, eq. 2; ceil(load / capacity) */
	double fluid_bound;			/* largest load / capacity */
	uint32_t length;			/* frames */
	uint32_t lower_bound;			/* proven */
	enum liquid_certificate certificate;
	const char *witness_json;		/* NULL: the duration itself is the bound */
	uint32_t wavelengths;			/* 0: not divided into rounds; else: */
	uint32_t timeslots, timeslot_bound;	/* rounds; what any schedule needs of them */
	uint32_t version;			/* of the interchange form: 1 or 2 */
};

struct liquid_transfer {
	uint32_t src, dst;		/* hosts of the fabric it was solved or read for */
};

void liquid_schedule_free(struct liquid_schedule *schedule);
const struct liquid_schedule_info *liquid_schedule_info(const struct liquid_schedule *schedule);
/* Transfers of frame @frame (< length), sorted by (src, dst). */
const struct liquid_transfer *liquid_schedule_frame(const struct liquid_schedule *schedule,
						    uint32_t frame, size_t *count);
/* The interchange form, Documentation/formats-schedule.rst. Reading matches names to @fabric. */
int liquid_schedule_write_json(const struct liquid_schedule *schedule,
			       const struct liquid_fabric *fabric, FILE *out,
			       struct liquid_error *err);
/*
 * With @fabric NULL the names are kept as read and numbered in the order of their
 * first appearance (see liquid_schedule_host_name): what a node needs that has no
 * fabric file.
 */
int liquid_schedule_read_json(FILE *in, const char *label, const struct liquid_fabric *fabric,
			      struct liquid_schedule **schedule, struct liquid_error *err);
uint32_t liquid_schedule_host_count(const struct liquid_schedule *schedule);
const char *liquid_schedule_host_name(const struct liquid_schedule *schedule, uint32_t host);
/*
 * Number the hosts as @fabric does, for a schedule that was read without it. LIQUID_BAD_INPUT when
 * @fabric lacks one of them.
 */
int liquid_schedule_renumber(struct liquid_schedule *schedule, const struct liquid_fabric *fabric,
			     struct liquid_error *err);
/* The traffic that the schedule carries: the sum of its frames. */
int liquid_schedule_traffic(const struct liquid_schedule *schedule,
			    struct liquid_traffic **traffic, struct liquid_error *err);

/* The most transfers that @src sends in a frame. */
uint32_t liquid_schedule_at_once(const struct liquid_schedule *schedule, uint32_t src);
/*
 * One node's slice, for a gate that sends to one after the other: each frame is cut into @parts,
 * which are shared out to what @src sends in it. dst[f * parts + p] is the host that it sends to
 * in part p of frame f; those of an idle frame are LIQUID_NONE. @dst has length * parts entries.
 * LIQUID_BAD_INPUT when @src sends more than @parts transfers in a frame.
 */
int liquid_schedule_slice(const struct liquid_schedule *schedule, uint32_t src, uint32_t parts,
			  uint32_t *dst, struct liquid_error *err);

/*
 * An object of the caller's own, to be written with the schedule; readers pass over it. Keys
 * of the format win over @key.
 */
int liquid_schedule_attach(struct liquid_schedule *schedule, const char *key, const char *json,
			   struct liquid_error *err);

/*
 * Rounds for optical networks: @wavelengths frames at once, frame f in timeslot
 * f / wavelengths by wavelength f % wavelengths.
 */
int liquid_schedule_set_wavelengths(struct liquid_schedule *schedule, uint32_t wavelengths,
				    struct liquid_error *err);
/* Where frame @frame goes; false where there are no rounds, or no such frame. */
bool liquid_schedule_round(const struct liquid_schedule *schedule, uint32_t frame,
			   uint32_t *timeslot, uint32_t *wavelength);

/* ---- solving ---- */

struct liquid_progress {
	const char *phase;
	uint64_t done, total;		/* transfers placed, of */
	uint32_t best_length;		/* 0: none yet */
	uint32_t lower_bound;
};

struct liquid_solve_options {
	size_t size;			/* set to sizeof(struct liquid_solve_options) */
	const char *method;		/* NULL or "auto"; or a liquid_method_name() */
	uint64_t seed;
	uint64_t work;			/* budget in the solver's own operations; 0: the default */
	double time_limit;		/* s of wall time; 0: none. Makes the result depend on the machine. */
	uint64_t unit_bytes;		/* kept in the schedule; 0: not given */
	uint64_t link_rate_bps;		/* likewise; 0: the fabric's unit rate, which it must not contradict */
	/*
	 * An earlier schedule, read for any fabric; NULL: none. What it has stays in its
	 * frame where that holds; the length is at most 5 % above the method's own.
	 */
	const struct liquid_schedule *from;
	/* Called now and then; non-zero cancels. */
	int (*progress)(void *context, const struct liquid_progress *progress);
	void *context;
};
/* Names of the methods, from index 0; NULL after the last. */
const char *liquid_method_name(size_t index);
int liquid_solve(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 const struct liquid_solve_options *options, struct liquid_schedule **schedule,
		 struct liquid_error *err);

/* ---- change ---- */

/* The traffic of @schedule, without the transfers of hosts that @fabric does not have. */
int liquid_schedule_traffic_on(const struct liquid_schedule *schedule,
			       const struct liquid_fabric *fabric,
			       struct liquid_traffic **traffic, struct liquid_error *err);

struct liquid_change {
	size_t size;			/* set to sizeof(struct liquid_change) */
	uint64_t kept, moved, gone, added;	/* transfers, hosts matched by name */
};

/* A transfer that has not kept its frame; LIQUID_NONE stands for no frame: added, or gone. */
typedef void (*liquid_change_report)(void *context, const char *src, const char *dst,
				     uint32_t from, uint32_t to);
/* @report may be NULL; it is called in the order of the names. */
int liquid_schedule_compare(const struct liquid_schedule *from,
			    const struct liquid_schedule *to, struct liquid_change *change,
			    liquid_change_report report, void *context, struct liquid_error *err);

/*
 * Why @schedule of @traffic is longer than the duration: sentences in *@text (to be
 * freed), and attached to the schedule as "explanation" (formats-schedule.rst).
 * @work bounds the searches in it; 0: the default.
 */
int liquid_explain(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		   struct liquid_schedule *schedule, uint64_t work, char **text,
		   struct liquid_error *err);

/* ---- the same problem for other solvers ---- */

/*
 * Appendix B of the papers as an LP file (CBC, GLPK, HiGHS). @frames 0: the fewest
 * frames, by a variable per frame in use; else feasibility in so many.
 */
int liquid_export_milp(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		       uint32_t frames, FILE *out, struct liquid_error *err);
/* The congestion graph for colouring; LIQUID_BAD_INPUT where capacities make it none. */
int liquid_export_dimacs(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 FILE *out, struct liquid_error *err);
/* Feasibility in @frames (1 or more) as CNF, for SAT solvers and checkers of their proofs. */
int liquid_export_cnf(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		      uint32_t frames, FILE *out, struct liquid_error *err);

/* ---- verifying; shares nothing with the solver but the fabric ---- */

/* One thing wrong. Called for each; @text is a sentence that names frame, transfers, link. */
typedef void (*liquid_verify_report)(void *context, const char *text);

/*
 * Does @schedule carry @traffic (NULL: whatever it says that it carries) on @fabric
 * without congestion, with no transfer missing or extra, no empty frame, and with
 * figures and certificate as claimed? LIQUID_OK, or LIQUID_INVALID with the first
 * finding in @err and each in @report (may be NULL).
 */
int liquid_verify(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  const struct liquid_schedule *schedule, liquid_verify_report report,
		  void *context, struct liquid_error *err);

/* ---- simulating: the model of tools/lab/model.rst, by discrete events ---- */

enum liquid_sim_switching { LIQUID_SIM_WORMHOLE, LIQUID_SIM_CUT_THROUGH, LIQUID_SIM_PACKET };

/*
 * What a sender gives next. Round-robin and random: the next message when the last one
 * is through. All at once: turns between all messages. Shuffle: turns by packets,
 * with a window over all of them (Documentation/simulate.rst).
 */
enum liquid_sim_order {
	LIQUID_SIM_ROUND_ROBIN, LIQUID_SIM_RANDOM, LIQUID_SIM_ALL_AT_ONCE, LIQUID_SIM_SHUFFLE_XOR,
	LIQUID_SIM_SHUFFLE_ROTATION,
};

enum liquid_sim_jitter {
	LIQUID_SIM_NO_JITTER,
	LIQUID_SIM_UNIFORM,		/* 0 ... jitter_ns */
	LIQUID_SIM_NORMAL,		/* the absolute value; jitter_ns is the standard deviation */
	LIQUID_SIM_EXPONENTIAL,		/* jitter_ns is the mean */
};

#define LIQUID_SIM_DEFAULT UINT64_MAX	/* of a time that may be 0 */
#define LIQUID_SIM_WINDOW_AUTO UINT64_MAX

struct liquid_sim_options {
	size_t size;			/* set to sizeof(struct liquid_sim_options) */
	enum liquid_sim_switching switching;
	enum liquid_sim_order order;	/* without a schedule */
	bool contention_aware;		/* orders by rank: the mapping of eq. 6.3 */
	uint64_t window;		/* packets of a shuffle; 0: none */
	uint64_t rate_bps;		/* 0: the schedule's, or 100 Gbit/s */
	uint64_t message_bytes;		/* 0: the schedule's unit, or 65536 */
	uint64_t packet_bytes;		/* 0: the message (wormhole), or at most 4096 of it */
	uint64_t worm_bytes;		/* on the wire; 0: the message */
	uint64_t buffer_bytes;		/* on the wire; 0: 16 packets */
	uint64_t overhead;		/* bytes a packet */
	uint64_t hop_ns;
	uint64_t frame_ns, guard_ns;	/* with a schedule; LIQUID_SIM_DEFAULT */
	uint64_t cycles;		/* 0: 1 */
	enum liquid_sim_jitter jitter;	/* of frame starts; in an order, of each message's start */
	uint64_t jitter_ns;
	uint64_t clock_error_ns;	/* a host's clock is off by up to so much, for good */
	uint64_t seed;
	/* Called now and then with transfers through, of, and the time; non-zero cancels. */
	int (*progress)(void *context, uint64_t done, uint64_t total, uint64_t now_ns);
	void *context;
};

enum liquid_sim_drop {
	LIQUID_SIM_DEADLOCK,		/* dropped to break one */
	LIQUID_SIM_TAIL,		/* no room in a queue */
	LIQUID_SIM_TOO_LONG,		/* longer than a buffer */
	LIQUID_SIM_UNSENT,		/* never fitted into a frame */
	LIQUID_SIM_DROPS
};
const char *liquid_sim_drop_name(enum liquid_sim_drop drop);

struct liquid_sim_link {
	uint64_t bytes;			/* on the wire */
	uint64_t busy_ns, blocked_ns;	/* summed over its lanes */
	uint64_t waits;			/* requests that had to wait */
	uint64_t drops;			/* packets */
};

struct liquid_sim_host {
	uint64_t sent_bytes, received_bytes;	/* of messages */
	uint64_t sent_packets, received_packets;
	uint64_t worms;			/* or packets, where there are no worms */
	uint64_t waits, wait_ns, wait_max_ns;	/* of what it sent, on all links */
	uint64_t blocked_ns;		/* head of line: it has something that cannot go on */
	uint64_t late, late_max_ns;	/* ended after its frame, and by how much */
	uint64_t end_ns;		/* when its last byte was there */
	uint64_t drops[LIQUID_SIM_DROPS];	/* packets */
};

struct liquid_sim_result {
	const struct liquid_sim_options *options;	/* as they were in force */
	bool scheduled;
	uint32_t duration, length;	/* of the traffic; of the schedule, or 0 */
	uint64_t transfers;		/* of all cycles */
	uint64_t time_ns;		/* from the start to the last byte */
	uint64_t message_ns;		/* a message's bytes at the unit rate */
	double throughput, liquid_throughput, crossbar_throughput;	/* bytes/s */
	/* Sums over the hosts; of _max_ns and end_ns the largest. */
	const struct liquid_sim_host *total;
	uint64_t deadlocks;
	uint64_t events;
	uint64_t memory_bytes;
	/* With a schedule, where the time above the liquid schedule's went; these add up */
	double lost_length_ns, lost_headers_ns, lost_guard_ns, lost_other_ns;
	uint32_t host_count, link_count;
};

/*
 * Carry @traffic in the order of the options, or @schedule (then @traffic is NULL),
 * which need not hold on @fabric. The result is liquid_sim_free()d.
 */
int liquid_simulate(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		    const struct liquid_schedule *schedule,
		    const struct liquid_sim_options *options, struct liquid_sim_result **result,
		    struct liquid_error *err);
void liquid_sim_free(struct liquid_sim_result *result);
/* Figures of a host or a link of the fabric; they live as long as the result. */
const struct liquid_sim_host *liquid_sim_host(const struct liquid_sim_result *result,
					      uint32_t host);
const struct liquid_sim_link *liquid_sim_link(const struct liquid_sim_result *result,
					      uint32_t link);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif /* LIQUIDSCHED_H */
