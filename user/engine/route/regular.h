/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Regular forests: trees that the translations of the fabric map to each other
 *
 * Switches that translations map to each other have the same tree, except for the translation. So
 * all links of an orbit have the same load, and a schedule need only be found for one transfer of
 * each orbit: where loads are the same, that often reaches the greatest load, which the schedules
 * of other forests do not.
 */
#ifndef LIQUID_ROUTE_REGULAR_H
#define LIQUID_ROUTE_REGULAR_H

#include "problem/translations.h"
#include "route/forest.h"

/*
 * The dimensions of a fabric. Arcs that translations map to each other have the same direction;
 * these directions and those back are a dimension.
 */
struct regular_dimensions {
	uint32_t *direction, *dimension; /* by arc */
};

struct regular_options {
	uint64_t moves;			/* to try */
	uint64_t seed;
	double turns;			/* cost of a kind of turn, by that of the fullest link */
	/* NULL: ways take arcs in any order */
	const struct regular_dimensions *dimensions;
};

/* regular.c */

/* regular_dimensions_clear() in either case. False: no memory, or parallel links differ. */
bool regular_dimensions_find(const struct route_graph *graph,
			     const struct translations *translations,
			     struct regular_dimensions *found);
void regular_dimensions_clear(struct regular_dimensions *found);

/*
 * Plant @forest, whose roots are set, for transfers between all hosts, each by a shortest way.
 * With dimensions, ways take lower ones first; and where both directions of a ring are as long,
 * all trees decide alike at switches that the translations map to each other. @lane: by switch,
 * the lane to try first for its hosts. *@planted is false if there are too few translations for
 * that, or if a tree would close a circle in every lane. False: no memory.
 */
bool regular_plant(struct forest *forest, const struct translations *translations,
		   const uint32_t *lane, const struct regular_options *options, bool *planted);

#endif
