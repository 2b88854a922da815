/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The draft of a plan: pieces in the order in which they begin in the schedule, and for each the
 * pieces that it waits for
 */
#ifndef LIQUID_DRAFT_H
#define LIQUID_DRAFT_H

#include "fabric/fabric.h"
#include "run/clocks.h"
#include "run/plan.h"

struct draft_piece {
	uint32_t src, dst;		/* ranks */
	uint32_t frame, frames;
	uint32_t chain, position;	/* lane of the sender; its place in it, from 1 on */
	uint32_t member, after;		/* see struct liquid_mark */
};

/* An edge from a piece of an epoch to one of the next epoch. */
struct draft_again {
	uint32_t from, to;
};

/* Last user of a lane of a link, and its clock's row; piece LIQUID_NONE: not used yet. */
struct draft_user {
	uint32_t piece, row;
};

/* Call draft_clear() afterwards, also on failure. */
struct draft {
	const struct liquid_fabric *fabric;
	uint32_t ranks;
	const uint32_t *host_of_rank;	/* NULL: rank r is host r */
	uint32_t *rank_of_host;
	uint32_t *first_chain;		/* by rank, ranks + 1 entries */
	uint32_t *chain_pieces;		/* by chain: pieces so far */

	struct draft_piece *piece;
	uint32_t pieces;
	/* By piece, those that it waits for: from[first_from[p]] ... from[first_from[p + 1] - 1] */
	uint32_t *first_from, *from;
	size_t from_room;
	struct draft_again *again;	/* by the piece that waits */
	uint32_t agains;
	uint64_t edges;			/* before reduction */

	uint32_t *first_lane;		/* by link, links + 1 entries: its lanes in last[] */
	struct draft_user *last;
	uint32_t *opener;		/* by lane of a link: its first user, or LIQUID_NONE */
	struct clocks clocks;
};

static inline uint32_t draft_host(const struct draft *draft, uint32_t rank)
{
	return host_at(draft->host_of_rank, rank);
}

/* Room for @transfers pieces, of which @widest at most are in one frame. */
int draft_new(struct draft *draft, const struct liquid_fabric *fabric,
	      const struct liquid_plan_options *options, size_t transfers, size_t widest,
	      struct liquid_error *err);
void draft_clear(struct draft *draft);
/* Add a transfer that begins in @frame as a piece; *@piece is its number. */
int draft_add(struct draft *draft, uint32_t src, uint32_t dst, uint32_t frame, uint32_t *piece,
	      struct liquid_error *err);
/* Find what the first users of links wait for in the next epoch. */
bool draft_close_cycle(struct draft *draft);
/* The plan of a draft that is complete; NULL if out of memory. */
struct liquid_plan *draft_lay_out(const struct draft *draft);

#endif
