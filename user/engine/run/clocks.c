// SPDX-License-Identifier: LGPL-2.1-or-later
/* Vector clocks: which pieces a piece waits for, directly or not. */
#include <stdlib.h>
#include <string.h>

#include "run/clocks.h"

/* Entries that are compared at once: a plan spends most of its time with that. */
typedef int16_t block __attribute__((vector_size(16), may_alias));
#define CLOCKS_BLOCK (sizeof(block) / sizeof(int16_t))
/* With larger tables the time would be out of proportion, too. */
#define CLOCKS_BYTES_MAX ((size_t)64 << 20)

bool clocks_new(struct clocks *clocks, uint32_t chains, uint32_t rows)
{
	*clocks = (struct clocks){ .row_count = rows };
	clocks->stride = (uint32_t)((chains + CLOCKS_BLOCK - 1) / CLOCKS_BLOCK * CLOCKS_BLOCK);
	clocks->users = calloc((size_t)rows + 1, sizeof(*clocks->users));
	clocks->spare = calloc((size_t)rows + 1, sizeof(*clocks->spare));
	clocks->base = calloc((size_t)chains + 1, sizeof(*clocks->base));
	if (!clocks->users || !clocks->spare || !clocks->base)
		return false;
	while (clocks->spares < rows) {
		clocks->spare[clocks->spares] = rows - 1 - clocks->spares;
		clocks->spares++;
	}
	if ((size_t)rows * clocks->stride > CLOCKS_BYTES_MAX / sizeof(*clocks->rows))
		return true;
	clocks->rows = calloc((size_t)rows * clocks->stride + 1, sizeof(*clocks->rows));
	return clocks->rows;
}

void clocks_clear(struct clocks *clocks)
{
	free(clocks->rows);
	free(clocks->users);
	free(clocks->spare);
	free(clocks->base);
}

static int16_t *row_of(const struct clocks *clocks, uint32_t row)
{
	return clocks->rows + (size_t)row * clocks->stride;
}

static block *blocks_of(const struct clocks *clocks, uint32_t row)
{
	return (block *)row_of(clocks, row);
}

static void take_larger(block *to, const block *a, const block *b, size_t blocks)
{
	for (size_t i = 0; i < blocks; i++) {
		block larger = a[i] > b[i];

		to[i] = (a[i] & larger) | (b[i] & ~larger);
	}
}

uint32_t clocks_take(struct clocks *clocks, const uint32_t *waits, uint32_t count)
{
	uint32_t row = clocks->spare[--clocks->spares];
	size_t blocks = clocks->stride / CLOCKS_BLOCK;
	const block *first;

	if (!clocks->rows)
		return row;
	if (!count)
		memset(row_of(clocks, row), 0, blocks * sizeof(block));
	first = count ? blocks_of(clocks, waits[0]) : NULL;
	if (count == 1)
		memcpy(blocks_of(clocks, row), first, blocks * sizeof(block));
	for (uint32_t i = 1; i < count; i++) {
		take_larger(blocks_of(clocks, row), first, blocks_of(clocks, waits[i]), blocks);
		first = blocks_of(clocks, row);
	}
	return row;
}

/* Entries of @chain count from @base on; those that no longer fit become 0, "not known". */
static void move_base(struct clocks *clocks, uint32_t chain, uint32_t base)
{
	uint32_t step = base - clocks->base[chain];

	for (uint32_t row = 0; row < clocks->row_count; row++) {
		int16_t *entry = row_of(clocks, row) + chain;

		*entry = (int16_t)((uint32_t)*entry > step ? (uint32_t)*entry - step : 0);
	}
	clocks->base[chain] = base;
}

void clocks_stamp(struct clocks *clocks, uint32_t row, uint32_t chain, uint32_t position)
{
	if (!clocks->rows)
		return;
	if (position - clocks->base[chain] > INT16_MAX)
		move_base(clocks, chain, position - 1);
	row_of(clocks, row)[chain] = (int16_t)(position - clocks->base[chain]);
}

bool clocks_reach(const struct clocks *clocks, uint32_t row, uint32_t chain, uint32_t position)
{
	return clocks->rows && position > clocks->base[chain] &&
		(uint32_t)row_of(clocks, row)[chain] >= position - clocks->base[chain];
}
