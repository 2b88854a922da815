/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A call's requests to each I/O node. It holds no data: that stays in the user's memory until MPI
 * takes it from there.
 */
#ifndef LIQUID_SFIO_CACHE_H
#define LIQUID_SFIO_CACHE_H

#include <stdbool.h>

#include "cache/piece.h"

/* The requests for one I/O node */
struct requests {
	struct pieces all;		/* as asked for, sorted */
	struct pieces cut;		/* without what overlaps; empty: nothing did */
	size_t next;			/* piece that is taken next, and how much of it was taken */
	uint64_t taken;
};

struct cache {
	struct requests *node;
	uint32_t nodes;
};

/* A contiguous access of a subfile, on the wire as well */
struct run {
	uint64_t at;
	uint32_t length, subfile;
};

/* What goes in one message: pieces in order, and the runs into which they merge */
struct batch {
	struct pieces pieces;
	struct run *run;
	size_t runs, room;
	uint64_t bytes;			/* of data */
};

/* A position among the subfiles of an I/O node */
struct place {
	uint32_t subfile;
	uint64_t at;
};
#define PLACE_END ((struct place){ UINT32_MAX, UINT64_MAX })

/* Functions that can fail return 0 or -ENOMEM. */
int cache_new(struct cache *cache, uint32_t nodes);
void cache_free(struct cache *cache);
/* Add block number @request of a call; @node has the I/O node of each subfile. */
int cache_add(struct cache *cache, const struct layout *layout, const uint32_t *node,
	      const struct block *block, uint32_t request);
/* Sort and cut the added pieces. */
int cache_merge(struct cache *cache);
/* After a read: fill the parts that were cut. */
void cache_share(const struct cache *cache);

/* The place of the next piece to take; PLACE_END after the last */
struct place requests_next(const struct requests *requests);
/*
 * Take the next pieces before @end into @batch, which is emptied first. Their bytes and runs are at
 * most @limit bytes, which is more than the size of a run. *@more: some before @end remain.
 */
int requests_take(struct requests *requests, uint64_t limit, struct place end,
		  struct batch *batch, bool *more);
int batch_add(struct batch *batch, const struct run *run);
void batch_free(struct batch *batch);

#endif
