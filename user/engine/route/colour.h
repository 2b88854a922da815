/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ways up in a tree of switches, by colours
 *
 * In a whole fat tree or leaf-spine all switches of a level have a link up into each of the same
 * planes, which are not joined but by lower levels. So a way is a choice of a plane at each level,
 * and a colouring of the edges between the switches that send and those that receive is a choice in
 * which no link up or down has more than its share (Koenig). A search that changes one way at a
 * time does not find that where every link is needed: for permutations.
 */
#ifndef LIQUID_ROUTE_COLOUR_H
#define LIQUID_ROUTE_COLOUR_H

#include "route/start.h"

/*
 * colour.c: change next[] of all trees, which start_tree() has set. *@suits is false where the
 * switches are not such a tree; next[] may have changed then, too. False: no memory.
 */
bool colour_ways(struct start *start, bool *suits);

#endif
