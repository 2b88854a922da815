/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translations: renamings of the points of a graph that keep its arcs, and fix no point
 *
 * They are found from the arcs alone, commute with each other, and form a group. If they map some
 * point to every other one, as in a torus, all points are alike.
 */
#ifndef LIQUID_TRANSLATIONS_H
#define LIQUID_TRANSLATIONS_H

#include "problem/digraph.h"

#define TRANSLATIONS_GENERATORS_MAX 16

struct translations_wanted {
	const struct digraph *graph;
	const uint64_t *kind;		/* by point: is mapped to a point of the same kind */
	uint32_t moved;			/* only the identity may fix one of the first so many */
	uint32_t early;			/* points below this are placed before others */
	uint32_t generators;		/* at most */
	bool independent;		/* elements are products of powers of these in one way */
	uint64_t work;			/* arcs compared, and points of products, a kind of group */
	bool (*suits)(void *context, const uint32_t *image);	/* NULL: any renaming does */
	void *context;
};

struct translations {
	uint32_t count;			/* the first is the identity */
	uint32_t *at;			/* by translation and moved point: its image */
	uint32_t generators;
	uint32_t *generator[TRANSLATIONS_GENERATORS_MAX];	/* by point: its image */
};

/*
 * The largest group that a bounded search finds; @count is 1 if there is none.
 * translations_clear() in either case. False: no memory.
 */
bool translations_find(const struct translations_wanted *wanted, struct translations *found);
/*
 * The squares of all, a subgroup: in a ring of even length, every second of its translations.
 * translations_clear() in either case. False: no memory.
 */
bool translations_square(const struct translations *all, uint32_t moved,
			 struct translations *squares);
void translations_clear(struct translations *found);

#endif
