/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checking struct liquid_ranks, and finding the host of a rank. */
#ifndef LIQUID_RANKS_H
#define LIQUID_RANKS_H

#include "liquidsched.h"

/* Index in ranks->hosts of the host of @rank. */
size_t ranks_host(const struct liquid_ranks *ranks, uint64_t rank);
/*
 * Copy the caller's struct @given into @ranks. Fails if it has no hosts, the same host twice, or
 * too many ranks.
 */
int ranks_take(const struct liquid_ranks *given, struct liquid_ranks *ranks,
	       struct liquid_error *err);
/* See LIQUID_ORDER_SWITCHES */
int ranks_order_switches(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
			 struct liquid_error *err);

#endif
