// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compresses a list of runs into strips, and reads them back one run at a time. */
#include <stdlib.h>

#include "exchange/strip.h"

/* Does a run continue the strip? A second one says how far apart they are. */
static bool continues(struct strip *strip, int64_t offset, int64_t length)
{
	if (strip->count == 1 && strip->offset + strip->length == offset) {
		strip->length += length;
		strip->stride = strip->length;
		return true;
	}
	if (strip->length != length)
		return false;
	if (strip->count == 1)
		strip->stride = offset - strip->offset;
	if (offset != strip->offset + strip->stride * strip->count)
		return false;
	strip->count++;
	return true;
}

bool strips_add(struct strips *strips, int64_t offset, int64_t length)
{
	size_t room = strips->room ? 2 * strips->room : 16;
	struct strip *list;

	if (strips->count && continues(&strips->list[strips->count - 1], offset, length))
		return true;
	if (strips->count == strips->room) {
		list = realloc(strips->list, room * sizeof(*list));
		if (!list)
			return false;
		strips->list = list;
		strips->room = room;
	}
	strips->list[strips->count++] = (struct strip){ offset, length, length, 1 };
	return true;
}

void reader_skip(struct reader *reader, int64_t begin)
{
	const struct strip *strip = reader->at;
	int64_t past;

	if (strip == reader->end || begin <= strip->offset)
		return;
	past = begin - strip->offset;
	reader->run = past / strip->stride;
	reader->within = past % strip->stride;
	if (reader->within >= strip->length) {
		reader->run++;
		reader->within = 0;
	}
	if (reader->run >= strip->count)
		*reader = (struct reader){ .at = reader->end, .end = reader->end };
}

struct run reader_next(struct reader *reader, int64_t limit)
{
	const struct strip *strip = reader->at;
	struct run run = { 0 };

	if (strip == reader->end)
		return run;
	run.offset = strip->offset + reader->run * strip->stride + reader->within;
	if (run.offset >= limit)
		return run;
	run.length = strip->length - reader->within;
	if (run.offset + run.length > limit) {
		run.length = limit - run.offset;
		reader->within += run.length;
		return run;
	}
	reader->within = 0;
	if (++reader->run == strip->count) {
		reader->run = 0;
		reader->at++;
	}
	return run;
}
