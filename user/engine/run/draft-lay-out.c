// SPDX-License-Identifier: LGPL-2.1-or-later
/* From the draft to the plan: pieces by rank and lane, edges as slots and tokens. */
#include <stdlib.h>

#include "run/draft.h"

struct laying {
	const struct draft *draft;
	struct liquid_plan *plan;
	uint32_t *first;		/* by chain: its first piece in the plan */
	uint32_t *part;			/* by peer: parts of the message of the rank at work */
};

/* The number in the plan of a piece of the draft */
static uint32_t place_of(const struct laying *laying, uint32_t piece)
{
	const struct draft_piece *from = &laying->draft->piece[piece];

	return laying->first[from->chain] + from->position - 1;
}

static void place_ranks(struct laying *laying)
{
	const struct draft *draft = laying->draft;
	uint32_t next = 0;

	for (uint32_t rank = 0; rank < draft->ranks; rank++) {
		struct plan_rank *own = &laying->plan->rank[rank];

		own->first = next;
		for (uint32_t chain = draft->first_chain[rank];
		     chain < draft->first_chain[rank + 1]; chain++) {
			laying->first[chain] = next;
			next += draft->chain_pieces[chain];
			own->lanes += draft->chain_pieces[chain] > 0;
		}
		own->pieces = next - own->first;
	}
}

static void place_pieces(struct laying *laying)
{
	const struct draft *draft = laying->draft;

	for (uint32_t i = 0; i < draft->pieces; i++) {
		const struct draft_piece *from = &draft->piece[i];

		laying->plan->piece[place_of(laying, i)] = (struct liquid_piece){
			.peer = from->dst, .frame = from->frame, .frames = from->frames,
			.units = from->frames, .lane = from->chain - draft->first_chain[from->src],
			.waits = draft->first_from[i + 1] - draft->first_from[i],
			.member = from->member, .after = from->after,
		};
		laying->plan->marked |= from->member || from->after;
	}
	for (uint32_t i = 0; i < draft->agains; i++) {
		uint32_t to = place_of(laying, draft->again[i].to);

		laying->plan->piece[to].waits++;
		laying->plan->piece[to].again++;
	}
}

/* Cut the messages of a rank into parts: all that go to a peer are one message. */
static void number_parts(struct laying *laying, const struct plan_rank *own)
{
	struct liquid_piece *begin = laying->plan->piece + own->first, *end = begin + own->pieces;

	for (struct liquid_piece *piece = begin; piece < end; piece++) {
		piece->part = laying->part[piece->peer];
		laying->part[piece->peer] += piece->units;
	}
	for (struct liquid_piece *piece = begin; piece < end; piece++)
		piece->parts = laying->part[piece->peer];
	for (struct liquid_piece *piece = begin; piece < end; piece++)
		laying->part[piece->peer] = 0;
}

static void number_slots(struct laying *laying, struct plan_rank *own)
{
	for (uint32_t i = own->first; i < own->first + own->pieces; i++) {
		laying->plan->piece[i].slot = own->slots;
		own->slots += laying->plan->piece[i].waits;
	}
}

/* The token of the edge @from to the @wait-th slot of @to: counted, or also written. */
static void give(struct laying *laying, uint32_t from, uint32_t to, uint32_t wait, bool write)
{
	const struct draft *draft = laying->draft;
	uint32_t *next = &laying->plan->first_token[place_of(laying, from) + 1];
	uint32_t rank = draft->piece[to].src;

	if (write)
		laying->plan->token[*next] = (struct liquid_token){
			rank, laying->plan->piece[place_of(laying, to)].slot + wait };
	laying->plan->info.tokens += !write && draft->piece[from].src != rank;
	++*next;
}

/* All edges that join a rank to itself, or all others. */
static void give_all(struct laying *laying, bool self, bool write)
{
	const struct draft *draft = laying->draft;
	uint32_t wait = 0;

	for (uint32_t to = 0; to < draft->pieces; to++)
		for (uint32_t i = draft->first_from[to]; i < draft->first_from[to + 1]; i++)
			if (self == (draft->piece[draft->from[i]].src == draft->piece[to].src))
				give(laying, draft->from[i], to, i - draft->first_from[to], write);
	/* No edge of the next epoch joins a rank to itself. */
	for (uint32_t i = 0; i < draft->agains && !self; i++) {
		uint32_t to = draft->again[i].to;

		wait = i && draft->again[i - 1].to == to ? wait + 1 :
			draft->first_from[to + 1] - draft->first_from[to];
		give(laying, draft->again[i].from, to, wait, write);
	}
}

/*
 * Tokens by piece, first counted, then written. While that goes on, entry p + 1 of first_token[]
 * is where the next token of piece p goes; in the end it is where those of piece p + 1 begin.
 */
static void place_tokens(struct laying *laying)
{
	uint32_t *first = laying->plan->first_token, begin = 0;

	give_all(laying, false, false);
	give_all(laying, true, false);
	for (uint32_t i = 0; i < laying->draft->pieces; i++) {
		uint32_t count = first[i + 1];

		first[i + 1] = begin;
		begin += count;
	}
	give_all(laying, false, true);
	give_all(laying, true, true);
}

static void lay_out(struct laying *laying)
{
	const struct draft *draft = laying->draft;

	place_ranks(laying);
	place_pieces(laying);
	for (uint32_t rank = 0; rank < draft->ranks; rank++) {
		number_parts(laying, &laying->plan->rank[rank]);
		number_slots(laying, &laying->plan->rank[rank]);
	}
	place_tokens(laying);
	laying->plan->info.ranks = draft->ranks;
	laying->plan->info.rank = LIQUID_NONE;
	laying->plan->info.edges = draft->edges;
}

struct liquid_plan *draft_lay_out(const struct draft *draft)
{
	size_t tokens = (size_t)draft->first_from[draft->pieces] + draft->agains;
	struct laying laying = { .draft = draft };

	laying.plan = plan_new(0, draft->ranks, draft->pieces, tokens);
	laying.first = calloc((size_t)draft->first_chain[draft->ranks] + 1, sizeof(*laying.first));
	laying.part = calloc((size_t)draft->ranks + 1, sizeof(*laying.part));
	if (laying.plan && laying.first && laying.part) {
		lay_out(&laying);
	} else {
		liquid_plan_free(laying.plan);
		laying.plan = NULL;
	}
	free(laying.first);
	free(laying.part);
	return laying.plan;
}
