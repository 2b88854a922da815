/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The supplies of a layer, as exact fractions
 *
 * What rounding adds to a supply grows with the product of all factors that follow, and after some
 * 200 layers it is as great as the supplies themselves. So they are kept as whole numbers over one
 * denominator. A cut of capacity C, with supplies that add up to P over that denominator, makes the
 * factor C over P: with it a supply of p, from which k is taken, becomes C p - k P over P.
 */
#ifndef LIQUID_CAPILLARY_SUPPLY_H
#define LIQUID_CAPILLARY_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

struct supplies {
	uint32_t nodes;
	uint32_t words;			/* of each number: two's complement, the lowest first */
	uint64_t *number;		/* by node; then the denominator and a scratch one */
};

/* 1 at @from, -1 at @to; supplies_close() in either case. False: no memory. */
bool supplies_open(struct supplies *supplies, uint32_t nodes, uint32_t from, uint32_t to);
void supplies_close(struct supplies *supplies);
/*
 * Grow by the factor of the cut around the nodes of @side, out of which links of @room lead, and
 * take @taken from each node. False: no memory.
 */
bool supplies_grow(struct supplies *supplies, const bool *side, uint64_t room,
		   const int64_t *taken);
/*
 * Make those of each part add up to 0, by the greatest of it; @part: by node, below nodes. Returns
 * how many parts did not, or UINT32_MAX: no memory.
 */
uint32_t supplies_balance(struct supplies *supplies, const uint32_t *part);
/* Write them as numbers; true: some are not 0. */
bool supplies_tell(const struct supplies *supplies, double *supply);

#endif
