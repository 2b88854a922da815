/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The papers' search for full teams (Gabrielyan & Hersch 2006, sections 5 to 7)
 *
 * A category is an includer (transfers in the frame), an excluder (transfers that are kept
 * out) and a depot (other transfers that fit). Fission splits a category in two, with and
 * without a certain transfer of the depot. A blank category cannot become full: a transfer of
 * the excluder fits, and no transfer of the depot could prevent it. An idle category can no
 * longer use all bottlenecks. With the skeleton, the transfers that use bottlenecks are decided
 * first, as their own traffic.
 */
#ifndef LIQUID_CATEGORIES_H
#define LIQUID_CATEGORIES_H

#include "problem/budget.h"
#include "solve/frames/team.h"

struct categories_options {
	bool blank, idle, skeleton;	/* ways to cut the search short */
	bool first_in_depot;		/* fission by the first transfer, not by the scarcest */
};

struct categories_counts {
	uint64_t categories;		/* number of categories searched */
	uint64_t full_simultaneities, full_teams;
};

enum categories_outcome { CATEGORIES_GO_ON, CATEGORIES_FOUND, CATEGORIES_STOPPED,
			  CATEGORIES_NO_MEMORY };

/* A part of the search in one frame: its skeleton, the rest, or all of it. */
struct segment {
	enum { SEGMENT_WHOLE, SEGMENT_SKELETON, SEGMENT_BODY } kind;
	uint32_t frame_begin, begin;	/* in the journal: of the frame, of the segment */
	uint32_t excluder_begin;
};

struct categories {
	struct team team;
	struct budget *budget;
	struct categories_options options;
	struct categories_counts counts;
	bool shuffled;			/* ties between transfers are broken at random */
	struct random random;
	bool enumerate;			/* search only the first frame: count its full teams */
	/*
	 * With enumerate, called for each full simultaneity that is found (without idle
	 * categories only teams are), with its pairs in order; or NULL. False stops the search.
	 */
	bool (*found)(void *context, const uint32_t *pairs, uint32_t count);
	void *context;
	uint32_t *journal;		/* decisions in order: 2 * pair, + 1 if excluded */
	uint32_t journal_count, journal_room;
	uint32_t *excluder;
	uint32_t excluder_count, excluder_room;
	uint32_t *frame_end;		/* by complete frame: its end in the journal */
	uint32_t frame_count, frame_room;
};

bool categories_new(struct categories *search, const struct routes *routes,
		    const struct routes_inverse *inverse, struct budget *budget);
void categories_clear(struct categories *search);
/*
 * Find a schedule of @frames frames or, with enumerate, all full teams of its first frame.
 * CATEGORIES_GO_ON: the search has ended and found none.
 */
enum categories_outcome categories_search(struct categories *search, uint32_t frames);
/* After FOUND: the frame of each transfer; returns the number of frames. */
uint32_t categories_frames(struct categories *search, uint32_t *frame);

#endif
