// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * frames: K-team after K-team, bottlenecks first, with restarts
 *
 * A depth-first search makes its mistakes early and finds them late. So an attempt ends after
 * a number of failures, and the next one breaks ties differently and may fail more often. A
 * single failure may take very long, too; so the work of an attempt is also bounded, and the
 * bound is small for most attempts.
 */
#include <stdlib.h>

#include "problem/luby.h"
#include "solve/frames/tree.h"
#include "solve/methods.h"

#define PATIENCE 32
/* Work of a typical successful attempt for each transfer: once, and for each frame. */
enum { TRANSFER_WORK = 1024, FRAME_WORK = 32 };

static int offer_tree(struct solving *solving, struct tree *tree, struct liquid_error *err)
{
	uint32_t *frame = malloc(((size_t)solving->routes->transfer_count + 1) * sizeof(*frame));
	int status;

	if (!frame)
		return liquid_no_memory(err);
	status = solving_offer(solving, frame, tree_frames(tree, frame), err);
	free(frame);
	return status;
}

/* Attempt number @i, from 1, at @length frames */
static int attempt(struct solving *solving, struct tree *tree, uint32_t length, uint32_t i,
		   struct liquid_error *err)
{
	uint64_t unit = solving->routes->transfer_count *
			(TRANSFER_WORK + FRAME_WORK * (uint64_t)length);
	uint64_t outer = budget_narrow(solving->budget, luby(i) * unit);
	enum tree_outcome outcome;

	tree->random.state = solving->seed + ((uint64_t)i << 32 | length) * 0x9e3779b97f4a7c15;
	tree->failure_limit = PATIENCE + i * (uint64_t)i;
	outcome = tree_search(tree, length);
	budget_widen(solving->budget, outer);
	if (outcome == TREE_NO_MEMORY)
		return liquid_no_memory(err);
	return outcome == TREE_FOUND ? offer_tree(solving, tree, err) : LIQUID_OK;
}

/* With no limit of frames: fill every frame greedily, and repeat it while counts allow. */
static int fill_greedily(struct solving *solving, struct tree *tree, struct liquid_error *err)
{
	enum tree_outcome outcome;

	tree->random.state = solving->seed;
	tree->failure_limit = UINT64_MAX;
	outcome = tree_search(tree, UINT32_MAX);
	if (outcome == TREE_NO_MEMORY)
		return liquid_no_memory(err);
	return outcome == TREE_FOUND ? offer_tree(solving, tree, err) : LIQUID_OK;
}

/* For @turn 0 the bound, for 1 a frame less than the best, and then between, nearer to the bound */
static uint32_t length_of(const struct solving *solving, uint32_t turn)
{
	uint32_t gap = solving->length - solving->lower_bound;

	if (turn == 1)
		return solving->length - 1;
	return solving->lower_bound + (turn ? gap >> (turn - 1) : 0);
}

/* Every second attempt is for turn 0, every fourth for turn 1, and so on. */
static int search_lengths(struct solving *solving, struct tree *tree, struct liquid_error *err)
{
	int status = solving->length ? LIQUID_OK : fill_greedily(solving, tree, err);

	for (uint32_t i = 1; !status && !solving_done(solving) && budget_left(solving->budget);
	     i++) {
		uint32_t turn = (uint32_t)__builtin_ctz(i);

		status = attempt(solving, tree, length_of(solving, turn), (i >> turn) / 2 + 1, err);
	}
	return status;
}

int method_frames(struct solving *solving, struct liquid_error *err)
{
	struct tree tree;
	int status;

	if (tree_new(&tree, solving, false))
		status = search_lengths(solving, &tree, err);
	else
		status = liquid_no_memory(err);
	tree_clear(&tree);
	return status;
}

int frames_exhaust(struct solving *solving, uint32_t length, bool *proven,
		   struct liquid_error *err)
{
	enum tree_outcome outcome = TREE_NO_MEMORY;
	int status = LIQUID_OK;
	struct tree tree;

	*proven = false;
	if (tree_new(&tree, solving, true))
		outcome = tree_search(&tree, length);
	if (outcome == TREE_NO_MEMORY)
		status = liquid_no_memory(err);
	else if (outcome == TREE_FOUND)
		status = offer_tree(solving, &tree, err);
	else
		*proven = outcome == TREE_EXHAUSTED;
	tree_clear(&tree);
	return status;
}
