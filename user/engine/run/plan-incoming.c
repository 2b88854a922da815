// SPDX-License-Identifier: LGPL-2.1-or-later
/* What comes in to each rank of a plan: what all of them send and whom they tell, transposed. */
#include <stdlib.h>
#include <string.h>

#include "run/plan.h"

/* Give each rank its places. A pair's first part is in one piece, so those count its messages. */
static bool make_room(struct liquid_plan *plan)
{
	uint32_t messages = 0, slots = 0;

	for (uint64_t i = 0; i < plan->info.pieces; i++)
		plan->rank[plan->piece[i].peer].peers += !plan->piece[i].part;
	for (uint32_t rank = 0; rank < plan->held; rank++) {
		struct plan_rank *own = &plan->rank[rank];

		own->first_incoming = messages;
		own->first_slot = slots;
		messages += own->peers;
		slots += own->slots;
		own->peers = 0;
	}
	return plan_new_incoming(plan, messages, slots);
}

/* Senders come in turn, so the message that @piece is of is the last one of its receiver. */
static void add_piece(struct liquid_plan *plan, uint32_t rank, const struct liquid_piece *piece)
{
	struct plan_rank *to = &plan->rank[piece->peer];
	struct liquid_incoming *message;

	if (!piece->part)
		plan->incoming[to->first_incoming + to->peers++] = (struct liquid_incoming){
			.peer = rank, .parts = piece->parts, .frame = piece->frame };
	message = &plan->incoming[to->first_incoming + to->peers - 1];
	message->pieces++;
	if (message->frame > piece->frame)
		message->frame = piece->frame;
}

static void add_tokens(struct liquid_plan *plan, uint32_t rank)
{
	const struct plan_rank *own = &plan->rank[rank];
	uint32_t end = plan->first_token[own->first + own->pieces];

	for (uint32_t i = plan->first_token[own->first]; i < end; i++) {
		const struct liquid_token *token = &plan->token[i];

		plan->giver[plan->rank[token->rank].first_slot + token->slot] = rank;
	}
}

/*
 * By frame, a byte of it at a time: comparing takes several times as long. Messages that begin in
 * one frame stay in the order of their senders.
 */
static void sort(struct liquid_incoming *message, struct liquid_incoming *spare, uint32_t count,
		 uint32_t length)
{
	for (int shift = 0; count && shift < 32 && (length - 1) >> shift; shift += 8) {
		uint32_t first[257] = { 0 };

		for (uint32_t i = 0; i < count; i++)
			first[(message[i].frame >> shift & 255) + 1]++;
		for (int byte = 0; byte < 256; byte++)
			first[byte + 1] += first[byte];
		for (uint32_t i = 0; i < count; i++)
			spare[first[message[i].frame >> shift & 255]++] = message[i];
		memcpy(message, spare, count * sizeof(*message));
	}
}

static bool sort_incoming(struct liquid_plan *plan)
{
	struct liquid_incoming *spare = calloc(plan->info.ranks, sizeof(*spare));

	for (uint32_t rank = 0; spare && rank < plan->held; rank++)
		sort(plan->incoming + plan->rank[rank].first_incoming, spare,
		     plan->rank[rank].peers, plan->info.length);
	free(spare);
	return spare != NULL;
}

bool plan_find_incoming(struct liquid_plan *plan)
{
	if (!make_room(plan))
		return false;
	for (uint32_t rank = 0; rank < plan->held; rank++) {
		const struct plan_rank *own = &plan->rank[rank];

		for (uint32_t i = own->first; i < own->first + own->pieces; i++)
			add_piece(plan, rank, &plan->piece[i]);
		add_tokens(plan, rank);
	}
	return sort_incoming(plan);
}
