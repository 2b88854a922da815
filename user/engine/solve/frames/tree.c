// SPDX-License-Identifier: LGPL-2.1-or-later
/* Depth-first search over frames, with its own stack: a schedule may have a million decisions. */
#include <stdlib.h>
#include <string.h>

#include "solve/frames/tree.h"

struct ranked {
	uint64_t urgency;
	uint32_t tie, pair;
};

bool tree_new(struct tree *tree, struct solving *solving, bool exhaustive)
{
	const struct routes *routes = solving->routes;

	*tree = (struct tree){ .budget = solving->budget, .exhaustive = exhaustive,
			       .failure_limit = UINT64_MAX };
	tree->picks = calloc((size_t)routes->transfer_count + 1, sizeof(*tree->picks));
	tree->pick_room = routes->transfer_count;
	tree->ranked = calloc((size_t)routes->pair_count + 1, sizeof(*tree->ranked));
	if (exhaustive)
		tree->failed = failed_new(routes->pair_count);
	return team_new(&tree->team, routes, &solving->inverse, false) && tree->picks &&
	       tree->ranked && (!exhaustive || tree->failed);
}

void tree_clear(struct tree *tree)
{
	team_clear(&tree->team);
	failed_free(tree->failed);
	free(tree->levels);
	free(tree->candidates);
	free(tree->frames);
	free(tree->picks);
	free(tree->ranked);
	*tree = (struct tree){ 0 };
}

/* Room for @more of @size bytes beyond @count. */
static bool reserve(void *array, uint32_t *room, uint32_t count, uint32_t more, size_t size)
{
	size_t wanted = (size_t)count + more, larger;
	void *moved;

	if (wanted <= *room)
		return true;
	larger = wanted + wanted / 2 + 64;
	if (larger > UINT32_MAX)
		return false;
	moved = reallocarray(*(void **)array, larger, size);
	if (!moved)
		return false;
	*(void **)array = moved;
	*room = (uint32_t)larger;
	return true;
}

/* ---- candidates ---- */

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->urgency != right->urgency)
		return left->urgency > right->urgency ? -1 : 1;
	if (left->tie != right->tie)
		return left->tie < right->tie ? -1 : 1;
	return left->pair < right->pair ? -1 : left->pair > right->pair;
}

static void rank_pair(struct tree *tree, uint32_t *count, uint32_t pair)
{
	if (!team_is_open(&tree->team, pair))
		return;
	tree->ranked[*count].urgency = team_urgency(&tree->team, pair);
	tree->ranked[*count].tie = tree->exhaustive ? 0 : (uint32_t)random_next(&tree->random);
	tree->ranked[(*count)++].pair = pair;
}

/* The open pairs of @link, or all of them (LIQUID_NONE), the most urgent first. */
static uint32_t rank_pairs(struct tree *tree, uint32_t link)
{
	const struct routes_inverse *inverse = tree->team.inverse;
	uint32_t count = 0;

	if (link == LIQUID_NONE)
		for (uint32_t pair = 0; pair < tree->team.routes->pair_count; pair++)
			rank_pair(tree, &count, pair);
	else
		for (uint32_t i = inverse->first[link]; i < inverse->first[link + 1]; i++)
			rank_pair(tree, &count, inverse->pairs[i]);
	qsort(tree->ranked, count, sizeof(*tree->ranked), compare_ranked);
	tree->team.work += 32 * (uint64_t)count + (link == LIQUID_NONE ?
		tree->team.routes->pair_count : inverse->first[link + 1] - inverse->first[link]);
	return count;
}

/* ---- levels ---- */

/* Take the next open candidate of @level; false if there is none. */
static bool take_next(struct tree *tree, struct level *level)
{
	while (level->next < level->end) {
		uint32_t pair = tree->candidates[level->next++];

		if (!team_is_open(&tree->team, pair))
			continue;
		team_take(&tree->team, pair);
		tree->nodes++;
		return true;
	}
	return false;
}

static bool push_level(struct tree *tree, uint32_t count, bool fill)
{
	struct level *level;

	if (!reserve(&tree->levels, &tree->level_room, tree->level_count, 1, sizeof(*level)) ||
	    !reserve(&tree->candidates, &tree->candidate_room, tree->candidate_count, count,
		     sizeof(*tree->candidates)))
		return false;
	level = &tree->levels[tree->level_count++];
	level->begin = level->next = tree->candidate_count;
	for (uint32_t i = 0; i < count; i++)
		tree->candidates[tree->candidate_count++] = tree->ranked[i].pair;
	level->end = tree->candidate_count;
	level->base = level->mark = tree->team.trail_length;
	level->fill = fill;
	level->without = false;
	take_next(tree, level);		/* the ranked pairs are open: there is one */
	return true;
}

static uint32_t level_pick(const struct tree *tree, const struct level *level)
{
	return level->without ? LIQUID_NONE : tree->candidates[level->next - 1];
}

/* Replace the level's pick by the next candidate, or by none; false if all were tried. */
static bool level_retry(struct tree *tree, struct level *level)
{
	uint32_t pick = level_pick(tree, level);

	team_undo(&tree->team, pick, level->mark);
	if (pick == LIQUID_NONE)
		return false;
	team_close_pair(&tree->team, pick);
	level->mark = tree->team.trail_length;
	if (tree->team.dead)
		return false;
	if (level->fill) {
		level->without = true;
		return true;
	}
	return take_next(tree, level);
}

static void pop_level(struct tree *tree)
{
	struct level *level = &tree->levels[--tree->level_count];

	team_undo(&tree->team, LIQUID_NONE, level->base);
	tree->candidate_count = level->begin;
}

/* ---- frames ---- */

static bool begin_frame(struct tree *tree)
{
	if (!reserve(&tree->frames, &tree->frame_room, tree->frame_count, 1,
		     sizeof(*tree->frames)))
		return false;
	tree->frames[tree->frame_count++] = (struct frame_record){
		.first_level = tree->level_count, .first_pick = tree->pick_count,
	};
	team_open_frame(&tree->team);
	return true;
}

/* Return to the previous frame, in its state after its last decision. */
static void reopen_frame(struct tree *tree)
{
	struct frame_record *frame = &tree->frames[--tree->frame_count - 1];

	team_restore(&tree->team, tree->picks + frame->first_pick,
		     tree->pick_count - frame->first_pick, frame->times);
	tree->pick_count = frame->first_pick;
	team_open_frame(&tree->team);
	for (uint32_t i = frame->first_level; i < tree->level_count; i++) {
		struct level *level = &tree->levels[i];
		uint32_t tried = level->without ? level->next : level->next - 1;

		for (uint32_t j = level->begin; j < tried; j++)
			team_close_pair(&tree->team, tree->candidates[j]);
		if (!level->without)
			team_take(&tree->team, tree->candidates[level->next - 1]);
	}
}

/* Return to the last decision that has an alternative; false if there is none. */
static bool backtrack(struct tree *tree)
{
	for (;;) {
		uint32_t first = tree->frames[tree->frame_count - 1].first_level;

		while (tree->level_count > first) {
			if (level_retry(tree, &tree->levels[tree->level_count - 1]))
				return true;
			pop_level(tree);
		}
		tree->failures++;
		if (tree->failed)
			failed_add(tree->failed, &tree->team);
		if (tree->frame_count == 1)
			return false;
		reopen_frame(tree);
	}
}

/* Whether no pair that was put aside fits: else the fuller frame is tried elsewhere. */
static bool frame_is_full(struct tree *tree)
{
	uint32_t first = tree->frames[tree->frame_count - 1].first_level;

	for (uint32_t i = first; i < tree->level_count; i++) {
		const struct level *level = &tree->levels[i];
		uint32_t tried = level->without ? level->next : level->next - 1;

		for (uint32_t j = level->begin; j < tried; j++)
			if (team_fits(&tree->team, tree->candidates[j]))
				return false;
	}
	return true;
}

static void keep_picks(struct tree *tree, struct frame_record *frame)
{
	for (uint32_t i = frame->first_level; i < tree->level_count; i++)
		if (!tree->levels[i].without)
			tree->picks[tree->pick_count++] =
				level_pick(tree, &tree->levels[i]);
	if (tree->exhaustive)
		return;
	for (uint32_t i = 0, count = rank_pairs(tree, LIQUID_NONE); i < count; i++)
		if (team_is_open(&tree->team, tree->ranked[i].pair)) {
			team_take(&tree->team, tree->ranked[i].pair);
			tree->picks[tree->pick_count++] = tree->ranked[i].pair;
		}
}

/* Complete the frame and open the next one; it is dead if its state was refuted before. */
static bool end_frame(struct tree *tree)
{
	struct frame_record *frame = &tree->frames[tree->frame_count - 1];
	const uint32_t *picks = tree->picks + frame->first_pick;
	uint32_t count;

	if (tree->exhaustive && !frame_is_full(tree)) {
		tree->team.dead = true;
		return true;
	}
	keep_picks(tree, frame);
	count = tree->pick_count - frame->first_pick;
	frame->times = tree->exhaustive ? 1 : team_repeats(&tree->team, picks, count);
	team_remove(&tree->team, picks, count, frame->times);
	if (!tree->team.transfers_left)
		return true;
	if (!begin_frame(tree))
		return false;
	if (tree->failed && failed_has(tree->failed, &tree->team))
		tree->team.dead = true;
	return true;
}

/* ---- the search ---- */

/* Make one more decision, or end the frame; false if out of memory. */
static bool decide(struct tree *tree)
{
	bool first = tree->level_count == tree->frames[tree->frame_count - 1].first_level;
	uint32_t link = team_tightest(&tree->team, tree->exhaustive ? NULL : &tree->random);
	uint32_t count;

	if (link == LIQUID_NONE && !tree->exhaustive)
		return end_frame(tree);
	count = rank_pairs(tree, link);
	if (!count)
		return end_frame(tree);
	if (link == LIQUID_NONE)
		return push_level(tree, 1, !first);
	return push_level(tree, first ? 1 : count, false);
}

static bool may_go_on(struct tree *tree)
{
	uint64_t work = tree->team.work;

	tree->team.work = 0;
	tree->budget->state.done = tree->team.routes->transfer_count - tree->team.transfers_left;
	return budget_spend(tree->budget, work + 8) && tree->failures <= tree->failure_limit;
}

enum tree_outcome tree_search(struct tree *tree, uint32_t frames)
{
	tree->level_count = tree->candidate_count = tree->frame_count = tree->pick_count = 0;
	tree->failures = 0;
	team_reset(&tree->team, frames);
	if (!begin_frame(tree))
		return TREE_NO_MEMORY;
	while (tree->team.transfers_left) {
		if (!may_go_on(tree))
			return TREE_STOPPED;
		if (tree->team.dead) {
			if (!backtrack(tree))
				return TREE_EXHAUSTED;
		} else if (!decide(tree)) {
			return TREE_NO_MEMORY;
		}
	}
	return TREE_FOUND;
}

uint32_t tree_frames(struct tree *tree, uint32_t *frame)
{
	const struct routes *routes = tree->team.routes;
	uint32_t *taken = tree->team.count;	/* all 0: no transfers are left */
	uint32_t length = 0;

	for (uint32_t i = 0; i < tree->frame_count; i++) {
		uint32_t end = i + 1 < tree->frame_count ? tree->frames[i + 1].first_pick :
			tree->pick_count;

		for (uint32_t times = 0; times < tree->frames[i].times; times++, length++)
			for (uint32_t j = tree->frames[i].first_pick; j < end; j++) {
				uint32_t pair = tree->picks[j];

				frame[routes->first_transfer[pair] + taken[pair]++] = length;
			}
	}
	memset(taken, 0, routes->pair_count * sizeof(*taken));
	return length;
}
