// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The search for translations
 *
 * A renaming is found by backtracking: the image of a first switch is given, and switches follow
 * breadth first, each to a free neighbour of its parent's image, such that all links among those
 * placed so far are kept. One is taken into the group if it commutes with all that are in it, and
 * if no product of them fixes a switch. What is taken first decides what can follow, so the search
 * is repeated with others first, and the largest group counts.
 */
#include <stdlib.h>
#include <string.h>

#include "route/translations.h"

#define GENERATORS_MAX	16
#define RENAMINGS_MAX	64		/* looked at for each image of the first switch */
#define TARGETS_MAX	400		/* images of the first switch, nearest first */
#define REPEATS		48
#define KIND_ROUNDS	8
#define WORK		UINT64_C(30000000) /* links compared, and switches of products */

struct seek {
	const struct route_graph *graph;
	uint32_t n;			/* switches */
	uint32_t *weight;		/* by switch and switch: links and capacity between them */
	uint64_t *kind, *other;		/* by switch: what it looks like with the first switch */
					/* marked, or with the image of that marked */
	uint64_t *mixed;		/* scratch */
	uint32_t *order, *parent;	/* breadth first: switch, and index of its parent */
	uint32_t *index;		/* by switch: its place in the order */
	uint32_t placed;		/* of the order: switches that can be reached */
	uint32_t *image, *taken;	/* by switch; taken: its preimage + 1 */
	uint32_t *choice;		/* by index of the order: next arc of the parent's image */
	uint32_t *power, *product;	/* scratch: renamings */
	uint32_t *of_base;		/* by switch: element that maps the first to it, or NONE */
	uint32_t *generator[GENERATORS_MAX], *inverse[GENERATORS_MAX];
	bool near;			/* each switch to a neighbour, see seek_all() */
	bool swap;			/* and that neighbour back to it */
	uint32_t generators, count;
	uint32_t *at;			/* the group so far, as in struct translations */
	uint32_t skip;			/* renamings to pass over before the first generator */
	uint64_t work;
};

static uint32_t weight(const struct seek *seek, uint32_t from, uint32_t to)
{
	return seek->weight[(size_t)from * seek->n + to];
}

/* ---- what switches look like ---- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/*
 * Hosts of each switch with the capacities of their links, then neighbours again and again. @marked
 * is like no other switch.
 */
static void tell_kinds(struct seek *seek, uint32_t marked, uint64_t *kind)
{
	const struct route_graph *graph = seek->graph;

	for (uint32_t s = 0; s < seek->n; s++)
		kind[s] = 1;
	kind[marked] = 2;
	for (uint32_t host = 0; host < graph->hosts; host++) {
		uint32_t in = liquid_fabric_host_in(graph->fabric, host);
		uint32_t out = liquid_fabric_host_out(graph->fabric, host);

		if (graph->home[host] != LIQUID_NONE)
			kind[graph->home[host]] +=
				mix(2 + liquid_fabric_capacity(graph->fabric, in));
		if (graph->source[host] != LIQUID_NONE)
			kind[graph->source[host]] +=
				mix(mix(3 + liquid_fabric_capacity(graph->fabric, out)));
	}
	for (uint32_t round = 0; round < KIND_ROUNDS; round++) {
		for (uint32_t s = 0; s < seek->n; s++)
			seek->mixed[s] = mix(kind[s]);
		for (uint32_t arc = 0; arc < graph->arcs; arc++) {
			uint32_t from = graph->from[arc], to = graph->to[arc];

			seek->mixed[from] += mix(kind[to] + graph->capacity[arc]);
			seek->mixed[to] += mix(mix(kind[from] + graph->capacity[arc]));
		}
		memcpy(kind, seek->mixed, seek->n * sizeof(*kind));
	}
	seek->work += (uint64_t)KIND_ROUNDS * graph->arcs;
}

/* The switches that @base reaches, breadth first */
static void put_in_order(struct seek *seek, uint32_t base)
{
	const struct route_graph *graph = seek->graph;

	memset(seek->taken, 0, seek->n * sizeof(*seek->taken));
	seek->order[0] = base;
	seek->taken[base] = 1;
	seek->placed = 1;
	for (uint32_t i = 0; i < seek->placed; i++)
		for (uint32_t arc = graph->first[seek->order[i]];
		     arc < graph->first[seek->order[i] + 1]; arc++) {
			uint32_t to = graph->to[arc];

			if (seek->taken[to])
				continue;
			seek->taken[to] = 1;
			seek->parent[seek->placed] = i;
			seek->order[seek->placed++] = to;
		}
	memset(seek->taken, 0, seek->n * sizeof(*seek->taken));
	for (uint32_t i = 0; i < seek->placed; i++)
		seek->index[seek->order[i]] = i;
}

/* ---- renamings ---- */

static bool is_placed(const struct seek *seek, uint32_t s, uint32_t i)
{
	return seek->index[s] < i;
}

/* What is known of the image of @s by the generators, with which the renaming is to commute */
static bool agrees(const struct seek *seek, uint32_t i, uint32_t s, uint32_t to)
{
	for (uint32_t g = 0; g < seek->generators; g++) {
		uint32_t after = seek->generator[g][s], before = seek->inverse[g][s];

		if ((is_placed(seek, after, i) && seek->image[after] != seek->generator[g][to]) ||
		    (is_placed(seek, before, i) && seek->image[before] != seek->inverse[g][to]))
			return false;
	}
	return true;
}

/*
 * Whether the @i-th switch may be mapped to @to: the links from and to all before it are kept. As
 * many arcs, and each with its like, so there are no others.
 */
static bool suits(struct seek *seek, uint32_t i, uint32_t to)
{
	const struct route_graph *graph = seek->graph;
	uint32_t s = seek->order[i];
	int32_t more = 0;

	seek->work++;
	if (seek->taken[to] || seek->kind[s] != seek->other[to] || s == to ||
	    (seek->near && !weight(seek, s, to)) ||
	    (seek->swap && is_placed(seek, to, i) && seek->image[to] != s) ||
	    !agrees(seek, i, s, to))
		return false;
	for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++) {
		uint32_t other = graph->to[arc];

		if (!is_placed(seek, other, i))
			continue;
		more++;
		if (weight(seek, s, other) != weight(seek, to, seek->image[other]))
			return false;
	}
	for (uint32_t k = graph->first_in[s]; k < graph->first_in[s + 1]; k++) {
		uint32_t other = graph->from[graph->in[k]];

		if (!is_placed(seek, other, i))
			continue;
		more++;
		if (weight(seek, other, s) != weight(seek, seek->image[other], to))
			return false;
	}
	for (uint32_t arc = graph->first[to]; arc < graph->first[to + 1]; arc++)
		more -= seek->taken[graph->to[arc]] != 0;
	for (uint32_t k = graph->first_in[to]; k < graph->first_in[to + 1]; k++)
		more -= seek->taken[graph->from[graph->in[k]]] != 0;
	seek->work += graph->first[s + 1] - graph->first[s];
	return !more;
}

static void place(struct seek *seek, uint32_t i, uint32_t to)
{
	seek->image[seek->order[i]] = to;
	seek->taken[to] = 1;
}

static void take_back(struct seek *seek, uint32_t i)
{
	seek->taken[seek->image[seek->order[i]]] = 0;
}

/* The next image of the @i-th switch; false: there is none left. */
static bool place_next(struct seek *seek, uint32_t i)
{
	const struct route_graph *graph = seek->graph;
	uint32_t at = seek->image[seek->order[seek->parent[i]]];

	for (; seek->choice[i] < graph->first[at + 1]; seek->choice[i]++) {
		uint32_t to = graph->to[seek->choice[i]];

		if (!suits(seek, i, to))
			continue;
		seek->choice[i]++;
		place(seek, i, to);
		return true;
	}
	return false;
}

static void begin_choice(struct seek *seek, uint32_t i)
{
	if (i < seek->placed)
		seek->choice[i] =
			seek->graph->first[seek->image[seek->order[seek->parent[i]]]];
}

/* ---- the group ---- */

static bool commutes(const struct seek *seek)
{
	for (uint32_t g = 0; g < seek->generators; g++)
		for (uint32_t s = 0; s < seek->n; s++)
			if (seek->image[seek->generator[g][s]] !=
			    seek->generator[g][seek->image[s]])
				return false;
	return true;
}

/* Element @g after the renaming in power[]: into product[]. False: it fixes a switch. */
static bool multiply(struct seek *seek, uint32_t g)
{
	const uint32_t *element = &seek->at[(size_t)g * seek->n];
	bool free_of_fixed = true;

	seek->work += seek->n;
	for (uint32_t s = 0; s < seek->n; s++) {
		seek->product[s] = element[seek->power[s]];
		free_of_fixed &= seek->product[s] != s;
	}
	return free_of_fixed;
}

static void shift_power(struct seek *seek)
{
	for (uint32_t s = 0; s < seek->n; s++)
		seek->power[s] = seek->image[seek->power[s]];
}

/* The group's products with image[] and its powers join it, or nothing changes and it is false. */
static bool extend(struct seek *seek)
{
	uint32_t base = seek->order[0], old = seek->count, count = old;

	memcpy(seek->power, seek->image, seek->n * sizeof(*seek->power));
	while (seek->of_base[seek->power[base]] == LIQUID_NONE) {
		for (uint32_t g = 0; g < old; g++) {
			if (count + 1 > seek->n || !multiply(seek, g))
				return false;
			memcpy(&seek->at[(size_t)count++ * seek->n], seek->product,
			       seek->n * sizeof(*seek->product));
		}
		shift_power(seek);
	}
	/* The first power that maps the base as an element does must be that element. */
	if (memcmp(seek->power, &seek->at[(size_t)seek->of_base[seek->power[base]] * seek->n],
		   seek->n * sizeof(*seek->power)))
		return false;
	seek->count = count;
	for (uint32_t g = old; g < count; g++)
		seek->of_base[seek->at[(size_t)g * seek->n + base]] = g;
	for (uint32_t s = 0; s < seek->n; s++) {
		seek->generator[seek->generators][s] = seek->image[s];
		seek->inverse[seek->generators][seek->image[s]] = s;
	}
	seek->generators++;
	return true;
}

/* A renaming is complete. True: it was taken. */
static bool take(struct seek *seek)
{
	seek->work += (uint64_t)seek->n * (1 + seek->generators);
	if (!commutes(seek))
		return false;
	if (!seek->generators && seek->skip) {
		seek->skip--;
		return false;
	}
	return extend(seek);
}

/* Look for a renaming that maps the first switch to @target, and can be taken. */
static bool seek_to(struct seek *seek, uint32_t target)
{
	uint64_t work = seek->work + WORK / 64;
	uint32_t depth = 1, renamings = 0;
	bool taken = false;

	tell_kinds(seek, target, seek->other);
	if (!suits(seek, 0, target))
		return false;
	place(seek, 0, target);
	begin_choice(seek, 1);
	while (depth && !taken && renamings < RENAMINGS_MAX && seek->work < work) {
		if (depth == seek->placed) {
			taken = take(seek);
			renamings++;
			take_back(seek, --depth);
		} else if (place_next(seek, depth)) {
			begin_choice(seek, ++depth);
		} else {
			take_back(seek, --depth);
		}
	}
	while (depth)
		take_back(seek, --depth);
	return taken;
}

/* A group: greedily, from the images of the first switch that are nearest to it */
static void seek_group(struct seek *seek)
{
	uint32_t last = seek->placed < TARGETS_MAX + 1 ? seek->placed : TARGETS_MAX + 1;

	seek->generators = 0;
	seek->count = 1;
	for (uint32_t s = 0; s < seek->n; s++) {
		seek->at[s] = s;
		seek->of_base[s] = LIQUID_NONE;
	}
	seek->of_base[seek->order[0]] = 0;
	for (uint32_t i = 1; i < last && seek->generators < GENERATORS_MAX; i++)
		if (seek->work < WORK && seek->of_base[seek->order[i]] == LIQUID_NONE)
			seek_to(seek, seek->order[i]);
}

/* ---- all of it ---- */

static bool get_memory(struct seek *seek)
{
	size_t n = seek->n + 1, square = (size_t)seek->n * seek->n + 1;
	uint32_t **rows[] = { &seek->order, &seek->parent, &seek->index, &seek->image, &seek->taken,
			      &seek->choice, &seek->power, &seek->product, &seek->of_base };
	bool done = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		done &= (*rows[i] = calloc(n, sizeof(**rows[i]))) != NULL;
	for (uint32_t g = 0; g < GENERATORS_MAX; g++) {
		done &= (seek->generator[g] = calloc(n, sizeof(uint32_t))) != NULL;
		done &= (seek->inverse[g] = calloc(n, sizeof(uint32_t))) != NULL;
	}
	seek->kind = calloc(n, sizeof(*seek->kind));
	seek->other = calloc(n, sizeof(*seek->other));
	seek->mixed = calloc(n, sizeof(*seek->mixed));
	seek->weight = calloc(square, sizeof(*seek->weight));
	seek->at = calloc(square, sizeof(*seek->at));
	return done && seek->kind && seek->other && seek->mixed && seek->weight && seek->at;
}

static void let_go(struct seek *seek)
{
	uint32_t *rows[] = { seek->order, seek->parent, seek->index, seek->image, seek->taken,
			     seek->choice, seek->power, seek->product, seek->of_base,
			     seek->weight, seek->at };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		free(rows[i]);
	for (uint32_t g = 0; g < GENERATORS_MAX; g++) {
		free(seek->generator[g]);
		free(seek->inverse[g]);
	}
	free(seek->kind);
	free(seek->other);
	free(seek->mixed);
}

static bool keep(const struct seek *seek, struct translations *found)
{
	size_t size = (size_t)seek->count * seek->n * sizeof(*found->at);
	uint32_t *at = realloc(found->at, size + 1);

	if (!at)
		return false;
	found->at = at;
	found->count = seek->count;
	memcpy(at, seek->at, size);
	return true;
}

/* All links, once more: what backtracking has compared step by step */
static bool is_renaming(const struct seek *seek, const uint32_t *image)
{
	const struct route_graph *graph = seek->graph;

	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		if (weight(seek, graph->from[arc], graph->to[arc]) !=
		    weight(seek, image[graph->from[arc]], image[graph->to[arc]]))
			return false;
	return true;
}

static bool seek_groups(struct seek *seek, struct translations *found, bool near, bool swap)
{
	bool done = true;

	seek->near = near;
	seek->swap = swap;
	seek->work = 0;
	for (uint32_t skip = 0; done && skip < REPEATS && found->count < seek->n &&
	     seek->placed == seek->n && seek->work < WORK; skip++) {
		seek->skip = skip;
		seek_group(seek);
		if (seek->count > found->count)
			done = keep(seek, found);
		else if (seek->skip)
			break;		/* there are no others to begin with */
	}
	return done;
}

/*
 * First with translations that map each switch to a neighbour. In a group that maps the first
 * switch to all others, any two have the same distance as their images by a third, so that those
 * suffice there; and they are few. First of all those that swap neighbours: in a ring of four,
 * which has others too, they make two dimensions of it, and no way has to choose between two
 * directions.
 */
static bool seek_all(struct seek *seek, struct translations *found)
{
	const struct route_graph *graph = seek->graph;
	bool done;

	for (uint32_t arc = 0; arc < graph->arcs; arc++)
		seek->weight[(size_t)graph->from[arc] * seek->n + graph->to[arc]] +=
			1 + (graph->capacity[arc] << 12);
	tell_kinds(seek, 0, seek->kind);
	put_in_order(seek, 0);
	seek->count = 1;
	for (uint32_t s = 0; s < seek->n; s++)
		seek->at[s] = s;
	done = keep(seek, found) && seek_groups(seek, found, true, true) &&
	       seek_groups(seek, found, true, false) && seek_groups(seek, found, false, false);
	for (uint32_t g = 0; done && g < found->count; g++)
		if (!is_renaming(seek, &found->at[(size_t)g * seek->n]))
			found->count = 1;
	return done;
}

bool translations_find(const struct route_graph *graph, struct translations *found)
{
	struct seek seek = { .graph = graph, .n = graph->switches };
	bool done;

	*found = (struct translations){ .count = 1 };
	if (!seek.n || seek.n > TRANSLATIONS_SWITCHES_MAX)
		return true;
	done = get_memory(&seek) && seek_all(&seek, found);
	let_go(&seek);
	return done;
}

bool translations_square(const struct translations *all, uint32_t switches,
			 struct translations *squares)
{
	*squares = (struct translations){ 0 };
	squares->at = malloc((size_t)all->count * switches * sizeof(*squares->at) + 1);
	if (!squares->at)
		return false;
	for (uint32_t g = 0; g < all->count; g++) {
		const uint32_t *at = &all->at[(size_t)g * switches];
		uint32_t *to = &squares->at[(size_t)squares->count * switches], i = 0;

		/* The image of the first switch tells elements apart. */
		while (i < squares->count && squares->at[(size_t)i * switches] != at[at[0]])
			i++;
		if (i < squares->count)
			continue;
		for (uint32_t s = 0; s < switches; s++)
			to[s] = at[at[s]];
		squares->count++;
	}
	return true;
}

void translations_clear(struct translations *found)
{
	free(found->at);
	found->at = NULL;
}
