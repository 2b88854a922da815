/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limit of how much longer ways may be than the shortest ones */
#ifndef LIQUID_ROUTE_STRETCH_H
#define LIQUID_ROUTE_STRETCH_H

#include "route/forest.h"

struct stretch {
	uint32_t more;			/* hops that a way may have more than the shortest */
	uint16_t *least;		/* by root and switch: hops of the shortest way */
};

/* stretch.c; stretch_close() in any case. False: no memory. */
bool stretch_open(struct stretch *stretch, const struct route_graph *graph, uint32_t more);
void stretch_close(struct stretch *stretch);
/* All ways of hosts are short enough. */
bool stretch_holds(const struct stretch *stretch, const struct forest *forest);
/*
 * Whether @tree may send by @arc from where that begins: no way behind it becomes longer than it
 * may be, or all become shorter. Neither end is behind the other.
 */
bool stretch_allows(const struct stretch *stretch, const struct forest *forest, uint32_t tree,
		    uint32_t arc);

#endif
