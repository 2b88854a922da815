// SPDX-License-Identifier: LGPL-2.1-or-later
/* A binary heap with the position of each number, so that a cost can fall. */
#include <stdlib.h>

#include "route/heap.h"

bool heap_open(struct heap *heap, uint32_t numbers)
{
	heap->cost = calloc((size_t)numbers + 1, sizeof(*heap->cost));
	heap->number = calloc((size_t)numbers + 1, sizeof(*heap->number));
	heap->place = calloc((size_t)numbers + 1, sizeof(*heap->place));
	heap->count = 0;
	return heap->cost && heap->number && heap->place;
}

void heap_close(struct heap *heap)
{
	free(heap->cost);
	free(heap->number);
	free(heap->place);
}

static void put(struct heap *heap, uint32_t place, uint32_t number)
{
	heap->number[place] = number;
	heap->place[number] = place;
}

void heap_lower(struct heap *heap, uint32_t number, uint64_t cost)
{
	uint32_t place = heap->place[number];

	heap->cost[number] = cost;
	for (; place && cost < heap->cost[heap->number[(place - 1) / 2]]; place = (place - 1) / 2)
		put(heap, place, heap->number[(place - 1) / 2]);
	put(heap, place, number);
}

void heap_add(struct heap *heap, uint32_t number, uint64_t cost)
{
	heap->place[number] = heap->count++;
	heap_lower(heap, number, cost);
}

uint32_t heap_take(struct heap *heap)
{
	uint32_t top = heap->number[0], last = heap->number[--heap->count], place = 0;

	for (uint32_t child = 1; child < heap->count; child = 2 * place + 1) {
		if (child + 1 < heap->count &&
		    heap->cost[heap->number[child + 1]] < heap->cost[heap->number[child]])
			child++;
		if (heap->cost[last] <= heap->cost[heap->number[child]])
			break;
		put(heap, place, heap->number[child]);
		place = child;
	}
	put(heap, place, last);
	return top;
}
