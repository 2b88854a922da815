/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translations: renamings of the switches that keep all links and hosts, and fix no switch
 *
 * They are found from the links alone, commute with each other, and form a group. If they map some
 * switch to every other one, as in a torus, all switches are alike.
 */
#ifndef LIQUID_ROUTE_TRANSLATIONS_H
#define LIQUID_ROUTE_TRANSLATIONS_H

#include "route/graph.h"

#define TRANSLATIONS_SWITCHES_MAX 1024u

struct translations {
	uint32_t count;			/* the first is the identity */
	uint32_t *at;			/* by translation and switch: its image */
};

/*
 * translations.c: the largest group that a bounded search finds; @count is 1 if there is none, or
 * if there are more than TRANSLATIONS_SWITCHES_MAX switches. translations_clear() in any case.
 * False: no memory.
 */
bool translations_find(const struct route_graph *graph, struct translations *found);
/*
 * The squares of all, a subgroup: in a ring of even length, every second of its translations.
 * translations_clear() in any case. False: no memory.
 */
bool translations_square(const struct translations *all, uint32_t switches,
			 struct translations *squares);
void translations_clear(struct translations *found);

#endif
