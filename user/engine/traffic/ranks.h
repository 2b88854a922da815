/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the readers of ranks share: a node's share of a message matrix. */
#ifndef LIQUID_RANKS_H
#define LIQUID_RANKS_H

#include "liquidsched.h"

/* The place among the hosts of rank @rank. */
size_t ranks_host(const struct liquid_ranks *ranks, uint64_t rank);
/*
 * A caller's layout into @ranks. Refuses one without hosts, one that names a host twice, and too
 * many ranks.
 */
int ranks_take(const struct liquid_ranks *given, struct liquid_ranks *ranks,
	       struct liquid_error *err);

#endif
