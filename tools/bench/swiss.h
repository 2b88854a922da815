/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocations of Swiss-T1 and the 362 patterns of the papers, as sets of links
 *
 * An allocation has 0 ... 4 nodes of each of the 8 switches. Its traffic has a transfer from the
 * sender of each node to the receiver of each node. A pattern is all allocations with the same
 * number of nodes and the same duration, represented by the lexicographically smallest one.
 */
#ifndef BENCH_SWISS_H
#define BENCH_SWISS_H

#include "solve/methods.h"

enum {
	SWISS_SWITCHES = 8, SWISS_NODES = 4, SWISS_HOSTS = SWISS_SWITCHES * SWISS_NODES,
	SWISS_ALLOCATIONS = 390625,	/* including the empty one, number 0 */
	SWISS_PATTERNS = 362, SWISS_FRAMES_MAX = 64, SWISS_LINKS_MAX = 256,
	SWISS_TRANSFERS_MAX = SWISS_HOSTS * SWISS_HOSTS
};

struct swiss_path {
	uint32_t count, link[LIQUID_PATH_MAX];
};

struct swiss {
	struct liquid_fabric *fabric;
	struct liquid_error err;
	uint32_t sender[SWISS_HOSTS], receiver[SWISS_HOSTS];
	/* Routes from the fabric, for the check */
	struct swiss_path path[SWISS_HOSTS][SWISS_HOSTS];
};

struct swiss_problem {
	uint32_t nodes, node[SWISS_HOSTS];
	uint32_t duration;		/* computed here, not by the solver */
	struct liquid_traffic *traffic;
	struct routes *routes;		/* input of the methods */
};

/* After a failure, all of these print @swiss->err and end the program. */
void swiss_open(struct swiss *swiss);
void swiss_close(struct swiss *swiss);
void swiss_die(const struct swiss *swiss);

/* List the allocations that represent the patterns, in order. Returns their number, 362. */
uint32_t swiss_patterns(const struct swiss *swiss, uint32_t allocation[SWISS_PATTERNS]);
/* Number of nodes of an allocation. */
uint32_t swiss_nodes(uint32_t allocation);
/* Transfers of an allocation that use a bottleneck: the skeleton of its traffic. */
uint32_t swiss_skeleton(const struct swiss *swiss, uint32_t allocation, uint32_t *duration);
/* First allocation with @nodes nodes and this duration; 0: there is none. */
uint32_t swiss_find(const struct swiss *swiss, uint32_t nodes, uint32_t duration);

void swiss_problem_open(struct swiss *swiss, uint32_t allocation, struct swiss_problem *problem);
void swiss_problem_close(struct swiss_problem *problem);

/* Pairs of transfers that share a link: the edges of the congestion graph. */
uint64_t swiss_edges(const struct swiss_problem *problem);

/* Check that no frame is empty and that no link is used twice in a frame. */
bool swiss_check(const struct swiss *swiss, const struct swiss_problem *problem,
		 const uint32_t *frame, uint32_t length);

/*
 * Run a method on the sets of links, without files, digests or verification. Returns the number
 * of frames, 0 if it found no schedule.
 */
uint32_t swiss_solve(struct swiss *swiss, const struct swiss_problem *problem,
		     const struct method *method, uint64_t work, uint32_t *frame);

/* method-igraph.c */
int method_igraph(struct solving *solving, struct liquid_error *err);

/* CPU time of this thread, s; on an idle machine this is the wall time. */
double bench_cpu(void);

#endif
