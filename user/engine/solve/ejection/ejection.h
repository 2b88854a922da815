/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ejection: all transfers into K frames by chains of displacements
 *
 * A transfer that fits nowhere takes the frame where those in its way weigh least,
 * and these look for a place in turn. A transfer gains weight each time it has to
 * put others out, so that what is hard to place comes to rest and what is easy
 * does the moving; of those that wait, a light one goes first. Every frame is
 * weighed each time (a row of cells per link, added up 32 frames at a time): sampling
 * frames instead is faster by the move and far worse by the result.
 *
 * Works on any struct routes, so on anything that can be put as sets of resources
 * with capacities; of its fields only pair_count, link_count, transfer_count,
 * first_transfer, first, links and capacity are read.
 */
#ifndef LIQUID_EJECTION_H
#define LIQUID_EJECTION_H

#include "problem/random.h"
#include "problem/solving.h"

/* What every move reads of a transfer, in one place: memory is what a move waits for. */
struct ejection_item {
	uint32_t first;			/* where its links begin in routes->links[] */
	uint16_t count;			/* of them */
	uint16_t weight;		/* 1 ... EJECTION_WEIGHT_MAX */
};

/* Frames that stand together; the first is the beginning of a block. */
struct ejection_range {
	uint32_t first, frames;
};

/*
 * For transfers that may take one of several sets of links, each in frames of its own range:
 * choice c takes routes->links[routes->first[c]] ... there, and pairs have choices.
 */
struct ejection_choices {
	uint32_t *first;		/* by pair, pair_count + 1 of them */
	uint8_t *range;			/* by choice: which */
	const struct ejection_range *ranges;
	uint32_t range_count;
};

struct ejection {
	const struct routes *routes;
	const struct ejection_choices *choices;	/* NULL: a pair's links are its only choice */
	uint32_t *choice;		/* by transfer: the one that it took last; NULL as above */
	bool once;			/* on links that follow each other one weighs once: better
					 * where paths are long, and worse where they are short */
	struct ejection_range whole;	/* what there is without choices */
	struct random random;
	uint32_t frames, stride;	/* of a row of cells, a multiple of EJECTION_BLOCK */
	uint16_t *cells;		/* by link and frame: 0 while there is room, else tag and
					 * weight of the lightest transfer there */
	uint32_t *owner;		/* by link and frame: the transfer; where the capacity is
					 * above 1, how many, then each with its weight */
	size_t *owner_at;		/* by link: where it begins there */
	int16_t *cost;			/* by frame: weight of those in the way */
	uint32_t *pair_of;		/* by transfer */
	uint32_t *frame;		/* by transfer; LIQUID_NONE: nowhere */
	struct ejection_item *item;	/* by transfer */
	uint32_t *waiting;		/* transfers without a frame, in no order */
	uint32_t waiting_count;
	uint64_t work;			/* done and not yet charged */
};

#define EJECTION_BLOCK 32u
/* LIQUID_PATH_MAX such weights fit into 15 bits. */
#define EJECTION_WEIGHT_BITS 9
#define EJECTION_WEIGHT_MAX ((1u << EJECTION_WEIGHT_BITS) - 1)

enum ejection_outcome {
	EJECTION_PLACED,		/* every transfer has a frame */
	EJECTION_STUCK,			/* no hope at this number of frames and this budget */
	EJECTION_OUT_OF_WORK,
};

/* LIQUID_LIMIT where links x frames would take too much memory. */
int ejection_new(struct ejection *ejection, const struct routes *routes, uint64_t seed,
		 struct liquid_error *err);
void ejection_clear(struct ejection *ejection);
/* Before the first ejection_open(); every pair has one at least. */
int ejection_give_choices(struct ejection *ejection, const struct ejection_choices *choices,
			  struct liquid_error *err);
/*
 * Use frames 0 ... @frames - 1 from now on. What frame[] says of the transfers is
 * kept as far as it lies there; frame[] may be filled in by the caller before.
 */
int ejection_open(struct ejection *ejection, uint32_t frames, struct liquid_error *err);
enum ejection_outcome ejection_run(struct ejection *ejection, struct budget *budget);
/* Into frame[], those without a place by first fit into frames of their own; returns the length. */
int ejection_complete(const struct ejection *ejection, uint32_t *frame, uint32_t *length,
		      struct liquid_error *err);

/*
 * Make the schedule that @solving has shorter, trying @length frames first (0: somewhat
 * less than it has). Spends all of the budget unless the lower bound is reached.
 */
int ejection_shorten(struct solving *solving, uint32_t length, struct liquid_error *err);

/*
 * Weigh the frames of @range for a transfer on @count links, from @start on and around, until
 * one has room. Returns the least; *@at is the first such frame, *@weighed how many were
 * looked at.
 */
uint32_t ejection_weigh(const struct ejection *ejection, const struct ejection_range *range,
			const uint32_t *links, uint32_t count, uint32_t start, uint32_t *at,
			uint32_t *weighed);

#endif
