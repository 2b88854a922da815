// SPDX-License-Identifier: LGPL-2.1-or-later
/* Pieces by I/O node, merged; then batches of them, each as large as one request may be. */
#include <errno.h>
#include <stdlib.h>

#include "cache/cache.h"
#include "cache/merge.h"

int cache_new(struct cache *cache, uint32_t nodes)
{
	cache->node = calloc(nodes, sizeof(*cache->node));
	cache->nodes = cache->node ? nodes : 0;
	return cache->node ? 0 : -ENOMEM;
}

void cache_free(struct cache *cache)
{
	for (uint32_t i = 0; i < cache->nodes; i++) {
		pieces_free(&cache->node[i].all);
		pieces_free(&cache->node[i].cut);
	}
	free(cache->node);
	*cache = (struct cache){ NULL, 0 };
}

int cache_add(struct cache *cache, const struct layout *layout, const uint32_t *node,
	      const struct block *block, uint32_t request)
{
	int error = 0;

	for (uint32_t i = 0; i < layout->subfiles && !error; i++) {
		struct piece piece = piece_of_block(layout, i, block);

		piece.request = request;
		if (piece.length)
			error = pieces_add(&cache->node[node[i]].all, &piece);
	}
	return error;
}

int cache_merge(struct cache *cache)
{
	int error = 0;

	for (uint32_t i = 0; i < cache->nodes && !error; i++)
		error = merge(&cache->node[i].all, &cache->node[i].cut);
	return error;
}

void cache_share(const struct cache *cache)
{
	for (uint32_t i = 0; i < cache->nodes; i++)
		merge_share(&cache->node[i].all, &cache->node[i].cut);
}

/* ---- batches ---- */

static const struct pieces *to_take(const struct requests *requests)
{
	return requests->cut.count ? &requests->cut : &requests->all;
}

struct place requests_next(const struct requests *requests)
{
	const struct pieces *pieces = to_take(requests);
	const struct piece *piece;

	if (requests->next == pieces->count)
		return PLACE_END;
	piece = &pieces->piece[requests->next];
	return (struct place){ piece->subfile, piece->at + requests->taken };
}

/* @piece goes on where the last run ends. */
static bool cache_goes_on(const struct batch *batch, const struct piece *piece)
{
	const struct run *last = batch->runs ? &batch->run[batch->runs - 1] : NULL;

	return last && last->subfile == piece->subfile && last->at + last->length == piece->at;
}

int batch_add(struct batch *batch, const struct run *run)
{
	if (batch->runs == batch->room) {
		size_t room = batch->room * 2 + 16;
		struct run *more = realloc(batch->run, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		batch->run = more;
		batch->room = room;
	}
	batch->run[batch->runs++] = *run;
	return 0;
}

static int add_run(struct batch *batch, const struct piece *piece)
{
	const struct run run = {
		.at = piece->at, .length = (uint32_t)piece->length, .subfile = piece->subfile,
	};

	if (!cache_goes_on(batch, piece))
		return batch_add(batch, &run);
	batch->run[batch->runs - 1].length += run.length;
	return 0;
}

/* Bytes of @piece that still fit: of a message with a new run its description needs room as well */
static uint64_t room_for(const struct batch *batch, const struct piece *piece, uint64_t limit)
{
	uint64_t used = batch->bytes + batch->runs * sizeof(struct run);

	used += cache_goes_on(batch, piece) ? 0 : sizeof(struct run);
	return used < limit ? limit - used : 0;
}

/* Bytes from @from on that are before @end */
static uint64_t before(struct place from, struct place end)
{
	if (from.subfile != end.subfile)
		return from.subfile < end.subfile ? UINT64_MAX : 0;
	return from.at < end.at ? end.at - from.at : 0;
}

static uint64_t cache_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int cache_take(struct requests *requests, struct batch *batch, const struct piece *part)
{
	int error = add_run(batch, part);

	if (!error)
		error = pieces_add(&batch->pieces, part);
	batch->bytes += part->length;
	requests->taken += part->length;
	if (requests->taken == to_take(requests)->piece[requests->next].length) {
		requests->next++;
		requests->taken = 0;
	}
	return error;
}

int requests_take(struct requests *requests, uint64_t limit, struct place end,
		  struct batch *batch, bool *more)
{
	int error = 0;

	batch->pieces.count = batch->runs = 0;
	batch->bytes = 0;
	for (;;) {
		struct place next = requests_next(requests);
		uint64_t inside = before(next, end), bytes;
		const struct piece *piece;
		struct piece part;

		*more = next.subfile != UINT32_MAX && inside;
		if (!*more || error)
			return error;
		piece = &to_take(requests)->piece[requests->next];
		part = piece_part(piece, requests->taken, 0);
		bytes = cache_least(room_for(batch, &part, limit), inside);
		part.length = cache_least(bytes, piece->length - requests->taken);
		if (!part.length)
			return 0;
		error = cache_take(requests, batch, &part);
	}
}

void batch_free(struct batch *batch)
{
	pieces_free(&batch->pieces);
	free(batch->run);
	*batch = (struct batch){ .run = NULL };
}
