/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Depth-first search over frames: K-team after K-team, bottlenecks first
 *
 * A level is one decision within a frame. The level of a link with a need tries the link's
 * open pairs one after the other; a pair that was tried stays out of the frame at all deeper
 * levels. The first decision of a frame has a single candidate: the frames of a schedule have
 * no order, so any pair that is left may be in the next frame. A level that fills the frame
 * has a single candidate too, and continues without it when that fails.
 */
#ifndef LIQUID_TREE_H
#define LIQUID_TREE_H

#include "problem/random.h"
#include "problem/solving.h"
#include "solve/frames/failed.h"
#include "solve/frames/team.h"

struct level {
	uint32_t begin, next, end;	/* candidates; the last one taken is next - 1 */
	uint32_t base, mark;		/* length of the trail before the level, before the take */
	bool fill, without;		/* without: the candidate of a fill failed */
};

struct frame_record {
	uint32_t first_level, first_pick, times;
};

struct tree {
	struct team team;
	struct random random;
	struct budget *budget;
	bool exhaustive;		/* branch on each pair; else fill frames greedily */
	struct level *levels;
	uint32_t level_count, level_room;
	uint32_t *candidates;
	uint32_t candidate_count, candidate_room;
	struct frame_record *frames;
	uint32_t frame_count, frame_room;
	uint32_t *picks;		/* pairs of the complete frames */
	uint32_t pick_count, pick_room;
	struct ranked *ranked;		/* scratch to sort pairs */
	struct failed_set *failed;
	uint64_t failures, failure_limit; /* of frames that could not be completed */
	uint64_t nodes;
};

enum tree_outcome { TREE_FOUND, TREE_EXHAUSTED, TREE_STOPPED, TREE_NO_MEMORY };

bool tree_new(struct tree *tree, struct solving *solving, bool exhaustive);
void tree_clear(struct tree *tree);
enum tree_outcome tree_search(struct tree *tree, uint32_t frames);
/* After TREE_FOUND: the frame of each transfer, and the number of frames. */
uint32_t tree_frames(struct tree *tree, uint32_t *frame);

#endif
