// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plans: what they hold, and where a piece is in its message. */
#include <stdlib.h>

#include "run/plan.h"

static uint64_t bytes_of(uint32_t held, size_t pieces, size_t tokens)
{
	return sizeof(struct liquid_plan) + held * sizeof(struct plan_rank) +
		pieces * sizeof(struct liquid_piece) + (pieces + 1) * sizeof(uint32_t) +
		tokens * sizeof(struct liquid_token);
}

struct liquid_plan *plan_new(uint32_t base, uint32_t held, size_t pieces, size_t tokens)
{
	struct liquid_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->base = base;
	plan->held = held;
	plan->info.pieces = pieces;
	plan->info.memory_bytes = bytes_of(held, pieces, tokens);
	plan->rank = calloc((size_t)held + 1, sizeof(*plan->rank));
	plan->piece = calloc(pieces + 1, sizeof(*plan->piece));
	plan->first_token = calloc(pieces + 1, sizeof(*plan->first_token));
	plan->token = calloc(tokens + 1, sizeof(*plan->token));
	if (plan->rank && plan->piece && plan->first_token && plan->token)
		return plan;
	liquid_plan_free(plan);
	return NULL;
}

bool plan_new_incoming(struct liquid_plan *plan, size_t incoming, size_t slots)
{
	plan->incoming = calloc(incoming + 1, sizeof(*plan->incoming));
	plan->giver = calloc(slots + 1, sizeof(*plan->giver));
	plan->info.memory_bytes += incoming * sizeof(*plan->incoming) +
		slots * sizeof(*plan->giver);
	return plan->incoming && plan->giver;
}

void liquid_plan_free(struct liquid_plan *plan)
{
	if (!plan)
		return;
	free(plan->rank);
	free(plan->piece);
	free(plan->first_token);
	free(plan->token);
	free(plan->incoming);
	free(plan->giver);
	free(plan);
}

const struct plan_rank *plan_rank(const struct liquid_plan *plan, uint32_t rank)
{
	return rank >= plan->base && rank - plan->base < plan->held ?
		&plan->rank[rank - plan->base] : NULL;
}

const struct liquid_plan_info *liquid_plan_info(const struct liquid_plan *plan)
{
	return &plan->info;
}

const struct liquid_piece *liquid_plan_pieces(const struct liquid_plan *plan, uint32_t rank,
					      uint32_t *count)
{
	const struct plan_rank *own = plan_rank(plan, rank);

	*count = own ? own->pieces : 0;
	return own ? plan->piece + own->first : NULL;
}

const struct liquid_token *liquid_plan_tokens(const struct liquid_plan *plan, uint32_t rank,
					      uint32_t piece, uint32_t *count)
{
	const struct plan_rank *own = plan_rank(plan, rank);
	const uint32_t *first;

	*count = 0;
	if (!own || piece >= own->pieces)
		return NULL;
	first = plan->first_token + own->first + piece;
	*count = first[1] - first[0];
	return plan->token + first[0];
}

const struct liquid_incoming *liquid_plan_incoming(const struct liquid_plan *plan, uint32_t rank,
						   uint32_t *count)
{
	const struct plan_rank *own = plan_rank(plan, rank);

	*count = own ? own->peers : 0;
	return own ? plan->incoming + own->first_incoming : NULL;
}

const uint32_t *liquid_plan_givers(const struct liquid_plan *plan, uint32_t rank, uint32_t *count)
{
	const struct plan_rank *own = plan_rank(plan, rank);

	*count = own ? own->slots : 0;
	return own ? plan->giver + own->first_slot : NULL;
}

/* Where part @part of @parts begins; the product needs more than 64 bits. */
static uint64_t begin_of(uint64_t message, uint32_t part, uint32_t parts)
{
	return message / parts * part + message % parts * part / parts;
}

void liquid_piece_cut(const struct liquid_piece *piece, uint64_t message, uint64_t tail,
		      struct liquid_cut *cut)
{
	uint64_t begin = begin_of(message, piece->part, piece->parts);
	uint64_t bytes = begin_of(message, piece->part + piece->units, piece->parts) - begin;

	cut->offset = begin;
	cut->tail = tail < bytes ? tail : bytes;
	cut->main = bytes - cut->tail;
}
