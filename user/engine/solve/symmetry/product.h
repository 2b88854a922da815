/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Products: fabrics with routes that go along one dimension after the other
 *
 * Groups of twins are points. Two points are neighbours if the unit between them uses a single
 * link besides the links of its ends. Opposite links of a square belong to the same dimension,
 * and so do two links in sequence that are not in a square (the product relation of Feder,
 * "Product graph representations", J. Graph Theory 16, 1992). Dimensions that routes take in
 * either order are merged. A point has a coordinate in each dimension, and every route consists
 * of the routes along the dimensions, in order. All of this is checked.
 */
#ifndef LIQUID_PRODUCT_H
#define LIQUID_PRODUCT_H

#include "solve/symmetry/structure.h"

#define PRODUCT_POINTS_MAX 2048u
#define PRODUCT_DIMENSIONS_MAX 32u
/* Limit of the links that leave a point. */
#define PRODUCT_DEGREE_MAX 128u

struct product {
	struct quotient quotient;	/* its arrays belong to the problem */
	uint32_t points;
	uint32_t *unit;			/* by point and point, or LIQUID_NONE */
	uint32_t *link;			/* by point and point: link between, or LIQUID_NONE */
	uint32_t *degree, *next;	/* by point: number of neighbours; the neighbours */
	uint32_t *tail, *head;		/* by resource: its points, or LIQUID_NONE */
	uint32_t *parent;		/* by resource: union-find forest of dimensions */
	uint8_t *dimension;		/* by resource */
	uint32_t dimensions;
	uint32_t size[PRODUCT_DIMENSIONS_MAX];		/* number of coordinates */
	uint32_t stride[PRODUCT_DIMENSIONS_MAX];	/* factor of a coordinate in place[] */
	uint32_t *place;		/* by point: its coordinates as one number */
	uint32_t *at;			/* by place: its point */
	uint32_t *host;			/* by point: one of its hosts, in the fabric */
	uint64_t work;			/* operations not yet charged to the budget */
};

/* Sets *@found to false if there are less than two dimensions. */
int product_find(struct solving *solving, struct product *product, bool *found,
		 struct liquid_error *err);
void product_clear(struct product *product);

static inline uint32_t product_coordinate(const struct product *product, uint32_t point,
					  uint32_t dimension)
{
	return product->place[point] / product->stride[dimension] % product->size[dimension];
}

/* The point with the coordinates of @point, but that of @other in dimension @dimension. */
static inline uint32_t product_step(const struct product *product, uint32_t point, uint32_t other,
				    uint32_t dimension)
{
	uint32_t from = product_coordinate(product, point, dimension);
	uint32_t to = product_coordinate(product, other, dimension);

	return product->at[product->place[point] + to * product->stride[dimension] -
			   from * product->stride[dimension]];
}

#endif
