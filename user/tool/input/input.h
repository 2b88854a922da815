/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading input: fabrics, schedules, and the traffic that the options name. */
#ifndef LIQUID_TOOL_INPUT_H
#define LIQUID_TOOL_INPUT_H

#include "liquidsched.h"
#include "util/open.h"
#include "util/opt.h"

/* input.c: with its progress on a terminal. A status of the library */
int input_fabric(const char *path, struct liquid_fabric **fabric, struct liquid_error *err);

/* All of the following return an exit code, after a message. */

int read_fabric(const char *path, struct liquid_fabric **fabric);
/*
 * By @threads, see liquid_fabric_read_by(); 0: one for each processor. It is for commands that a
 * user waits for: commands that run as a job starts leave the processors to others.
 */
int read_fabric_by(const char *path, uint64_t threads, struct liquid_fabric **fabric);
#define OPT_THREADS(is_member) \
	{ "threads", 0, KIND_NUMBER, is_member, .min = 1, .max = 64, .value = "N", \
	  .help = "work by N threads, up to 64; by default one for each processor. The result is " \
	  "the same" }
/* @fabric: the fabric whose hosts the schedule must name, or NULL */
int read_schedule(const char *path, const struct liquid_fabric *fabric,
		  struct liquid_schedule **schedule);
/* What liquid_near_names() says of the schedule's hosts; in @text */
const char *near_host(const struct liquid_schedule *schedule, const char *name,
		      char text[LIQUID_NEAR_TEXT]);

/* Options of a table that name two dumps, for a struct liquid_import at @member */
#define OPT_DUMPS(type, member) \
	{ "topo", 0, KIND_TEXT, OPT_MEMBER(type, member.topo_label), .value = "FILE", \
	  .help = "output of ibnetdiscover" }, \
	{ "lft", 0, KIND_TEXT, OPT_MEMBER(type, member.lft_label), .value = "FILE", \
	  .help = "forwarding tables: of dump_fts, opensm-lfts.dump or ibdiagnet2.far" }, \
	{ "rail", 0, KIND_TEXT, OPT_MEMBER(type, member.rail_name), .value = "RAIL", \
	  .help = "only adapters of this name, or the Nth rail of those most nodes have" }, \
	{ "node-name-map", 0, KIND_TEXT, OPT_MEMBER(type, member.node_names_label), \
	  .value = "FILE", .help = "OpenSM's: lines GUID \"NAME\" for descriptions" }, \
	{ "strip-domain", 0, KIND_TEXT, OPT_MEMBER(type, member.strip_domain), .value = "END", \
	  .help = "take this off the names of nodes, as .example.org or -ib" }
#define OPT_UNIT_RATE(is_member) \
	{ "unit-rate", 0, KIND_RATE, is_member, .min = 1, .value = "RATE", \
	  .help = "rate of a link of capacity 1" }
#define OPT_UNKNOWN_RATE(is_member) \
	{ "unknown-rate", 0, KIND_RATE, is_member, .min = 1000000, .value = "RATE", \
	  .help = "rate of links whose speed is not known, as 4x???" }
/* dumps.c: how a fabric is imported: a group for the table of a command */
extern const struct opt import_opts[];
/* With notes on stderr: what was left out or rounded down */
int import_dumps(struct liquid_import *import, struct liquid_fabric **fabric);

struct traffic_args {
	const char *traffic;		/* alltoall, mpi:alltoall, matrix:FILE, a file, or NULL */
	const char *hosts, *senders, *receivers;	/* hostlists, or NULL */
	uint64_t tasks_per_node;	/* 0: not given */
	const char *distribution;	/* "block", "cyclic", or NULL */
	uint64_t unit_bytes;		/* bytes of a transfer, for a matrix; set by the caller */
};
/* The options that say which traffic: a group for the table of a command */
extern const struct opt traffic_opts[];
bool traffic_args_given(const struct traffic_args *args);
/* @command: for the usage, when the options contradict each other */
int check_traffic_args(const struct traffic_args *args, const char *command);
/*
 * Of a fabric imported with --allow-unreachable, a traffic that is neither a file nor a matrix is
 * without the pairs that have no route, with a note.
 */
int read_traffic(const struct traffic_args *args, const struct liquid_fabric *fabric,
		 struct liquid_traffic **traffic);
/* With these pairs: for a command that finds routes */
int read_all_pairs(const struct traffic_args *args, const struct liquid_fabric *fabric,
		   struct liquid_traffic **traffic);
/* A file of transfers; with @ranks a matrix of theirs */
int read_traffic_file(const char *path, const struct liquid_fabric *fabric,
		      const struct liquid_ranks *ranks, struct liquid_traffic **traffic);

/* page.c: write a page to @path; if that is stdout, *@text becomes stderr. */
int write_page(const char *path, const struct liquid_page *page, FILE **text);
#define OPT_HTML(is_member) \
	{ "html", 0, KIND_TEXT, is_member, .value = "FILE", \
	  .help = "write a page with a map of the fabric, for a browser" }

/* loads.c: the frames that @load, by link, needs at least; *@fluid: load / capacity, at most */
uint64_t loads_duration(const struct liquid_fabric *fabric, const uint64_t *load, double *fluid);
/* Does the load of @link exceed its capacity times all of @duration frames but one? */
bool is_bottleneck(const struct liquid_fabric *fabric, const uint64_t *load, uint64_t duration,
		   uint32_t link);

/* The hosts of a list, or with NULL all that send and receive; to be freed. */
int read_host_list(const struct liquid_fabric *fabric, const char *option, const char *list,
		   uint32_t **hosts, size_t *count);

/* ranks.c: traffics of ranks */
bool is_matrix_traffic(const struct traffic_args *args);
bool is_rank_traffic(const struct traffic_args *args);
/* For commands in which --unit-bytes is only the size into which a matrix is divided */
#define OPT_UNIT_BYTES(is_member) \
	{ "unit-bytes", 0, KIND_SIZE, is_member, .min = 1, .value = "SIZE", \
	  .help = "size of a transfer, into which a matrix is divided" }
int check_unit_bytes(const struct traffic_args *args, const char *command);
/* Checks for options that contradict each other. */
int check_rank_args(const struct traffic_args *args, const char *command);
int read_rank_traffic(const struct traffic_args *args, const struct liquid_fabric *fabric,
		      struct liquid_traffic **traffic);

#endif
