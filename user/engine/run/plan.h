/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internals of a plan: the pieces of its ranks one after another, their tokens, and what comes in
 * to them
 */
#ifndef LIQUID_PLAN_H
#define LIQUID_PLAN_H

#include "liquidsched.h"

#define PLAN_RANKS_MAX 65536u

struct plan_rank {
	uint32_t first, pieces;		/* its pieces in piece[] */
	uint32_t first_slot, slots;	/* their givers in giver[] */
	uint32_t first_incoming, peers;	/* what comes from its peers in incoming[] */
	uint32_t lanes;			/* those that have pieces, from 0 on */
};

struct liquid_plan {
	struct liquid_plan_info info;
	bool marked;			/* some piece has a member, or waits for what arrives */
	uint32_t base, held;		/* the ranks that it has: base ... base + held - 1 */
	struct plan_rank *rank;		/* by rank - base */
	struct liquid_piece *piece;
	uint32_t *first_token;		/* by piece, one entry more than pieces */
	struct liquid_token *token;
	struct liquid_incoming *incoming;
	uint32_t *giver;
};

/* FNV-1a over 64 bits, a number at a time (Fowler, Noll, Vo). */
#define PLAN_DIGEST_BEGIN UINT64_C(0xcbf29ce484222325)
static inline uint64_t plan_digest(uint64_t digest, uint64_t number)
{
	return (digest ^ number) * UINT64_C(0x100000001b3);
}

/* @held ranks from @base on, with room for @pieces and @tokens; NULL if out of memory. */
struct liquid_plan *plan_new(uint32_t base, uint32_t held, size_t pieces, size_t tokens);
/* Room for what comes in; false if out of memory. */
bool plan_new_incoming(struct liquid_plan *plan, size_t incoming, size_t slots);
/* Fill that in from what goes out, for a plan that has all ranks; false if out of memory. */
bool plan_find_incoming(struct liquid_plan *plan);
/* The part of @rank, or NULL if the plan does not have it. */
const struct plan_rank *plan_rank(const struct liquid_plan *plan, uint32_t rank);

/* The caller's options, or those of NULL, with the ranks counted and checked. */
int plan_options(const struct liquid_fabric *fabric, const struct liquid_plan_options *given,
		 struct liquid_plan_options *options, struct liquid_error *err);
/* Give the ranks these numbers; @plan has one rank. See liquid_plan_read() */
int plan_renumber(struct liquid_plan *plan, const uint32_t *number, uint32_t ranks,
		  struct liquid_error *err);
/* As liquid_plan_make(); @schedule may be NULL, then nothing is sent. */
int plan_of(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
	    const struct liquid_plan_options *options, struct liquid_plan **plan,
	    struct liquid_error *err);

#endif
