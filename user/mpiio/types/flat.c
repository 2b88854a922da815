// SPDX-License-Identifier: LGPL-2.1-or-later
/* Builds lists of runs, merges neighbours, and moves a cursor by bytes. */
#include <stdlib.h>

#include "types/flat.h"

#define RUNS_MOST ((size_t)1 << 22)	/* of a type: 96 MiB */

struct flat *flat_make(void)
{
	struct flat *flat = calloc(1, sizeof(*flat));

	if (flat)
		flat->users = 1;
	return flat;
}

void flat_free(struct flat *flat)
{
	if (!flat || --flat->users)
		return;
	free(flat->runs);
	free(flat->before);
	free(flat);
}

static bool flat_make_room(struct flat *flat)
{
	size_t room = flat->room ? 2 * flat->room : 4;
	struct run *runs;

	if (flat->count < flat->room)
		return true;
	runs = room > RUNS_MOST ? NULL : realloc(flat->runs, room * sizeof(*runs));
	if (!runs)
		return false;
	flat->runs = runs;
	flat->room = room;
	return true;
}

bool flat_add(struct flat *flat, int64_t offset, int64_t length)
{
	struct run *last = flat->count ? &flat->runs[flat->count - 1] : NULL;

	if (!length)
		return true;
	flat->size += length;
	if (last && last->offset + last->length == offset) {
		last->length += length;
		return true;
	}
	if (!flat_make_room(flat))
		return false;
	flat->runs[flat->count++] = (struct run){ offset, length };
	return true;
}

bool flat_add_copies(struct flat *flat, const struct flat *part, int64_t offset, int64_t count,
		     int64_t stride)
{
	if (!part->count)
		return true;
	if (part->count == 1 && part->size == stride)
		return flat_add(flat, offset + part->runs[0].offset, count * stride);
	for (int64_t i = 0; i < count; i++)
		for (size_t j = 0; j < part->count; j++)
			if (!flat_add(flat, offset + i * stride + part->runs[j].offset,
				      part->runs[j].length))
				return false;
	return true;
}

bool flat_finish(struct flat *flat, int64_t extent)
{
	int64_t before = 0;

	flat->extent = extent;
	flat->before = calloc(flat->count + 1, sizeof(flat->before[0]));
	for (size_t i = 0; flat->before && i < flat->count; i++) {
		flat->before[i] = before;
		before += flat->runs[i].length;
	}
	return flat->before;
}

bool flat_is_view(const struct flat *flat)
{
	int64_t end = 0;

	for (size_t i = 0; i < flat->count; i++) {
		if (flat->runs[i].offset < end)
			return false;
		end = flat->runs[i].offset + flat->runs[i].length;
	}
	return flat->count && flat->runs[0].offset + flat->extent >= end;
}

/* Runs are in rising order, and a copy's runs are within an extent of its first one. */
int64_t flat_below(const struct flat *flat, int64_t base, int64_t limit)
{
	int64_t past = limit - base - flat->runs[0].offset, within;
	size_t low = 0, high = flat->count;

	if (past <= 0)
		return 0;
	within = past % flat->extent + flat->runs[0].offset;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (flat->runs[middle].offset <= within)
			low = middle;
		else
			high = middle;
	}
	within -= flat->runs[low].offset;
	if (within > flat->runs[low].length)
		within = flat->runs[low].length;
	return past / flat->extent * flat->size + flat->before[low] + within;
}

/* ---- cursors ---- */

/* All copies are one run. */
static bool is_plain(const struct flat *flat)
{
	return flat->count == 1 && flat->size == flat->extent;
}

void cursor_seek(struct cursor *cursor, const struct flat *flat, int64_t base, int64_t at)
{
	size_t low = 0, high = flat->count;
	int64_t rest = flat->size ? at % flat->size : 0;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (flat->before[middle] <= rest)
			low = middle;
		else
			high = middle;
	}
	*cursor = (struct cursor){
		.flat = flat, .base = base, .copy = flat->size ? at / flat->size : 0, .run = low,
		.within = flat->count ? rest - flat->before[low] : 0,
	};
}

int64_t cursor_offset(const struct cursor *cursor)
{
	return cursor->base + cursor->copy * cursor->flat->extent +
	       cursor->flat->runs[cursor->run].offset + cursor->within;
}

static void flat_step(struct cursor *cursor)
{
	cursor->within = 0;
	if (++cursor->run < cursor->flat->count)
		return;
	cursor->run = 0;
	cursor->copy++;
}

struct run cursor_next(struct cursor *cursor, int64_t most)
{
	const struct flat *flat = cursor->flat;
	struct run run = { cursor_offset(cursor), most };
	int64_t left = flat->runs[cursor->run].length - cursor->within;

	if (is_plain(flat)) {
		cursor->copy += (cursor->within + most) / flat->size;
		cursor->within = (cursor->within + most) % flat->size;
		return run;
	}
	if (most < left) {
		cursor->within += most;
		return run;
	}
	run.length = left;
	flat_step(cursor);
	return run;
}
