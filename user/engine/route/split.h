/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which destinations share a lane. */
#ifndef LIQUID_ROUTE_SPLIT_H
#define LIQUID_ROUTE_SPLIT_H

#include "route/graph.h"

/* split.c: by switch, the lane of what goes to its hosts. False: no memory. */
bool route_split(const struct route_graph *graph, uint32_t lanes, uint32_t *lane);

#endif
