/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simplex method in its revised form: rows and a basis; columns belong to the caller
 *
 * The least cost of columns whose sum is what each row needs. The caller looks for a column that
 * costs less than the rows' prices say, and enters it. Sums of double, in one order: the same
 * everywhere. Whoever needs a proof checks the result in whole numbers.
 */
#ifndef LIQUID_BOUND_SIMPLEX_H
#define LIQUID_BOUND_SIMPLEX_H

#include <stdbool.h>
#include <stdint.h>

#define SIMPLEX_ROWS_MAX 1500u		/* 18 MB */
#define SIMPLEX_TINY 1e-9

struct column {
	uint32_t count;			/* entries of the next two */
	const uint32_t *row;
	const double *entry;
	double cost;
	uint32_t id;			/* the caller's name for it */
};

struct simplex {
	uint32_t rows;
	double *inverse;		/* rows x rows: of the basis */
	double *value, *cost;		/* by row: of the basic column there */
	uint32_t *basic;		/* by row: id of the basic column */
	double *price;			/* by row: what a unit of its need costs */
	double *direction;		/* by row, for simplex_enter() */
};

/* Each row's first basic column has the entry 1 there, no others, and the cost @cost. */
bool simplex_open(struct simplex *simplex, uint32_t rows, const double *need, double cost,
		  uint32_t id);
void simplex_close(struct simplex *simplex);
/* What the column costs more than the rows' prices say; below 0: it is worth entering. */
double simplex_excess(const struct simplex *simplex, const struct column *column);
/* False: no column had to leave, so that the cost has no limit below. */
bool simplex_enter(struct simplex *simplex, const struct column *column);
/* Operations of an entry, for budgets */
uint64_t simplex_work(const struct simplex *simplex);

#endif
