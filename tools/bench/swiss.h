/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Swiss-T1's allocations and the papers' 362 patterns, as sets of links
 *
 * An allocation takes 0 ... 4 nodes behind each of the 8 switches; its traffic is
 * each node's sender to each node's receiver. A pattern is the allocations of one
 * number of nodes and one duration; the lexicographically smallest vector stands for
 * it.
 */
#ifndef BENCH_SWISS_H
#define BENCH_SWISS_H

#include "solve/methods.h"

enum {
	SWISS_SWITCHES = 8, SWISS_NODES = 4, SWISS_HOSTS = SWISS_SWITCHES * SWISS_NODES,
	SWISS_ALLOCATIONS = 390625,	/* with the empty one, number 0 */
	SWISS_PATTERNS = 362, SWISS_FRAMES_MAX = 64, SWISS_TRANSFERS_MAX = SWISS_HOSTS * SWISS_HOSTS
};

struct swiss_path {
	uint32_t count, link[LIQUID_PATH_MAX];
};

struct swiss {
	struct liquid_fabric *fabric;
	struct liquid_error err;
	uint32_t sender[SWISS_HOSTS], receiver[SWISS_HOSTS];
	/* Read from the fabric link by link, for the check. */
	struct swiss_path path[SWISS_HOSTS][SWISS_HOSTS];
};

struct swiss_problem {
	uint32_t nodes, node[SWISS_HOSTS];
	uint32_t duration;		/* reckoned here, not by the solver */
	struct liquid_traffic *traffic;
	struct routes *routes;		/* the sets of links that a method starts from */
};

/* All of these end the program where something fails, with @swiss->err. */
void swiss_open(struct swiss *swiss);
void swiss_close(struct swiss *swiss);
void swiss_die(const struct swiss *swiss);

/* The allocations that stand for the patterns, in order; returns their number, 362. */
uint32_t swiss_patterns(const struct swiss *swiss, uint32_t allocation[SWISS_PATTERNS]);
/* The nodes of an allocation. */
uint32_t swiss_nodes(uint32_t allocation);
/* The first allocation of @nodes nodes and this duration; 0 where there is none. */
uint32_t swiss_find(const struct swiss *swiss, uint32_t nodes, uint32_t duration);

void swiss_problem_open(struct swiss *swiss, uint32_t allocation, struct swiss_problem *problem);
void swiss_problem_close(struct swiss_problem *problem);

/* Each transfer in one of @length frames, none of them empty, no link twice in a frame. */
bool swiss_check(const struct swiss *swiss, const struct swiss_problem *problem,
		 const uint32_t *frame, uint32_t length);

/*
 * From the sets of links to the frame of each transfer by a method of the library,
 * nothing else: no files, digests, verification. Returns the frames, 0 where none was found.
 */
uint32_t swiss_solve(struct swiss *swiss, const struct swiss_problem *problem,
		     const struct method *method, uint64_t work, uint32_t *frame);

/* method-igraph.c */
int method_igraph(struct solving *solving, struct liquid_error *err);

/* CPU time of this thread, s: what wall time is on a machine that does nothing else. */
double bench_cpu(void);

#endif
