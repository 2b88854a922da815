/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of plans and runs have in common: a plan's pieces numbered through. */
#ifndef PLAN_FIXTURES_H
#define PLAN_FIXTURES_H

#include "fixtures.h"

/* One piece waits for another: of its own lane, or by a token. */
struct plan_edge {
	uint32_t from, to;
	bool token;
	bool again;			/* @from is of the epoch before */
};

/* Pieces of all ranks: those of rank r are first[r] ... first[r + 1] - 1. */
struct pieces {
	const struct liquid_fabric *fabric;
	const struct liquid_plan *plan;
	const uint32_t *host_of_rank;	/* NULL: rank r is host r */
	uint32_t ranks, count;
	uint32_t *first, *rank;		/* by rank; by piece */
	const struct liquid_piece **piece;
	uint32_t (*path)[LIQUID_PATH_MAX];
	int *links;			/* by piece: links of its path */
	struct plan_edge *edge;
	uint32_t edges;
	bool valid;			/* each slot is told by one token */
};

/* Number of slots in which tokens for @rank arrive */
uint32_t slots_of(const struct liquid_plan *plan, uint32_t rank);
void pieces_of(struct pieces *pieces, const struct liquid_fabric *fabric,
	       const struct liquid_plan *plan, const uint32_t *host_of_rank);
void pieces_clear(struct pieces *pieces);

/*
 * What comes before what when @epochs follow each other: node e * count + p is piece p of the e-th.
 * Between epochs only the plan's own edges and the order of each rank count.
 */
struct order {
	uint32_t nodes, words;
	uint64_t *row;			/* by node: the nodes before it, one bit each */
};

void order_of(struct order *order, const struct pieces *pieces, uint32_t epochs);
void order_clear(struct order *order);
bool comes_before(const struct order *order, uint32_t a, uint32_t b);

struct liquid_plan *plan_of_schedule(const struct liquid_fabric *fabric,
				     const struct liquid_schedule *schedule, bool cyclic);

/*
 * A fabric whose links have capacities of 1, or up to 3, or the hosts', too; a traffic in which
 * pairs occur several times; its schedule and plan.
 */
#define PLAN_CASE_KINDS	3		/* of capacities */

struct plan_case {
	uint32_t kind;
	struct liquid_fabric *fabric;
	struct liquid_schedule *schedule;
	struct liquid_plan *plan;
};

void make_case(struct plan_case *made, struct dice *dice, uint32_t hosts, uint32_t transfers,
	       bool cyclic);
void clear_case(struct plan_case *made);

/* Is what comes in to each rank what the others send to it, in order? */
bool incoming_fits(const struct liquid_plan *plan);
/* Is the token in each slot one of the rank that the plan says? */
bool all_givers_fit(const struct liquid_plan *plan);

#endif
