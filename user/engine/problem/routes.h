/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The problem as the methods see it: pairs, the links of each, capacities and loads
 *
 * Only sets of links are left of the fabric. The links in use are numbered from 0 in
 * the fabric's order; pairs are those of the traffic, in its order.
 * A transfer is one unit of a pair: those of pair p are first_transfer[p] ...
 * first_transfer[p + 1] - 1, so that transfers are in the order of (src, dst).
 *
 * If all links of a path have a capacity above 1, several units of the pair fit into one frame.
 * No method needs to know: such a pair appears here as several pairs of the same ends, its
 * *strands*, each at most once in a frame. There are as many strands as a frame holds units of
 * the pair, and the units are divided evenly, so that every schedule of the pair is one of its
 * strands (Gale and Ryser: even degrees are majorised by all others). Code that needs each pair
 * once uses routes_whole(), where transfers have the same numbers.
 *
 * Methods also make their own routes: of groups of hosts, of the points of a line, of orbits.
 * Their pairs are whatever uses links, several times each, and their links whatever has a
 * capacity; then origin[] is NULL.
 */
#ifndef LIQUID_ROUTES_H
#define LIQUID_ROUTES_H

#include "liquidsched.h"

struct routes {
	uint32_t pair_count, link_count, transfer_count;
	const struct liquid_pair *pairs;	/* of the traffic, or own_pairs[] */
	uint32_t *first_transfer;		/* by pair, pair_count + 1 entries */
	uint32_t *first;			/* by pair: its first entry in links[] */
	uint32_t *links;
	uint32_t *capacity;			/* by link */
	uint32_t *load;				/* by link, in transfers */
	uint32_t *origin;			/* by link: the fabric's link */
	uint32_t duration;			/* largest ceil(load / capacity) */
	double fluid_bound;			/* largest load / capacity */
	struct routes *whole;			/* routes without strands; NULL: there are none */
	struct liquid_pair *own_pairs;		/* memory of pairs[] that are not of the traffic */
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
/* Free the tables of @routes. */
void routes_clear(struct routes *routes);
/* Compute transfers, loads and bounds from pairs, links and capacities. */
void routes_measure(struct routes *routes);
/* Copy the counts of all pairs to @count[]. */
void routes_counts(const struct routes *routes, uint32_t *count);
/* Units of @pair that fit into one frame, at most as many as it has. */
uint32_t routes_strands(const struct routes *routes, uint32_t pair);
/* The largest count of a pair; >= 1. */
uint32_t routes_largest_count(const struct routes *routes);
/* One more than the largest number of a host that sends or receives; 0: there is none. */
uint32_t routes_host_span(const struct routes *routes);

/*
 * By transfer of @routes, which have no strands, its frame where each frame of @schedule comes
 * @times times in a row. The routes are of @times as many transfers. NULL: no memory
 */
uint32_t *routes_frames(const struct routes *routes, const struct liquid_schedule *schedule,
			uint32_t times);

bool routes_invert(const struct routes *routes, struct routes_inverse *inverse);
void routes_inverse_clear(struct routes_inverse *inverse);

static inline const uint32_t *routes_links(const struct routes *routes, uint32_t pair,
					   uint32_t *count)
{
	*count = routes->first[pair + 1] - routes->first[pair];
	return routes->links + routes->first[pair];
}

#endif
