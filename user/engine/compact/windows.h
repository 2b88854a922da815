/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packing where switches have different numbers of the hosts that exchange */
#ifndef LIQUID_WINDOWS_H
#define LIQUID_WINDOWS_H

#include "compact/solver.h"

/*
 * Cut the hosts of each switch into blocks that share base frames turn by turn, and pack them. Only
 * without shifts. *@compact is replaced by what is shorter; LIQUID_OK also if nothing was found.
 */
int windows_solve(struct solver *solver, struct liquid_compact **compact);

#endif
