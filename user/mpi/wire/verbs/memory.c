// SPDX-License-Identifier: LGPL-2.1-or-later
/* Registers the caller's buffers in merged ranges, or copies through registered memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/pages.h"
#include "wire/verbs/cache.h"
#include "wire/verbs/memory.h"

#define PAGE	4096ULL
#define GROW	(1ULL << 20)		/* a bounce buffer is a multiple of it, bytes */
#define WRITABLE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

/* Adjacent messages are registered together. */
struct range {
	uintptr_t from, to;
	struct ibv_mr *mr;
	bool kept;			/* by the cache, after the exchange */
};

/* ---- the memory of the caller ---- */

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static uint32_t list_ranges(const struct side *side, uint32_t ranks)
{
	uint32_t count = 0;

	for (uint32_t r = 0; r < ranks; r++)
		if (side->place[r].bytes) {
			uintptr_t from = (uintptr_t)side->place[r].caller;

			side->range[count++] = (struct range){
				.from = from, .to = from + side->place[r].bytes,
			};
		}
	return count;
}

/* Gaps of less than a page are registered too, so that adjacent messages share a registration. */
static void merge_ranges(struct side *side, uint32_t ranks)
{
	uint32_t count = list_ranges(side, ranks);

	qsort(side->range, count, sizeof(*side->range), by_address);
	side->ranges = count > 0;
	for (uint32_t i = 1; i < count; i++) {
		struct range *last = &side->range[side->ranges - 1];

		if (side->range[i].from >= last->to + PAGE)
			side->range[side->ranges++] = side->range[i];
		else if (side->range[i].to > last->to)
			last->to = side->range[i].to;
	}
}

static struct range *find_range(const struct side *side, const unsigned char *at)
{
	uint32_t low = 0, high = side->ranges;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (side->range[middle].from <= (uintptr_t)at)
			low = middle;
		else
			high = middle;
	}
	return &side->range[low];
}

static int cannot_register(const struct memory *memory, const void *at, uint64_t bytes,
			   struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_IO, "device %s: %llu bytes at %p cannot be registered: %s%s",
			   memory->port->name, (unsigned long long)bytes, at, strerror(errno),
			   errno == ENOMEM ? " (ulimit -l)" : "");
}

static int register_range(struct memory *memory, struct side *side, struct range *range,
			  struct liquid_error *err)
{
	if (memory->cache)
		range->mr = cache_get(memory->cache, range->from, range->to, side->access);
	range->kept = range->mr;
	/* Spans for which the cache is full are registered for this exchange. */
	if (!range->mr && (!memory->cache || errno == ENOSPC))
		range->mr = ibv_reg_mr(memory->port->pd, (void *)range->from,
				       range->to - range->from, side->access);
	return range->mr ? LIQUID_OK :
	       cannot_register(memory, (void *)range->from, range->to - range->from, err);
}

static int register_side(struct memory *memory, struct side *side, struct liquid_error *err)
{
	int status = LIQUID_OK;

	merge_ranges(side, memory->ranks);
	for (uint32_t i = 0; i < side->ranges && !status; i++)
		status = register_range(memory, side, &side->range[i], err);
	for (uint32_t r = 0; r < memory->ranks && !status; r++) {
		struct place *place = &side->place[r];

		if (!place->bytes)
			continue;
		place->at = place->caller;
		place->key = side == &memory->out ? find_range(side, place->at)->mr->lkey :
			     find_range(side, place->at)->mr->rkey;
	}
	return status;
}

static void release_side(struct side *side)
{
	for (uint32_t i = 0; i < side->ranges; i++)
		if (side->range[i].mr && !side->range[i].kept)
			ibv_dereg_mr(side->range[i].mr);
	side->ranges = 0;
}

/* ---- memory of its own, for copies ---- */

static void drop_bounce(struct side *side)
{
	if (side->bounce_mr)
		ibv_dereg_mr(side->bounce_mr);
	pages_free(side->bounce, side->bounce_bytes);
	side->bounce_mr = NULL;
	side->bounce = NULL;
	side->bounce_bytes = 0;
}

static int grow_bounce(struct memory *memory, struct side *side, uint64_t bytes,
		       struct liquid_error *err)
{
	void *at;

	if (bytes <= side->bounce_bytes)
		return LIQUID_OK;
	drop_bounce(side);
	bytes = (bytes + GROW - 1) / GROW * GROW;
	at = pages_new(bytes);
	if (!at)
		return liquid_no_memory(err);
	side->bounce = at;
	side->bounce_bytes = bytes;
	side->bounce_mr = ibv_reg_mr(memory->port->pd, at, bytes, side->access);
	if (side->bounce_mr)
		return LIQUID_OK;
	cannot_register(memory, at, bytes, err);
	drop_bounce(side);
	return LIQUID_IO;
}

static int place_copies(struct memory *memory, struct side *side, struct liquid_error *err)
{
	uint64_t bytes = 0;
	unsigned char *at;
	int status;

	for (uint32_t r = 0; r < memory->ranks; r++)
		bytes += side->place[r].bytes;
	status = grow_bounce(memory, side, bytes, err);
	if (status)
		return status;
	at = side->bounce;
	for (uint32_t r = 0; r < memory->ranks && bytes; r++) {
		side->place[r].at = at;
		side->place[r].key = side == &memory->out ? side->bounce_mr->lkey :
				     side->bounce_mr->rkey;
		at += side->place[r].bytes;
	}
	return LIQUID_OK;
}

/* ---- both ---- */

static int open_side(struct side *side, uint32_t ranks, int access)
{
	side->access = access;
	side->place = calloc(ranks, sizeof(*side->place));
	side->range = calloc(ranks, sizeof(*side->range));
	return side->place && side->range ? LIQUID_OK : LIQUID_NO_MEMORY;
}

int memory_open(struct memory *memory, struct port *port, uint32_t ranks, const char *use,
		struct liquid_error *err)
{
	memory->port = port;
	memory->ranks = ranks;
	if (use && !strcmp(use, "bounce"))
		memory->use = MEMORY_BOUNCE;
	if (use && !strcmp(use, "cache"))
		memory->use = MEMORY_CACHE;
	if (open_side(&memory->out, ranks, 0) || open_side(&memory->in, ranks, WRITABLE))
		return liquid_no_memory(err);
	return memory->use == MEMORY_CACHE ? cache_open(&memory->cache, port, err) : LIQUID_OK;
}

static void close_side(struct side *side)
{
	drop_bounce(side);
	free(side->place);
	free(side->range);
}

void memory_close(struct memory *memory)
{
	if (memory->ranks)
		memory_finish(memory);
	cache_close(memory->cache);
	close_side(&memory->out);
	close_side(&memory->in);
}

static int prepare_side(struct memory *memory, struct side *side, const struct span *span,
			struct liquid_error *err)
{
	for (uint32_t r = 0; r < memory->ranks; r++)
		side->place[r] = (struct place){ .caller = span[r].at, .bytes = span[r].bytes };
	return memory->use == MEMORY_BOUNCE ? place_copies(memory, side, err) :
	       register_side(memory, side, err);
}

int memory_prepare(struct memory *memory, const struct span *out, const struct span *in,
		   struct liquid_error *err)
{
	int status = prepare_side(memory, &memory->out, out, err);

	if (!status)
		status = prepare_side(memory, &memory->in, in, err);
	if (status)
		memory_finish(memory);
	return status;
}

const unsigned char *memory_take(struct memory *memory, uint32_t peer, const unsigned char *from,
				 uint64_t offset, uint64_t bytes)
{
	if (memory->use != MEMORY_BOUNCE)
		return from;
	return memcpy(memory->out.place[peer].at + offset, from, bytes);
}

void memory_give(struct memory *memory, uint32_t peer)
{
	const struct place *place = &memory->in.place[peer];

	if (memory->use == MEMORY_BOUNCE)
		memcpy(place->caller, place->at, place->bytes);
}

void memory_finish(struct memory *memory)
{
	release_side(&memory->out);
	release_side(&memory->in);
	if (memory->cache)
		cache_release(memory->cache);
}
