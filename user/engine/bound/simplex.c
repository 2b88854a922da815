// SPDX-License-Identifier: LGPL-2.1-or-later
/* The simplex method in its revised form: see simplex.h. */
#include <stdlib.h>
#include <string.h>

#include "bound/simplex.h"

bool simplex_open(struct simplex *s, uint32_t rows, const double *need, double cost, uint32_t id)
{
	*s = (struct simplex){ .rows = rows };
	s->inverse = calloc((size_t)rows * rows + 1, sizeof(*s->inverse));
	s->value = calloc((size_t)rows + 1, sizeof(*s->value));
	s->cost = calloc((size_t)rows + 1, sizeof(*s->cost));
	s->basic = calloc((size_t)rows + 1, sizeof(*s->basic));
	s->price = calloc((size_t)rows + 1, sizeof(*s->price));
	s->direction = calloc((size_t)rows + 1, sizeof(*s->direction));
	if (!s->inverse || !s->value || !s->cost || !s->basic || !s->price || !s->direction)
		return false;
	for (uint32_t row = 0; row < rows; row++) {
		s->inverse[(size_t)row * rows + row] = 1;
		s->value[row] = need[row];
		s->cost[row] = cost;
		s->price[row] = cost;
		s->basic[row] = id;
	}
	return true;
}

void simplex_close(struct simplex *s)
{
	free(s->inverse);
	free(s->value);
	free(s->cost);
	free(s->basic);
	free(s->price);
	free(s->direction);
}

double simplex_excess(const struct simplex *s, const struct column *column)
{
	double excess = column->cost;

	for (uint32_t i = 0; i < column->count; i++)
		excess -= s->price[column->row[i]] * column->entry[i];
	return excess;
}

static void find_direction(struct simplex *s, const struct column *column)
{
	for (uint32_t row = 0; row < s->rows; row++) {
		const double *inverse = s->inverse + (size_t)row * s->rows;
		double sum = 0;

		for (uint32_t i = 0; i < column->count; i++)
			sum += inverse[column->row[i]] * column->entry[i];
		s->direction[row] = sum;
	}
}

/* The row whose column reaches 0 first; of several, the one that divides best. */
static uint32_t leaving_row(const struct simplex *s)
{
	uint32_t best = UINT32_MAX;
	double least = 0;

	for (uint32_t row = 0; row < s->rows; row++) {
		double ratio;

		if (s->direction[row] <= SIMPLEX_TINY)
			continue;
		ratio = (s->value[row] > 0 ? s->value[row] : 0) / s->direction[row];
		if (best == UINT32_MAX || ratio < least - SIMPLEX_TINY ||
		    (ratio <= least + SIMPLEX_TINY && s->direction[row] > s->direction[best])) {
			best = row;
			least = ratio;
		}
	}
	return best;
}

static void subtract(struct simplex *s, uint32_t row, uint32_t pivot)
{
	double factor = s->direction[row];
	const double *from = s->inverse + (size_t)pivot * s->rows;
	double *to = s->inverse + (size_t)row * s->rows;

	for (uint32_t i = 0; i < s->rows; i++)
		to[i] -= factor * from[i];
	s->value[row] -= factor * s->value[pivot];
}

bool simplex_enter(struct simplex *s, const struct column *column)
{
	double excess = simplex_excess(s, column), divisor, *inverse;
	uint32_t pivot;

	find_direction(s, column);
	pivot = leaving_row(s);
	if (pivot == UINT32_MAX)
		return false;
	inverse = s->inverse + (size_t)pivot * s->rows;
	divisor = s->direction[pivot];
	for (uint32_t i = 0; i < s->rows; i++)
		inverse[i] /= divisor;
	s->value[pivot] = (s->value[pivot] > 0 ? s->value[pivot] : 0) / divisor;
	for (uint32_t row = 0; row < s->rows; row++)
		if (row != pivot && s->direction[row] != 0)
			subtract(s, row, pivot);
	s->cost[pivot] = column->cost;
	s->basic[pivot] = column->id;
	for (uint32_t i = 0; i < s->rows; i++)
		s->price[i] += excess * inverse[i];
	return true;
}

uint64_t simplex_work(const struct simplex *s)
{
	return (uint64_t)s->rows * s->rows;
}
