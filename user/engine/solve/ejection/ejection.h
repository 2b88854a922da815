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
 * Works on any problem that can be written as sets of resources with capacities, and on orbits in
 * base frames. Of struct routes it reads only pair_count, link_count, transfer_count,
 * first_transfer, first, links and capacity.
 */
#ifndef LIQUID_EJECTION_H
#define LIQUID_EJECTION_H

#include "problem/random.h"
#include "problem/solving.h"

/*
 * Frames of one kind, which have their own cells. A transfer in phase p of a frame takes, for
 * each cell that it has in phase 0, the one that is p further in the same cycle. Where a link is
 * just a link, it is a cell, and there is one phase.
 */
struct ejection_kind {
	uint32_t frames, phases, cell_count;
	const uint32_t *capacity;	/* by cell */
	/* Cells of a pair in phase 0: links[first[pair]] ... links[first[pair + 1] - 1], at most
	 * LIQUID_PATH_MAX; none: it does not fit into these frames. */
	const uint32_t *first, *links;
	const uint32_t *span;		/* by cell: how many its cycle has, which are consecutive;
					 * NULL: there is one phase */
	/* The rest is made by ejection_open(). */
	uint32_t stride;		/* cells of a row, a multiple of EJECTION_BLOCK */
	uint16_t *cells;		/* by cell and frame: 0 if there is room, else tag and
					 * weight of the lightest transfer there */
	uint32_t *owner;		/* by cell and frame: the transfer; with capacity above 1
					 * the number of transfers, then each and its weight */
	size_t *owner_at;		/* by cell: its first entry in owner[] */
	uint32_t *cycle;		/* by cell: the first of its cycle */
};

/* The data of a transfer that each move reads, together: a move waits for memory. */
struct ejection_item {
	uint32_t first;			/* where its cells begin in links[] of its kind */
	uint8_t count, kind;		/* number of cells; kind of frames, where it was last */
	uint16_t weight;		/* 1 ... EJECTION_WEIGHT_MAX */
};

#define EJECTION_KINDS_MAX 2

struct ejection {
	const struct routes *routes;
	struct ejection_kind kind[EJECTION_KINDS_MAX];
	uint32_t kinds;
	bool once;			/* a transfer in the way on two consecutive links counts
					 * once: better for long paths, worse for short ones */
	/*
	 * The transfers of a pair are alike: they have one weight, and none displaces another one.
	 * Without it, most moves of many copies only change which of them waits.
	 */
	bool alike;
	bool patient;			/* no frames are added where it is stuck: it gets there
					 * more slowly, and further */
	uint32_t at_once;		/* frames of a cell that are weighed in one operation */
	struct random random;
	int16_t *cost;			/* by frame: total weight of the transfers in the way */
	uint32_t *pair_of;		/* by transfer */
	uint32_t *frame;		/* by transfer, in its kind; LIQUID_NONE: none */
	uint16_t *phase;		/* by transfer */
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
	EJECTION_NO_FRAME,		/* a transfer fits into no kind that has frames */
	EJECTION_OUT_OF_WORK,
};

int ejection_new(struct ejection *ejection, const struct routes *routes, uint64_t seed,
		 struct liquid_error *err);
void ejection_clear(struct ejection *ejection);
/* The same in frames of @kinds, which all have cycles. Of @routes it reads only the transfers. */
int ejection_new_kinds(struct ejection *ejection, const struct routes *routes,
		       const struct ejection_kind *kind, uint32_t kinds, uint64_t seed,
		       struct liquid_error *err);
/* Say where a transfer is. Call it before ejection_open(). */
void ejection_put(struct ejection *ejection, uint32_t transfer, uint32_t kind, uint32_t phase,
		  uint32_t frame);
/*
 * Use frames 0 ... @frames - 1 of the first kind from now on. Transfers whose frame[] is among
 * these stay there; the caller may fill in frame[] before. Fails with LIQUID_LIMIT if cells and
 * frames would take too much memory.
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
 * Compute the costs of the frames of @kind for a transfer in @count cells, cyclically from
 * @start on, until one has room. Returns the least cost; if it is less than @below, *@at is the
 * first frame of that cost. *@weighed: the number of frames computed
 */
uint32_t ejection_weigh(const struct ejection *ejection, const struct ejection_kind *kind,
			const uint32_t *cells, uint32_t count, uint32_t start, uint32_t below,
			uint32_t *at, uint32_t *weighed);

#endif
