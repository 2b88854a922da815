/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disjoint sets of numbers: each has its least member as root. */
#ifndef LIQUID_ENGINE_UNION_FIND_H
#define LIQUID_ENGINE_UNION_FIND_H

#include <stdint.h>

/* The root of @i's set; before any join() each number is its own @parent. */
static inline uint32_t root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static inline void join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = root(parent, a);
	b = root(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
}

/*
 * Replace the parents of @count numbers by the numbers of their sets, in the order of their least
 * members. Returns how many sets there are; the parents are gone.
 */
static inline uint32_t number_sets(uint32_t *parent, uint32_t count)
{
	uint32_t sets = 0;

	for (uint32_t i = 0; i < count; i++)
		parent[i] = root(parent, i);
	for (uint32_t i = 0; i < count; i++)
		parent[i] = parent[i] == i ? sets++ : parent[parent[i]];
	return sets;
}

#endif
