/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choosing nodes: which N of the candidates have the least lambda, then the least spread
 *
 * What a node sends and receives is the same wherever it stands, so its own two links are a
 * matter of the node alone (choosing_ends()). All else is counted on the links between switches,
 * which here are called inner links: lambda is the greatest load / capacity of both kinds, and the
 * spread is the sum of the loads of the inner ones.
 *
 * A choice gives every place (rank) a node. In an all-to-all the places are all alike; with a
 * traffic, the units from place to place are weights.
 */
#ifndef LIQUID_CHOOSE_H
#define LIQUID_CHOOSE_H

#include "fabric/fabric.h"
#include "liquidsched.h"
#include "problem/random.h"

struct choose_node {
	uint32_t src, dst;		/* hosts */
	uint32_t from, to;		/* switches of its links out and in, or LIQUID_NONE */
	uint32_t out, in;		/* capacities of those links */
	uint32_t class;			/* nodes of one class are exchangeable */
};

/* Most classes that are enumerated, and most of them that one choice has nodes of. */
#define CHOOSE_CLASSES_MAX 1024u
#define CHOOSE_DEPTH_MAX 256u

/* load / capacity, not reduced; both are far below 2^32 */
struct ratio {
	uint64_t load, capacity;
};

/* What a choice, or a part of one, costs. */
struct score {
	struct ratio most;
	uint64_t spread;		/* or what else breaks ties: see enum choose_guide */
};

/* What decides between choices of equal lambda. */
enum choose_guide {
	GUIDE_SUM,			/* sum of the loads of inner links: the spread */
	GUIDE_SQUARES,			/* sum of load^2 / capacity: leads out of plateaus */
};

struct choose_step {
	uint32_t link, units;
};

struct choosing {
	const struct liquid_fabric *fabric;
	struct choose_node *node;
	uint32_t nodes, count;		/* candidates; how many are to be chosen */
	uint32_t classes;
	bool own;			/* a node also sends to itself: its hosts are two */
	uint32_t *weight;		/* count x count units; NULL: all 1 */
	uint64_t *sent, *received;	/* by place, units */
	uint64_t transfers;

	uint32_t *load;			/* by link */
	uint32_t *place;		/* by place: its node, or LIQUID_NONE */
	bool *used;			/* by node */
	uint32_t *tried;		/* by class: the last round in which it was tried */
	uint32_t *seen;			/* by switch: the same */
	uint32_t round;
	struct choose_step *step;	/* elements that the present trial has added */
	size_t steps;
	enum choose_guide guide;

	uint64_t work, limit;		/* steps along routes; about 2 ns each */
	uint64_t trials;
	struct random random;

	uint32_t *best;			/* by place */
	struct score best_score;	/* by lambda and spread */
};

static inline int ratio_compare(struct ratio a, struct ratio b)
{
	uint64_t left = a.load * b.capacity, right = b.load * a.capacity;

	return left < right ? -1 : left > right;
}

static inline struct ratio ratio_max(struct ratio a, struct ratio b)
{
	return ratio_compare(a, b) < 0 ? b : a;
}

static inline int score_compare(const struct score *a, const struct score *b)
{
	int order = ratio_compare(a->most, b->most);

	return order ? order : a->spread < b->spread ? -1 : a->spread > b->spread;
}

static inline double ratio_value(struct ratio ratio)
{
	return (double)ratio.load / (double)ratio.capacity;
}

/* A lambda that no choice reaches: some pair has no route. */
#define RATIO_NONE ((struct ratio){ UINT32_MAX, 1 })

static inline uint64_t choosing_weight(const struct choosing *choosing, uint32_t from, uint32_t to)
{
	return choosing->weight ? choosing->weight[(size_t)from * choosing->count + to] : 1;
}

/* choosing.c: closed in either case. */
int choosing_open(struct choosing *choosing, const struct liquid_fabric *fabric,
		  const struct liquid_choose_options *options, struct liquid_error *err);
void choosing_close(struct choosing *choosing);

/* classes.c */
/* Gives each node its class; false: out of memory. */
bool choosing_classify(struct choosing *choosing);

/* loads.c */
/* The ratio on the own links of node @v at @place. */
struct ratio choosing_ends(const struct choosing *choosing, uint32_t place, uint32_t v);
/*
 * Add @units on the inner links from node @a to node @b, and raise @score. False: no route, or
 * above @limit (may be NULL); then a part has been added. choosing_undo() takes back all since
 * steps was 0.
 */
bool choosing_add(struct choosing *choosing, uint32_t a, uint32_t b, uint32_t units,
		  struct score *score, const struct score *limit);
void choosing_undo(struct choosing *choosing);
/* Add node @v at the empty @place, beside those that have theirs. As choosing_add(). */
bool choosing_try(struct choosing *choosing, uint32_t place, uint32_t v, struct score *score,
		  const struct score *limit);
/* The greatest ratio now: on inner links, and on the own links of those that are placed. */
struct ratio choosing_most(const struct choosing *choosing);
void choosing_put(struct choosing *choosing, uint32_t place, uint32_t v);
void choosing_take(struct choosing *choosing, uint32_t place);
/* Place @nodes (NULL: none), and score them by lambda and spread. */
struct score choosing_load(struct choosing *choosing, const uint32_t *nodes);

/* search.c: by construction and exchange, into best; false: out of memory */
bool choosing_search(struct choosing *choosing);
/* Keep what is placed if it is the best so far. */
void choosing_offer(struct choosing *choosing);

/* exact.c */
/* How many allocations to classes there are; UINT64_MAX: more than that. False: no memory. */
bool choosing_allocations(const struct choosing *choosing, uint64_t *allocations);
/* Try all; best is then the best of all. False: no memory. */
bool choosing_enumerate(struct choosing *choosing);

/* bound.c: a ratio below which no choice is; false: no memory */
bool choosing_bound(const struct choosing *choosing, struct ratio *bound);

#endif
