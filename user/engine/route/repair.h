/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Routes of before on a fabric that has lost links: what still works is kept. */
#ifndef LIQUID_ROUTE_REPAIR_H
#define LIQUID_ROUTE_REPAIR_H

#include "route/forest.h"

struct repair {
	uint32_t *tree;			/* trees that had to change; the caller frees it */
	uint32_t trees;
	uint32_t lost;			/* a tree that finds no way from switch @from, or NONE */
	uint32_t from;
};

/*
 * repair.c: plant the trees of @old, whose nodes are known by their names; @host is the host of
 * each tree. Where a way is lost, the least loaded of those that close no circle takes its place;
 * or the tree has another lane. Roots and lanes are set. False: no memory.
 */
bool route_repair(struct forest *forest, const struct liquid_fabric *old, const uint32_t *host,
		  struct repair *repair);

#endif
