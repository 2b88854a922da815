// SPDX-License-Identifier: LGPL-2.1-or-later
/* The draft of a plan: which pieces a piece waits for. */
#include <stdlib.h>
#include <string.h>

#include "run/draft.h"

#define DRAFT_LANES_MAX (1u << 28)

/* What a piece may have to wait for: the last users of the links of its path, each once. */
struct candidates {
	struct draft_user user[LIQUID_PATH_MAX];
	uint32_t count;
};

static void number_hosts(struct draft *draft)
{
	memset(draft->rank_of_host, 0xff,
	       liquid_fabric_host_count(draft->fabric) * sizeof(*draft->rank_of_host));
	for (uint32_t rank = 0; rank < draft->ranks; rank++) {
		uint32_t host = draft_host(draft, rank);

		draft->rank_of_host[host] = rank;
		draft->first_chain[rank + 1] = draft->first_chain[rank] +
			liquid_fabric_host_capacity(draft->fabric, host);
	}
}

/* A link needs no more lanes than a frame has transfers. */
static uint64_t number_lanes(struct draft *draft, size_t widest)
{
	uint32_t links = liquid_fabric_link_count(draft->fabric);
	uint64_t lanes = 0;

	for (uint32_t link = 0; link < links; link++) {
		uint32_t capacity = liquid_fabric_capacity(draft->fabric, link);

		draft->first_lane[link] = (uint32_t)lanes;
		lanes += capacity < widest ? capacity : widest;
	}
	draft->first_lane[links] = (uint32_t)lanes;
	return lanes;
}

static int make_lanes(struct draft *draft, size_t widest, struct liquid_error *err)
{
	uint32_t chains = draft->first_chain[draft->ranks];
	uint64_t lanes;

	draft->first_lane = calloc((size_t)liquid_fabric_link_count(draft->fabric) + 1,
				   sizeof(*draft->first_lane));
	if (!draft->first_lane)
		return liquid_no_memory(err);
	lanes = number_lanes(draft, widest);
	if (lanes > DRAFT_LANES_MAX)
		return liquid_no_memory(err);
	draft->last = malloc(((size_t)lanes + 1) * sizeof(*draft->last));
	draft->opener = malloc(((size_t)lanes + 1) * sizeof(*draft->opener));
	draft->chain_pieces = calloc((size_t)chains + 1, sizeof(*draft->chain_pieces));
	if (!draft->last || !draft->opener || !draft->chain_pieces ||
	    !clocks_new(&draft->clocks, chains, (uint32_t)lanes + 1))
		return liquid_no_memory(err);
	memset(draft->last, 0xff, lanes * sizeof(*draft->last));
	memset(draft->opener, 0xff, lanes * sizeof(*draft->opener));
	return LIQUID_OK;
}

int draft_new(struct draft *draft, const struct liquid_fabric *fabric,
	      const struct liquid_plan_options *options, size_t transfers, size_t widest,
	      struct liquid_error *err)
{
	uint32_t ranks = options->ranks;

	*draft = (struct draft){ .fabric = fabric, .ranks = ranks,
				 .host_of_rank = options->host_of_rank };
	draft->from_room = 2 * transfers + LIQUID_PATH_MAX;
	draft->rank_of_host = calloc((size_t)liquid_fabric_host_count(fabric) + 1,
				     sizeof(*draft->rank_of_host));
	draft->first_chain = calloc((size_t)ranks + 1, sizeof(*draft->first_chain));
	draft->piece = calloc(transfers + 1, sizeof(*draft->piece));
	draft->first_from = calloc(transfers + 1, sizeof(*draft->first_from));
	draft->from = calloc(draft->from_room, sizeof(*draft->from));
	if (!draft->rank_of_host || !draft->first_chain || !draft->piece || !draft->first_from ||
	    !draft->from)
		return liquid_no_memory(err);
	number_hosts(draft);
	return make_lanes(draft, widest, err);
}

void draft_clear(struct draft *draft)
{
	free(draft->rank_of_host);
	free(draft->first_chain);
	free(draft->chain_pieces);
	free(draft->piece);
	free(draft->first_from);
	free(draft->from);
	free(draft->again);
	free(draft->first_lane);
	free(draft->last);
	free(draft->opener);
	clocks_clear(&draft->clocks);
}

/* Frames up to this one are the piece's; 0: there is none. */
static uint32_t end_of(const struct draft *draft, uint32_t piece)
{
	return piece == LIQUID_NONE ? 0 : draft->piece[piece].frame + draft->piece[piece].frames;
}

/*
 * Choose a lane of @link that is free in @frame: one that the sender used last needs no token;
 * else the one that is free for the longest time, the first of those that are equal. Returns
 * LIQUID_NONE if all are taken.
 */
static uint32_t choose_lane(const struct draft *draft, uint32_t link, uint32_t src, uint32_t frame)
{
	uint32_t best = LIQUID_NONE, best_end = frame + 1;

	for (uint32_t lane = draft->first_lane[link]; lane < draft->first_lane[link + 1]; lane++) {
		uint32_t user = draft->last[lane].piece, end = end_of(draft, user);

		if (end > frame)
			continue;
		if (user != LIQUID_NONE && draft->piece[user].src == src)
			return lane;
		if (end < best_end) {
			best = lane;
			best_end = end;
		}
	}
	return best;
}

static int refuse_overfull(const struct draft *draft, uint32_t link, uint32_t frame,
			   struct liquid_error *err)
{
	char name[3 * LIQUID_NAME_MAX];

	return liquid_fail(err, LIQUID_BAD_INPUT, "frame %u has more than %u transfers on %s: the "
			   "schedule is not one of this fabric", frame,
			   liquid_fabric_capacity(draft->fabric, link),
			   liquid_fabric_link_name(draft->fabric, link, name, sizeof(name)));
}

static void add_candidate(struct candidates *candidates, struct draft_user user)
{
	if (user.piece == LIQUID_NONE)
		return;
	for (uint32_t i = 0; i < candidates->count; i++)
		if (candidates->user[i].piece == user.piece)
			return;
	candidates->user[candidates->count++] = user;
}

/* Does @other's piece wait for that of @user, directly or not? */
static bool comes_after(const struct draft *draft, struct draft_user other, struct draft_user user)
{
	const struct draft_piece *early = &draft->piece[user.piece];
	const struct draft_piece *late = &draft->piece[other.piece];

	if (early->frame >= late->frame)
		return false;
	return late->chain == early->chain ||
		clocks_reach(&draft->clocks, other.row, early->chain, early->position);
}

/* The transitive reduction: what another candidate has waited for need not be waited for. */
static void reduce(const struct draft *draft, const struct candidates *all, struct candidates *kept)
{
	kept->count = 0;
	for (uint32_t i = 0; i < all->count; i++) {
		bool implied = false;

		for (uint32_t j = 0; j < all->count && !implied; j++)
			implied = comes_after(draft, all->user[j], all->user[i]);
		if (!implied)
			kept->user[kept->count++] = all->user[i];
	}
}

static bool grow_from(struct draft *draft, uint32_t used)
{
	uint32_t *larger;

	if (used + (size_t)LIQUID_PATH_MAX <= draft->from_room)
		return true;
	larger = realloc(draft->from, 2 * draft->from_room * sizeof(*larger));
	if (!larger)
		return false;
	draft->from = larger;
	draft->from_room *= 2;
	return true;
}

/* Record what @piece waits for; its lane's own order needs no token. Returns its clock's row. */
static bool record(struct draft *draft, uint32_t piece, const struct candidates *kept,
		   uint32_t *row)
{
	uint32_t chain = draft->piece[piece].chain, used = draft->first_from[piece];
	uint32_t rows[LIQUID_PATH_MAX];

	if (!grow_from(draft, used))
		return false;
	for (uint32_t i = 0; i < kept->count; i++) {
		rows[i] = kept->user[i].row;
		if (draft->piece[kept->user[i].piece].chain != chain)
			draft->from[used++] = kept->user[i].piece;
	}
	draft->first_from[piece + 1] = used;
	*row = clocks_take(&draft->clocks, rows, kept->count);
	clocks_stamp(&draft->clocks, *row, chain, draft->piece[piece].position);
	return true;
}

static void take_lanes(struct draft *draft, const uint32_t *lanes, uint32_t count,
		       struct draft_user user)
{
	for (uint32_t i = 0; i < count; i++) {
		struct draft_user *last = &draft->last[lanes[i]];

		clocks_use(&draft->clocks, user.row);
		if (last->piece == LIQUID_NONE)
			draft->opener[lanes[i]] = user.piece;
		else
			clocks_leave(&draft->clocks, last->row);
		*last = user;
	}
}

/* Lanes of the links from @src to @dst that are free in @frame; returns their number. */
static int find_lanes(const struct draft *draft, uint32_t src, uint32_t dst, uint32_t frame,
		      uint32_t lanes[LIQUID_PATH_MAX], struct liquid_error *err)
{
	uint32_t path[LIQUID_PATH_MAX];
	int count = liquid_fabric_route(draft->fabric, draft_host(draft, src),
					draft_host(draft, dst), path, err);

	for (int i = 0; i < count; i++) {
		lanes[i] = choose_lane(draft, path[i], src, frame);
		if (lanes[i] == LIQUID_NONE)
			return refuse_overfull(draft, path[i], frame, err);
	}
	return count;
}

/* The number of the sender's lane: the first link of its path is its own. */
static uint32_t chain_of(const struct draft *draft, uint32_t src, uint32_t lane)
{
	uint32_t link = liquid_fabric_host_out(draft->fabric, draft_host(draft, src));

	return draft->first_chain[src] + lane - draft->first_lane[link];
}

int draft_add(struct draft *draft, uint32_t src, uint32_t dst, uint32_t frame, uint32_t *piece,
	      struct liquid_error *err)
{
	uint32_t lanes[LIQUID_PATH_MAX], chain;
	struct candidates all = { .count = 0 }, kept;
	struct draft_user user;
	int links = find_lanes(draft, src, dst, frame, lanes, err);

	if (links < 0)
		return links;
	chain = chain_of(draft, src, lanes[0]);
	user.piece = *piece = draft->pieces;
	draft->piece[*piece] = (struct draft_piece){
		.src = src, .dst = dst, .frame = frame, .frames = 1, .chain = chain,
		.position = ++draft->chain_pieces[chain],
	};
	for (int i = 0; i < links; i++)
		add_candidate(&all, draft->last[lanes[i]]);
	for (uint32_t i = 0; i < all.count; i++)
		draft->edges += draft->piece[all.user[i].piece].src != src;
	reduce(draft, &all, &kept);
	if (!record(draft, *piece, &kept, &user.row))
		return liquid_no_memory(err);
	take_lanes(draft, lanes, (uint32_t)links, user);
	draft->pieces++;
	return LIQUID_OK;
}
