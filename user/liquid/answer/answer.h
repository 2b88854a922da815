/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * liquid answer: what liquid-nl asks, since it has no solver and reads no fabric
 *
 * A question is a JSON object on stdin, and the answer one on stdout. No file is opened by its
 * name: the question has descriptors, as {"fd": 5, "label": "FILE"}, because the asker may read
 * files that this process, which runs as nobody, may not. Documentation/hacking.rst has the list.
 */
#ifndef LIQUID_ANSWER_H
#define LIQUID_ANSWER_H

#include <jansson.h>

#include "liquidsched.h"

/* All functions that return int return a status of the library. */

/* A stream of a file of the question, from its begin; *label stays that of @file. */
int answer_open(const json_t *file, FILE **in, const char **label, struct liquid_error *err);
int answer_fabric(const json_t *file, struct liquid_fabric **fabric, struct liquid_error *err);
int answer_schedule(const json_t *file, const struct liquid_fabric *fabric, const char **label,
		    struct liquid_schedule **schedule, struct liquid_error *err);
/* The fabric of two dumps, @question's topo and lft, imported like @like */
int answer_dumps(const json_t *question, const struct liquid_import *import,
		 struct liquid_fabric **fabric, struct liquid_error *err);
int answer_malformed(struct liquid_error *err);

/* ---- rails.c: a node's endpoints that are gated ---- */

#define RAILS_MAX 8			/* of a node, as in liquid.conf */
#define RAIL_ALL 0

struct rails {
	uint32_t host[RAILS_MAX];	/* of the fabric, in the order of rails */
	uint32_t number[RAILS_MAX];	/* of the rail, which is alike on all nodes */
	size_t count;
};

/* A node, and how many devices liquid.conf has for it */
struct rails_node {
	const char *name;
	uint32_t devices;
};

/*
 * The endpoint on rail @rail, or by RAIL_ALL all. LIQUID_BAD_INPUT: the fabric does not have them,
 * or not as many as the node has devices; then *@rails has those that there are.
 */
int rails_find(const struct liquid_fabric *fabric, uint64_t rail, const struct rails_node *node,
	       struct rails *rails, struct liquid_error *err);

/* ---- round.c: a round's jobs, as the question says them, and their traffic ---- */

struct round_part {
	const char *job, *what;		/* what: as in liquid.conf, traffic */
	const json_t *file;		/* of file: and schedule:, or NULL */
	uint32_t tasks_per_node;
	struct rails_node *node;
	size_t nodes;
};

struct round {
	struct round_part *part;
	size_t parts;
	uint64_t rail;
	/* The fabric has lost nodes since: transfers from or to them are left out. */
	bool lost;
};

/*
 * The round @json, which it borrows, with @rail of the question; to be cleared, also after an error
 */
int round_read(const json_t *json, uint64_t rail, struct round *round, struct liquid_error *err);
void round_clear(struct round *round);
/* The sum of the parts' traffics */
int round_traffic(const struct round *round, const struct liquid_fabric *fabric,
		  struct liquid_traffic **traffic, struct liquid_error *err);
/* facts.c: of @question's round and others: add digest, transfers and what they share */
int round_facts(const json_t *question, const struct liquid_fabric *fabric, json_t *answer,
		struct liquid_error *err);

/* ---- slice.c: the frames of a node, for its gate ---- */

struct slice_source {
	const json_t *file;		/* of the schedule; or the next one */
	const char *label;		/* of the schedule */
	const char *fabric_label;
	const struct liquid_fabric *fabric;	/* NULL: none is given */
	const json_t *addresses;	/* NAME: [ADDRESS, ...] */
	const char *addresses_label;	/* NULL: options alone have given them */
	uint64_t frame_ns;
	/* Set by slice_open() */
	struct liquid_schedule *schedule;
	uint32_t hops;			/* of the longest path; 0: no fabric */
	char digest[LIQUID_DIGEST_HEX];	/* of the schedule's file */
};

/* What the question says; false: it is malformed */
bool slice_question(const json_t *question, struct slice_source *source);
/* Read the schedule, and with a fabric verify it. Findings go to stderr. */
int slice_open(struct slice_source *source, struct liquid_error *err);
/* @stated_bps: the rate of a unit, if the schedule does not say it; or 0 */
int slice_make(const struct slice_source *source, const char *node, uint64_t stated_bps,
	       json_t **slice, struct liquid_error *err);
void slice_close(struct slice_source *source);

/* ---- order.c: a plan for a job's ranks ---- */

struct order {
	const struct round *round;
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;
	const struct liquid_schedule *schedule;	/* with the numbers of the fabric */
	const char *name;		/* of the round */
	uint64_t rate_bps;		/* of a unit */
	struct liquid_plan *plan;	/* NULL: there is none */
	uint32_t *host;			/* by rank of the plan */
	uint32_t *first;		/* by node, and nodes: rank of its first rail */
	json_t *names;			/* by rank */
};

/*
 * Make the plan of a round's schedule, whose ranks are the rails of the job's nodes in their order:
 * one of each, or by RAIL_ALL each. There is none if the round has several jobs or too many ranks,
 * if its traffic is not all nodes with all, or after a message.
 */
void order_make(struct order *order);
void order_clear(struct order *order);
/* The slices of a node's rails, by its number; NULL: there is none */
json_t *order_json(const struct order *order, size_t node);

/* ---- the questions ---- */

/* Each returns the answer in *@answer; NULL: it has printed it. */
typedef int answer_question(const json_t *question, json_t **answer, struct liquid_error *err);

answer_question answer_slice;		/* slice.c: for `push` */
answer_question answer_hosts;		/* hosts.c: what a fabric has, and a round on it */
answer_question answer_import;		/* hosts.c: dumps, as a fabric */
answer_question answer_sweep;		/* sweep.c: which rounds take other routes now */
answer_question answer_prepare;		/* prepare.c: a round's schedule and slices */

#endif
