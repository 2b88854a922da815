// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The search for translations
 *
 * A renaming is found by backtracking: the image of a first point is given, and points follow
 * breadth first, each to a free neighbour of its parent's image, such that all arcs among those
 * placed so far are kept. One is taken into the group if it commutes with all that are in it, and
 * if no product of them fixes a point. What is taken first decides what can follow, so the search
 * is repeated with others first, and the largest group counts.
 */
#include <stdlib.h>
#include <string.h>

#include "liquidsched.h"
#include "problem/divisor.h"
#include "problem/random.h"
#include "problem/translations.h"

#define RENAMINGS_MAX	64		/* looked at for each image of the first point */
#define TARGETS_MAX	400		/* images of the first point, nearest first */
#define KIND_ROUNDS	8

/* What groups are made of in turn, see seek_all() */
enum generators { NEAR_SWAPS, NEAR, LONG, ANY };

struct seek {
	const struct translations_wanted *wanted;
	const struct digraph *graph;
	uint32_t n, moved;		/* points */
	uint32_t *words;
	uint64_t *alike;		/* by point: what it looks like */
	uint64_t *kind, *other;		/* the same with the first point marked, or its image */
	uint64_t *mixed;		/* scratch */
	uint32_t *order, *parent;	/* breadth first: point, and index of its parent or NONE */
	uint32_t *index;		/* by point: its place in the order */
	uint32_t *image, *taken;	/* by point; taken: it is the image of one */
	uint32_t *choice;		/* by index of the order: next arc of the parent's image */
	uint32_t *power, *product;	/* scratch: renamings of moved points */
	uint32_t *of_base;		/* by point: element that maps the first to it, or NONE */
	uint32_t *generator[TRANSLATIONS_GENERATORS_MAX], *inverse[TRANSLATIONS_GENERATORS_MAX];
	enum generators which;
	uint32_t generators, count, most;
	uint32_t *at;			/* the group so far, as in struct translations */
	uint64_t work;
};

/* ---- what points look like ---- */

/* Neighbours again and again; @marked is like no other point. */
static void tell_kinds(struct seek *seek, uint32_t marked, uint64_t *kind)
{
	const struct digraph *graph = seek->graph;

	for (uint32_t p = 0; p < seek->n; p++)
		kind[p] = seek->wanted->kind[p];
	if (marked != LIQUID_NONE)
		kind[marked] += 2;
	for (uint32_t round = 0; round < KIND_ROUNDS; round++) {
		for (uint32_t p = 0; p < seek->n; p++)
			seek->mixed[p] = random_mix(kind[p]);
		for (const struct arc *arc = graph->arc; arc < graph->arc + graph->arcs; arc++)
			seek->mixed[arc->from] += random_mix(kind[arc->to] + arc->label);
		memcpy(kind, seek->mixed, seek->n * sizeof(*kind));
	}
	seek->work += (uint64_t)KIND_ROUNDS * graph->arcs;
}

static int compare_kinds(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/*
 * A group that fixes none of the points has an order that divides the number of each kind. The
 * first point is to be of a rare one, where there are few images of it to try.
 */
static uint32_t choose_base(struct seek *seek)
{
	uint64_t *sorted = seek->other, rarest = 0;
	uint32_t begin = 0, least = UINT32_MAX, base = 0;

	tell_kinds(seek, LIQUID_NONE, seek->alike);
	memcpy(sorted, seek->alike, seek->moved * sizeof(*sorted));
	qsort(sorted, seek->moved, sizeof(*sorted), compare_kinds);
	for (uint32_t i = 1; i <= seek->moved; i++) {
		if (i < seek->moved && sorted[i] == sorted[begin])
			continue;
		seek->most = common_divisor(seek->most, i - begin);
		if (i - begin < least) {
			least = i - begin;
			rarest = sorted[begin];
		}
		begin = i;
	}
	while (seek->alike[base] != rarest)
		base++;
	return base;
}

static void put(struct seek *seek, uint32_t p, uint32_t parent, uint32_t *placed)
{
	if (seek->index[p] != LIQUID_NONE)
		return;
	seek->index[p] = *placed;
	seek->parent[*placed] = parent;
	seek->order[(*placed)++] = p;
}

/* Breadth first from those placed so far, but only points below @end */
static void put_reached(struct seek *seek, uint32_t end, uint32_t *placed)
{
	const struct digraph *graph = seek->graph;

	for (uint32_t i = 0; i < *placed; i++)
		for (uint32_t k = graph->first[seek->order[i]];
		     k < graph->first[seek->order[i] + 1]; k++) {
			uint32_t p = graph->arc[graph->out[k]].to;

			if (p < end)
				put(seek, p, i, placed);
		}
}

/* First those that the base reaches by early points; there are others if it does not reach all. */
static void put_in_order(struct seek *seek, uint32_t base)
{
	uint32_t placed = 0;

	memset(seek->index, 0xff, seek->n * sizeof(*seek->index));
	put(seek, base, LIQUID_NONE, &placed);
	put_reached(seek, seek->wanted->early, &placed);
	put_reached(seek, seek->n, &placed);
	for (uint32_t p = 0; p < seek->n; p++)
		put(seek, p, LIQUID_NONE, &placed);
}

/* ---- renamings ---- */

static bool is_placed(const struct seek *seek, uint32_t p, uint32_t i)
{
	return seek->index[p] < i;
}

static bool may_map(const struct seek *seek, uint32_t p, uint32_t to)
{
	if (p >= seek->moved || to >= seek->moved)
		return p >= seek->moved && to >= seek->moved;
	return p != to && (seek->which > NEAR || digraph_label(seek->graph, p, to));
}

/* What is known of the image of @p by the generators, with which the renaming is to commute */
static bool agrees(const struct seek *seek, uint32_t i, uint32_t p, uint32_t to)
{
	for (uint32_t g = 0; g < seek->generators; g++) {
		uint32_t after = seek->generator[g][p], before = seek->inverse[g][p];

		if ((is_placed(seek, after, i) && seek->image[after] != seek->generator[g][to]) ||
		    (is_placed(seek, before, i) && seek->image[before] != seek->inverse[g][to]))
			return false;
	}
	return true;
}

/*
 * Whether the @i-th point may be mapped to @to: the arcs between it and all before it are kept. As
 * many arcs, and each with its like, so there are no others.
 */
static bool suits(struct seek *seek, uint32_t i, uint32_t to)
{
	const struct digraph *graph = seek->graph;
	uint32_t p = seek->order[i];
	int32_t more = 0;

	seek->work++;
	if (seek->taken[to] || seek->kind[p] != seek->other[to] || !may_map(seek, p, to) ||
	    (seek->which == NEAR_SWAPS && is_placed(seek, to, i) && seek->image[to] != p) ||
	    !agrees(seek, i, p, to))
		return false;
	seek->image[p] = to;
	for (uint32_t k = graph->first[p]; k < graph->first[p + 1]; k++) {
		const struct arc *arc = &graph->arc[graph->out[k]];

		if (!is_placed(seek, arc->to, i))
			continue;
		if (digraph_label(graph, to, seek->image[arc->to]) != arc->label)
			return false;
		more++;
	}
	for (uint32_t k = graph->first[to]; k < graph->first[to + 1]; k++)
		more -= seek->taken[graph->arc[graph->out[k]].to] != 0;
	seek->work += graph->first[p + 1] - graph->first[p];
	return !more;
}

/* The @i-th point has the image that suits() has stored. */
static void place(struct seek *seek, uint32_t i)
{
	seek->taken[seek->image[seek->order[i]]] = 1;
}

static void take_back(struct seek *seek, uint32_t i)
{
	seek->taken[seek->image[seek->order[i]]] = 0;
}

/* The next image of the @i-th point; false: there is none left. */
static bool place_next(struct seek *seek, uint32_t i)
{
	const struct digraph *graph = seek->graph;
	uint32_t parent = seek->parent[i], end = seek->n;

	if (parent != LIQUID_NONE)
		end = graph->first[seek->image[seek->order[parent]] + 1];
	while (seek->choice[i] < end) {
		uint32_t to = seek->choice[i]++;

		if (parent != LIQUID_NONE)
			to = graph->arc[graph->out[to]].to;
		if (!suits(seek, i, to))
			continue;
		place(seek, i);
		return true;
	}
	return false;
}

static void begin_choice(struct seek *seek, uint32_t i)
{
	if (i == seek->n)
		return;
	seek->choice[i] = seek->parent[i] == LIQUID_NONE ? 0 :
			  seek->graph->first[seek->image[seek->order[seek->parent[i]]]];
}

/* ---- the group ---- */

static bool is_swap(const struct seek *seek)
{
	for (uint32_t p = 0; p < seek->moved; p++)
		if (seek->image[seek->image[p]] != p)
			return false;
	return true;
}

static uint32_t *element(const struct seek *seek, uint32_t g)
{
	return &seek->at[(size_t)g * seek->moved];
}

/* Element @g after the renaming in power[]: into product[]. False: it fixes a point. */
static bool multiply(struct seek *seek, uint32_t g)
{
	bool free_of_fixed = true;

	seek->work += seek->moved;
	for (uint32_t p = 0; p < seek->moved; p++) {
		seek->product[p] = element(seek, g)[seek->power[p]];
		free_of_fixed &= seek->product[p] != p;
	}
	return free_of_fixed;
}

/*
 * The products of the group and the powers of image[] go behind it, in the order of the powers.
 * Returns how many these are; 0: one fixes a point, or maps the first as an element does and is
 * not that element.
 */
static uint32_t add_products(struct seek *seek)
{
	uint32_t base = seek->order[0], powers = 1;

	memcpy(seek->power, seek->image, seek->moved * sizeof(*seek->power));
	while (seek->of_base[seek->power[base]] == LIQUID_NONE) {
		for (uint32_t g = 0; g < seek->count; g++) {
			if (seek->count * powers + g == seek->moved || !multiply(seek, g))
				return 0;
			memcpy(element(seek, seek->count * powers + g), seek->product,
			       seek->moved * sizeof(*seek->product));
		}
		for (uint32_t p = 0; p < seek->moved; p++)
			seek->power[p] = seek->image[seek->power[p]];
		powers++;
	}
	if (memcmp(seek->power, element(seek, seek->of_base[seek->power[base]]),
		   seek->moved * sizeof(*seek->power)) ||
	    (seek->wanted->independent && seek->of_base[seek->power[base]]))
		return 0;
	return powers;
}

/* The group's products with image[] and its powers join it, or nothing changes and it is false. */
static bool extend(struct seek *seek)
{
	uint32_t old = seek->count, powers = add_products(seek);

	if (!powers ||
	    (seek->wanted->suits && !seek->wanted->suits(seek->wanted->context, seek->image)))
		return false;
	seek->count *= powers;
	for (uint32_t g = old; g < seek->count; g++)
		seek->of_base[element(seek, g)[seek->order[0]]] = g;
	for (uint32_t p = 0; p < seek->n; p++) {
		seek->generator[seek->generators][p] = seek->image[p];
		seek->inverse[seek->generators][seek->image[p]] = p;
	}
	seek->generators++;
	return true;
}

/* A renaming is complete. True: it was taken. */
static bool take(struct seek *seek)
{
	seek->work += (uint64_t)seek->n * (1 + seek->generators);
	return (seek->which != LONG || !is_swap(seek)) && extend(seek);
}

/* Look for a renaming that maps the first point to @target, and can be taken. */
static bool seek_to(struct seek *seek, uint32_t target)
{
	uint32_t depth = 1, renamings = 0;
	bool taken = false;
	uint64_t work;

	if (seek->alike[target] != seek->alike[seek->order[0]] ||
	    !may_map(seek, seek->order[0], target))
		return false;
	tell_kinds(seek, target, seek->other);
	if (!suits(seek, 0, target))
		return false;
	work = seek->work + seek->wanted->work / 64;
	place(seek, 0);
	begin_choice(seek, 1);
	while (depth && !taken && renamings < RENAMINGS_MAX && seek->work < work) {
		if (depth == seek->n) {
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

static void begin_group(struct seek *seek)
{
	seek->generators = 0;
	seek->count = 1;
	memset(seek->of_base, 0xff, seek->moved * sizeof(*seek->of_base));
	for (uint32_t p = 0; p < seek->moved; p++)
		seek->at[p] = p;
	seek->of_base[seek->order[0]] = 0;
}

/* A group: greedily, from the images of the first point that are nearest to it */
static void seek_group(struct seek *seek)
{
	uint32_t targets = 0;

	begin_group(seek);
	for (uint32_t i = 1; i < seek->n && targets < TARGETS_MAX; i++) {
		uint32_t target = seek->order[i];

		if (target >= seek->moved)
			continue;
		targets++;
		if (seek->generators < seek->wanted->generators && seek->count < seek->most &&
		    seek->work < seek->wanted->work && seek->of_base[target] == LIQUID_NONE)
			seek_to(seek, target);
	}
}

/* ---- all of it ---- */

/* All in two pieces of memory: words[] and alike[] */
static bool get_memory(struct seek *seek)
{
	uint32_t **rows[] = { &seek->order, &seek->parent, &seek->index, &seek->image, &seek->taken,
			      &seek->choice, &seek->power, &seek->product, &seek->of_base };
	size_t n = seek->n, count = sizeof(rows) / sizeof(rows[0]);
	size_t generators = seek->wanted->generators, moved = seek->moved;
	uint32_t *next = calloc((count + 2 * generators) * n + moved * moved, sizeof(*next));

	seek->words = next;
	seek->alike = calloc(4 * n, sizeof(*seek->alike));
	if (!next || !seek->alike)
		return false;
	seek->kind = seek->alike + n;
	seek->other = seek->kind + n;
	seek->mixed = seek->other + n;
	for (size_t i = 0; i < count; i++, next += n)
		*rows[i] = next;
	for (uint32_t g = 0; g < generators; g++, next += 2 * n) {
		seek->generator[g] = next;
		seek->inverse[g] = next + n;
	}
	seek->at = next;
	return true;
}

static bool copy(uint32_t **to, const uint32_t *from, size_t count)
{
	uint32_t *at = realloc(*to, count * sizeof(*at) + 1);

	if (!at)
		return false;
	*to = at;
	memcpy(at, from, count * sizeof(*at));
	return true;
}

static bool keep(const struct seek *seek, struct translations *found)
{
	bool done = copy(&found->at, seek->at, (size_t)seek->count * seek->moved);

	for (uint32_t g = 0; done && g < seek->generators; g++)
		done = copy(&found->generator[g], seek->generator[g], seek->n);
	found->generators = seek->generators;
	found->count = seek->count;
	return done;
}

/*
 * First with translations that map each point to a neighbour. In a group that maps the first
 * point to all others, any two have the same distance as their images by a third, so that those
 * suffice there; and they are few. First of all those that swap neighbours: in a ring of four,
 * which has others too, they make two dimensions of it, and no way has to choose between two
 * directions. Other swaps come last: few long cycles commute with them.
 */
static bool seek_all(struct seek *seek, struct translations *found)
{
	uint32_t base = choose_base(seek);
	bool done;

	tell_kinds(seek, base, seek->kind);
	put_in_order(seek, base);
	begin_group(seek);
	done = keep(seek, found);
	for (seek->which = NEAR_SWAPS; seek->which <= ANY; seek->which++) {
		if (!done || found->count == seek->most)
			break;
		seek->work = 0;
		seek_group(seek);
		if (seek->count > found->count)
			done = keep(seek, found);
	}
	return done;
}

bool translations_find(const struct translations_wanted *wanted, struct translations *found)
{
	struct seek seek = { .wanted = wanted, .graph = wanted->graph,
			     .n = wanted->graph->points, .moved = wanted->moved };
	bool done;

	*found = (struct translations){ .count = 1 };
	if (!seek.moved)
		return true;
	done = get_memory(&seek) && seek_all(&seek, found);
	free(seek.words);
	free(seek.alike);
	return done;
}

bool translations_square(const struct translations *all, uint32_t moved,
			 struct translations *squares)
{
	*squares = (struct translations){ 0 };
	squares->at = malloc((size_t)all->count * moved * sizeof(*squares->at) + 1);
	if (!squares->at)
		return false;
	for (uint32_t g = 0; g < all->count; g++) {
		const uint32_t *at = &all->at[(size_t)g * moved];
		uint32_t *to = &squares->at[(size_t)squares->count * moved], i = 0;

		/* The image of the first point distinguishes elements. */
		while (i < squares->count && squares->at[(size_t)i * moved] != at[at[0]])
			i++;
		if (i < squares->count)
			continue;
		for (uint32_t p = 0; p < moved; p++)
			to[p] = at[at[p]];
		squares->count++;
	}
	return true;
}

void translations_clear(struct translations *found)
{
	free(found->at);
	for (uint32_t g = 0; g < TRANSLATIONS_GENERATORS_MAX; g++)
		free(found->generator[g]);
	*found = (struct translations){ 0 };
}
