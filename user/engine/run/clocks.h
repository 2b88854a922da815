/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vector clocks: which pieces a piece waits for, directly or not
 *
 * A chain is the sequence of one lane of a rank. The clock of a piece has, for each chain, the
 * position of that chain's last piece that has left when this one begins. (Fidge, Mattern, 1988)
 * Only the last users of links can be waited for, so only their clocks are kept.
 */
#ifndef LIQUID_CLOCKS_H
#define LIQUID_CLOCKS_H

#include "liquidsched.h"

struct clocks {
	uint32_t row_count;
	uint32_t stride;		/* entries of a row: chains, rounded up */
	int16_t *rows;			/* NULL: too many, none are kept */
	uint32_t *users;		/* by row: lanes of links whose last user has it */
	uint32_t *spare, spares;	/* rows without users */
	uint32_t *base;			/* by chain: position that a row's entry of 0 means */
};

/* @rows clocks at a time. Returns false if out of memory. */
bool clocks_new(struct clocks *clocks, uint32_t chains, uint32_t rows);
void clocks_clear(struct clocks *clocks);
/* A row for a piece that waits for those of @count rows @waits; it has no users yet. */
uint32_t clocks_take(struct clocks *clocks, const uint32_t *waits, uint32_t count);
/* The piece of @row is the @position-th of @chain, from 1 on. */
void clocks_stamp(struct clocks *clocks, uint32_t row, uint32_t chain, uint32_t position);
/* Does the piece of @row, or one that it waits for, come after or equal that one? */
bool clocks_reach(const struct clocks *clocks, uint32_t row, uint32_t chain, uint32_t position);

static inline void clocks_use(struct clocks *clocks, uint32_t row)
{
	clocks->users[row]++;
}

static inline void clocks_leave(struct clocks *clocks, uint32_t row)
{
	if (!--clocks->users[row])
		clocks->spare[clocks->spares++] = row;
}

#endif
