/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ejection: all transfers into K frames by chains of displacements
 *
 * A transfer that fits into no frame goes into the frame where the transfers in its way have
 * the least total weight. These are removed, and placed again later. A transfer gains weight
 * each time it removes others, so that transfers that are hard to place stay and easy ones
 * move. Of the waiting transfers, light ones are placed first. Each move computes the cost of
 * every frame (a row of cells per link, added up 32 frames at a time): looking at a sample of
 * the frames makes a move faster and the result far worse.
 *
 * Works on any problem that can be written as sets of resources with capacities. Of struct
 * routes it reads only pair_count, link_count, transfer_count, first_transfer, first, links
 * and capacity.
 */
#ifndef LIQUID_EJECTION_H
#define LIQUID_EJECTION_H

#include "problem/random.h"
#include "problem/solving.h"

/* The data of a transfer that each move reads, together: a move waits for memory. */
struct ejection_item {
	uint32_t first;			/* where its links begin in routes->links[] */
	uint16_t count;			/* number of its links */
	uint16_t weight;		/* 1 ... EJECTION_WEIGHT_MAX */
};

/* Consecutive frames; the first one begins a block. */
struct ejection_range {
	uint32_t first, frames;
};

/*
 * For transfers that can use one of several sets of links, each in frames of one range.
 * Choice c uses routes->links[routes->first[c]] ... routes->links[routes->first[c + 1] - 1].
 */
struct ejection_choices {
	uint32_t *first;		/* by pair: its first choice; pair_count + 1 entries */
	uint8_t *range;			/* by choice: its index in ranges[] */
	const struct ejection_range *ranges;
	uint32_t range_count;
};

struct ejection {
	const struct routes *routes;
	const struct ejection_choices *choices;	/* NULL: one choice for each pair, its links */
	uint32_t *choice;		/* by transfer: its last choice; NULL as above */
	bool once;			/* a transfer in the way on two consecutive links counts
					 * once: better for long paths, worse for short ones */
	/*
	 * The transfers of a pair are alike: they have one weight, and none displaces another one.
	 * Without it, most moves of many copies only change which of them waits.
	 */
	bool alike;
	bool patient;			/* no frames are added where it is stuck */
	struct ejection_range whole;	/* of all frames; used without choices */
	struct random random;
	uint32_t frames, stride;	/* stride: cells of a row, a multiple of EJECTION_BLOCK */
	uint16_t *cells;		/* by link and frame: 0 if there is room, else tag and
					 * weight of the lightest transfer there */
	uint32_t *owner;		/* by link and frame: the transfer; with capacity above 1
					 * the number of transfers, then each and its weight */
	size_t *owner_at;		/* by link: its first entry in owner[] */
	int16_t *cost;			/* by frame: total weight of the transfers in the way */
	uint32_t *pair_of;		/* by transfer */
	uint32_t *frame;		/* by transfer; LIQUID_NONE: none */
	struct ejection_item *item;	/* by transfer */
	uint32_t *waiting;		/* transfers without a frame, in no order */
	uint32_t waiting_count;
	uint64_t work;			/* operations not yet charged to the budget */
};

#define EJECTION_BLOCK 32u
/* The sum of LIQUID_PATH_MAX weights fits into 15 bits. */
#define EJECTION_WEIGHT_BITS 9
#define EJECTION_WEIGHT_MAX ((1u << EJECTION_WEIGHT_BITS) - 1)

enum ejection_outcome {
	EJECTION_PLACED,		/* every transfer has a frame */
	EJECTION_STUCK,			/* too little progress at this number of frames */
	EJECTION_OUT_OF_WORK,
};

int ejection_new(struct ejection *ejection, const struct routes *routes, uint64_t seed,
		 struct liquid_error *err);
void ejection_clear(struct ejection *ejection);
/* Call it before the first ejection_open(). Every pair has at least one choice. */
int ejection_give_choices(struct ejection *ejection, const struct ejection_choices *choices,
			  struct liquid_error *err);
/*
 * Use frames 0 ... @frames - 1 from now on. Transfers whose frame[] is among these stay
 * there; the caller may fill in frame[] before. Fails with LIQUID_LIMIT if links x frames would
 * take too much memory.
 */
int ejection_open(struct ejection *ejection, uint32_t frames, struct liquid_error *err);
enum ejection_outcome ejection_run(struct ejection *ejection, struct budget *budget);
/*
 * The same one transfer at a time, in their order: the next one waits until the chain of the last
 * one has ended. For few that wait among many that should stay.
 */
enum ejection_outcome ejection_run_singly(struct ejection *ejection, struct budget *budget);
/* Copy to @frame[] and place waiting transfers by first fit into further frames. */
int ejection_complete(const struct ejection *ejection, uint32_t *frame, uint32_t *length,
		      struct liquid_error *err);

/*
 * Shorten the schedule of @solving, trying @length frames first (0: somewhat fewer than it
 * has), until @patience tries have failed, the lower bound is reached or the budget is spent.
 */
int ejection_shorten(struct solving *solving, uint32_t length, uint32_t patience,
		     struct liquid_error *err);

/*
 * Compute the costs of the frames of @range for a transfer on @count links, cyclically from
 * @start on, until one has room. Returns the least cost; *@at is the first frame of that cost,
 * *@weighed the number of frames computed.
 */
uint32_t ejection_weigh(const struct ejection *ejection, const struct ejection_range *range,
			const uint32_t *links, uint32_t count, uint32_t start, uint32_t *at,
			uint32_t *weighed);

#endif
