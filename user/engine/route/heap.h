/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A heap of numbers by their costs; the cost of one in the heap may fall. */
#ifndef LIQUID_ROUTE_HEAP_H
#define LIQUID_ROUTE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap {
	uint64_t *cost;			/* by number */
	uint32_t *number, *place;	/* by place: the number; by number: its place */
	uint32_t count;
};

/* heap.c: for numbers 0 ... @numbers - 1; heap_close() in either case. False: no memory. */
bool heap_open(struct heap *heap, uint32_t numbers);
void heap_close(struct heap *heap);
/* Put in @number, which is not there, or let its cost fall to @cost. */
void heap_add(struct heap *heap, uint32_t number, uint64_t cost);
void heap_lower(struct heap *heap, uint32_t number, uint64_t cost);
/* Take out the cheapest of at least one. */
uint32_t heap_take(struct heap *heap);

#endif
