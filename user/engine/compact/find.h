/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search for a schedule of orbits. */
#ifndef LIQUID_COMPACT_FIND_H
#define LIQUID_COMPACT_FIND_H

#include <stdbool.h>

#include "problem/budget.h"

/*
 * Find a schedule of the all-to-all among @hosts, which is proven. Each must have one link of
 * capacity 1 into a switch, and the fabric no aliases; else LIQUID_BAD_INPUT. It may be that of
 * more hosts, without those that are not among @hosts. The lower bound is the duration. @outer: a
 * budget that the work is a part of; then first fit and what comes before it count as work, too,
 * and at its end the best so far is enough. NULL: there is none.
 */
int compact_solve(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		  const struct liquid_solve_options *options, struct budget *outer,
		  struct liquid_schedule **schedule, struct liquid_error *err);

#endif
