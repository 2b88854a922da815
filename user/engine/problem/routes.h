/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The problem as the methods see it: pairs, the links of each, capacities and loads
 *
 * Nothing of the fabric is left but sets of links. Links are those in use,
 * numbered from 0 in the fabric's order; pairs are the traffic's, in its order.
 * A transfer is one unit of a pair: those of pair p are first_transfer[p] ...
 * first_transfer[p + 1] - 1, so that transfers are in the order of (src, dst).
 *
 * No method needs to know that several units of a pair may go in one frame, as they may
 * where all links of its path take more than one: such a pair stands here as several of the
 * same ends, *strands*, each at most once in a frame. As many as a frame takes of the pair,
 * with its units dealt out evenly: so every schedule of the pair is one of its strands
 * (Gale and Ryser: even degrees are majorised by all others). What wants each pair once
 * takes routes_whole(), where transfers have the same numbers.
 */
#ifndef LIQUID_ROUTES_H
#define LIQUID_ROUTES_H

#include "liquidsched.h"

struct routes {
	uint32_t pair_count, link_count, transfer_count;
	const struct liquid_pair *pairs;	/* the traffic's, or strands */
	uint32_t *first_transfer;		/* by pair, pair_count + 1 of them */
	uint32_t *first;			/* by pair: where its links begin in links[] */
	uint32_t *links;
	uint32_t *capacity;			/* by link */
	uint32_t *load;				/* by link, in transfers */
	uint32_t *origin;			/* by link: the fabric's link */
	uint32_t duration;			/* largest ceil(load / capacity) */
	double fluid_bound;			/* largest load / capacity */
	struct routes *whole;			/* without strands; NULL: there are none */
	struct liquid_pair *strands;		/* what pairs is then */
};

static inline const struct routes *routes_whole(const struct routes *routes)
{
	return routes->whole ? routes->whole : routes;
}

/* The pairs of each link: those of link l are pairs[first[l]] ... pairs[first[l + 1] - 1]. */
struct routes_inverse {
	uint32_t *first, *pairs;
};

int routes_build(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		 struct routes **routes, struct liquid_error *err);
void routes_free(struct routes *routes);

bool routes_invert(const struct routes *routes, struct routes_inverse *inverse);
void routes_inverse_clear(struct routes_inverse *inverse);

static inline const uint32_t *routes_links(const struct routes *routes, uint32_t pair,
					   uint32_t *count)
{
	*count = routes->first[pair + 1] - routes->first[pair];
	return routes->links + routes->first[pair];
}

#endif
