/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Products: fabrics with routes that go along one dimension after the other
 *
 * Groups of twins are points, and a link is where a unit goes from one point to the next
 * over nothing else. Links that lie opposite each other in a square belong to the same
 * dimension, and so do two that follow each other without one (the product relation of
 * Feder, "Product graph representations", J. Graph Theory 16, 1992); dimensions that routes
 * take in either order are one. A point has a coordinate in each, and every route consists of
 * the routes along its dimensions, in their order. All of this is checked.
 */
#ifndef LIQUID_PRODUCT_H
#define LIQUID_PRODUCT_H

#include "solve/symmetry/quotient.h"

#define PRODUCT_POINTS_MAX 2048u
#define PRODUCT_DIMENSIONS_MAX 32u
/* Links that leave a point. */
#define PRODUCT_DEGREE_MAX 128u

struct product {
	struct quotient quotient;
	uint32_t points;
	uint32_t *unit;			/* by point x point: or LIQUID_NONE */
	uint32_t *link;			/* by point x point: the link from one to the other, or NONE */
	uint32_t *degree, *next;	/* by point; by point x PRODUCT_DEGREE_MAX: where its links go */
	uint32_t *tail, *head;		/* by resource of the units: its points, or LIQUID_NONE */
	uint32_t *parent;		/* by resource: towards the one that stands for its dimension */
	uint8_t *dimension;		/* by resource */
	uint32_t dimensions;
	uint32_t size[PRODUCT_DIMENSIONS_MAX];		/* coordinates of each, in the routes' order */
	uint32_t stride[PRODUCT_DIMENSIONS_MAX];	/* of a point's place, the first dimension least */
	uint32_t *place;		/* by point: its coordinates in one number */
	uint32_t *at;			/* by place: the point */
	uint64_t work;			/* not yet spent */
};

/* *@found is false where there are less than two dimensions, or none that can be told. */
int product_find(const struct routes *routes, struct product *product, bool *found,
		 struct liquid_error *err);
void product_clear(struct product *product);

static inline uint32_t product_coordinate(const struct product *product, uint32_t point,
					  uint32_t dimension)
{
	return product->place[point] / product->stride[dimension] % product->size[dimension];
}

/* The point at @point's place but for dimension @dimension, which is as @other has it. */
static inline uint32_t product_step(const struct product *product, uint32_t point, uint32_t other,
				    uint32_t dimension)
{
	uint32_t from = product_coordinate(product, point, dimension);
	uint32_t to = product_coordinate(product, other, dimension);

	return product->at[product->place[point] + to * product->stride[dimension] -
			   from * product->stride[dimension]];
}

#endif
