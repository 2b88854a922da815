// SPDX-License-Identifier: LGPL-2.1-or-later
/* The inner loop of ejection: for every frame, the weight of the transfers in the way. */
#include "base/machines.h"
#include "solve/ejection/ejection.h"

/* Vectors of the compiler: the sums are the same on every machine. */
typedef int16_t lanes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t words __attribute__((vector_size(VECTOR_BYTES)));
#define LANES (sizeof(lanes) / sizeof(int16_t))

/* A transfer that is in the way on two consecutive links has the same tag on both. */
#define ADD_CELLS(sum, last, cell)							\
	do {										\
		(sum) += (cell) & weight & (((cell) != (last)) | each);			\
		(last) = (cell);							\
	} while (0)

/* Fill in cost[] from @from to @end, in whole blocks; returns the least cost. */
FOR_EACH_MACHINE
static int16_t weigh_blocks(const uint16_t *cells, size_t stride, const uint32_t *links,
			    uint32_t count, size_t from, size_t end, bool once, int16_t *cost)
{
	lanes least = (lanes){ 0 } + INT16_MAX, smaller, each = (lanes){ 0 } - (int16_t)!once;
	lanes weight = (lanes){ 0 } + (int16_t)EJECTION_WEIGHT_MAX;
	int16_t best = INT16_MAX;

	for (size_t frame = from; frame < end; frame += 2 * LANES) {
		lanes sum[2] = { 0 }, last[2] = { 0 };

		for (uint32_t i = 0; i < count; i++) {
			const lanes *row = (const lanes *)(cells + stride * links[i] + frame);

			ADD_CELLS(sum[0], last[0], row[0]);
			ADD_CELLS(sum[1], last[1], row[1]);
		}
		((lanes *)(cost + frame))[0] = sum[0];
		((lanes *)(cost + frame))[1] = sum[1];
		smaller = sum[0] < least;
		least = (sum[0] & smaller) | (least & ~smaller);
		smaller = sum[1] < least;
		least = (sum[1] & smaller) | (least & ~smaller);
	}
	for (size_t i = 0; i < LANES; i++)
		best = least[i] < best ? least[i] : best;
	return best;
}

/* The first frame of cost @wanted at or after @from, or @end; compares whole vectors. */
FOR_EACH_MACHINE
static uint32_t find_cost(const int16_t *cost, uint32_t from, uint32_t end, int16_t wanted)
{
	for (; from % LANES && from < end; from++)
		if (cost[from] == wanted)
			return from;
	for (; from < end; from += LANES) {
		words hit = (words)(*(const lanes *)(cost + from) == wanted);

		if (hit[0] | hit[1] | hit[VECTOR_BYTES / 8 - 2] | hit[VECTOR_BYTES / 8 - 1])
			break;
	}
	for (; from < end; from++)
		if (cost[from] == wanted)
			return from;
	return end;
}

/* Frames computed before the first look: a frame with room is mostly among the first. */
#define CHUNK (8 * EJECTION_BLOCK)

uint32_t ejection_weigh(const struct ejection *ejection, const struct ejection_kind *kind,
			const uint32_t *cells, uint32_t count, uint32_t start, uint32_t below,
			uint32_t *at, uint32_t *weighed)
{
	uint32_t first = start / EJECTION_BLOCK * EJECTION_BLOCK;
	uint32_t limit = (kind->frames + EJECTION_BLOCK - 1) / EJECTION_BLOCK * EJECTION_BLOCK;
	uint32_t from = first, end, seen = start;
	int16_t least = INT16_MAX, here;

	*weighed = 0;
	do {
		end = from < first ? first : limit;
		end = end - from > CHUNK ? from + CHUNK : end;
		here = weigh_blocks(kind->cells, kind->stride, cells, count, from, end,
				    ejection->once, ejection->cost);
		least = here < least ? here : least;
		*weighed += end - from;
		if (!here) {
			*at = find_cost(ejection->cost, seen, end, 0);
			if (*at < end)
				return 0;
		}
		from = seen = end < limit ? end : 0;
	} while (from != first);
	if ((uint32_t)least >= below)
		return (uint32_t)least;
	*at = find_cost(ejection->cost, start, limit, least);
	if (*at == limit)
		*at = find_cost(ejection->cost, 0, limit, least);
	return (uint32_t)least;
}
