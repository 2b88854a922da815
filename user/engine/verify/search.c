// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The verifier's own search: can a small traffic be carried in K frames?
 *
 * The solver searches frame by frame, this search goes transfer by transfer, so that the two
 * do not share a mistake. Each pair has a set of open frames, in which it may still be placed.
 * The pair with the fewest open frames beyond those that it needs is placed next. Then
 * constraints are propagated until nothing changes: a frame is closed for a pair if a link of
 * its path is full there; a pair that needs all of its open frames takes them; a branch ends
 * if a link cannot reach the least load that it must have in a frame. Empty frames are
 * equivalent, so only one of them is tried.
 *
 * If every link of a pair's path has a capacity of c or more, a frame can take c units of the
 * pair. Such a pair is searched as c pairs that share its units evenly, in which every
 * placement of the units can be expressed.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/verify.h"

#define SEARCH_FRAMES_MAX 64
#define SEARCH_TRANSFERS_MAX 1024	/* also the largest depth of the search */
#define SEARCH_WORK_MAX UINT64_C(400000000)

struct search {
	uint32_t pairs, links, frames;
	uint32_t *steps, *path;		/* by pair: links; LIQUID_PATH_MAX entries for each pair */
	uint32_t *count;		/* by pair: frames that it needs */
	uint32_t *capacity;		/* by link */
	uint32_t *least;		/* by link: least transfers in every frame */
	uint64_t work;			/* operations so far */
	bool exhausted;			/* SEARCH_WORK_MAX was exceeded */
	bool no_memory;
};

/* A node of the search tree; a child begins as a copy of its parent. */
struct node {
	uint64_t *open;			/* by pair: frames in which it may be placed, as bits */
	uint64_t *placed;		/* by pair: frames in which it is placed, as bits */
	uint32_t *used;			/* by link and frame: transfers */
	uint32_t fresh;			/* first frame of those that are empty */
};

static size_t used_size(const struct search *search)
{
	return (size_t)search->links * search->frames;
}

static void node_free(struct node *node)
{
	free(node->open);
	free(node->placed);
	free(node->used);
}

static bool node_new(const struct search *search, struct node *node, const struct node *parent)
{
	node->open = malloc(search->pairs * sizeof(*node->open));
	node->placed = malloc(search->pairs * sizeof(*node->placed));
	node->used = malloc(used_size(search) * sizeof(*node->used));
	if (!node->open || !node->placed || !node->used) {
		node_free(node);
		return false;
	}
	if (parent) {
		memcpy(node->open, parent->open, search->pairs * sizeof(*node->open));
		memcpy(node->placed, parent->placed, search->pairs * sizeof(*node->placed));
		memcpy(node->used, parent->used, used_size(search) * sizeof(*node->used));
		node->fresh = parent->fresh;
	}
	return true;
}

static uint32_t still_needed(const struct search *search, const struct node *node, uint32_t pair)
{
	return search->count[pair] - (uint32_t)__builtin_popcountll(node->placed[pair]);
}

static void place(const struct search *search, struct node *node, uint32_t pair, uint32_t frame)
{
	const uint32_t *path = search->path + (size_t)pair * LIQUID_PATH_MAX;

	node->open[pair] &= ~(UINT64_C(1) << frame);
	node->placed[pair] |= UINT64_C(1) << frame;
	for (uint32_t i = 0; i < search->steps[pair]; i++)
		node->used[(size_t)path[i] * search->frames + frame]++;
	if (frame >= node->fresh)
		node->fresh = frame + 1;
}

/* Close the frames in which a link of @pair is full. */
static void close_frames(const struct search *search, struct node *node, uint32_t pair)
{
	const uint32_t *path = search->path + (size_t)pair * LIQUID_PATH_MAX;
	uint64_t left = node->open[pair];

	for (; left; left &= left - 1) {
		uint32_t frame = (uint32_t)__builtin_ctzll(left);

		for (uint32_t i = 0; i < search->steps[pair]; i++)
			if (node->used[(size_t)path[i] * search->frames + frame] >=
			    search->capacity[path[i]])
				node->open[pair] &= ~(UINT64_C(1) << frame);
	}
}

/* Place @pair if it has no choice. Returns 0: impossible, 1: nothing changed, 2: it was placed. */
static int decide_pair(const struct search *search, struct node *node, uint32_t pair)
{
	uint32_t needed = still_needed(search, node, pair), choices;

	if (!needed) {
		node->open[pair] = 0;
		return 1;
	}
	close_frames(search, node, pair);
	choices = (uint32_t)__builtin_popcountll(node->open[pair]);
	if (choices < needed)
		return 0;
	if (choices > needed)
		return 1;
	while (node->open[pair])
		place(search, node, pair, (uint32_t)__builtin_ctzll(node->open[pair]));
	return 2;
}

/* Can every link still reach its least load in every frame? @reach is scratch space. */
static bool links_can_fill(const struct search *search, const struct node *node, uint32_t *reach)
{
	memset(reach, 0, used_size(search) * sizeof(*reach));
	for (uint32_t pair = 0; pair < search->pairs; pair++) {
		const uint32_t *path = search->path + (size_t)pair * LIQUID_PATH_MAX;

		for (uint64_t left = node->open[pair]; left; left &= left - 1)
			for (uint32_t i = 0; i < search->steps[pair]; i++)
				reach[(size_t)path[i] * search->frames +
				      (uint32_t)__builtin_ctzll(left)]++;
	}
	for (uint32_t link = 0; link < search->links; link++)
		for (uint32_t frame = 0; search->least[link] && frame < search->frames; frame++) {
			size_t at = (size_t)link * search->frames + frame;

			if (node->used[at] + reach[at] < search->least[link])
				return false;
		}
	return true;
}

static bool propagate(struct search *search, struct node *node, uint32_t *reach)
{
	bool again = true;

	while (again) {
		again = false;
		search->work += search->pairs;
		for (uint32_t pair = 0; pair < search->pairs; pair++) {
			int outcome = decide_pair(search, node, pair);

			if (!outcome)
				return false;
			again |= outcome == 2;
		}
	}
	search->work += used_size(search) + 8 * search->pairs;
	return links_can_fill(search, node, reach);
}

static uint32_t least_choice(const struct search *search, const struct node *node)
{
	uint32_t best = LIQUID_NONE, best_slack = UINT32_MAX;

	for (uint32_t pair = 0; pair < search->pairs; pair++) {
		uint32_t needed = still_needed(search, node, pair), slack;

		if (!needed)
			continue;
		slack = (uint32_t)__builtin_popcountll(node->open[pair]) - needed;
		if (slack < best_slack) {
			best_slack = slack;
			best = pair;
		}
	}
	return best;
}

static bool search_node(struct search *search, struct node *node, uint32_t *reach);

static bool try_frame(struct search *search, const struct node *node, uint32_t pair,
		      uint32_t frame, uint32_t *reach)
{
	struct node child;
	bool found;

	if (!node_new(search, &child, node)) {
		search->no_memory = true;
		return false;
	}
	place(search, &child, pair, frame);
	found = search_node(search, &child, reach);
	node_free(&child);
	return found;
}

/* True if the traffic was placed, or if the search stops without an answer. */
static bool search_node(struct search *search, struct node *node, uint32_t *reach)
{
	uint32_t pair, frame;

	for (;;) {
		if (search->work > SEARCH_WORK_MAX) {
			search->exhausted = true;
			return true;
		}
		if (!propagate(search, node, reach))
			return false;
		pair = least_choice(search, node);
		if (pair == LIQUID_NONE)
			return true;
		frame = (uint32_t)__builtin_ctzll(node->open[pair]);
		if (try_frame(search, node, pair, frame, reach) || search->no_memory)
			return true;
		if (frame >= node->fresh)	/* then no other empty frame will do either */
			node->open[pair] &= (UINT64_C(1) << node->fresh) - 1;
		else
			node->open[pair] &= ~(UINT64_C(1) << frame);
	}
}

/* Add @pair as several pairs, as many as a frame can take units of it. */
static void load_pair(struct search *search, const struct liquid_fabric *fabric,
		      const struct liquid_pair *pair)
{
	uint32_t path[LIQUID_PATH_MAX];
	uint32_t steps = verify_walk(fabric, pair->src, pair->dst, path), parts = pair->count;

	for (uint32_t i = 0; i < steps; i++)
		if (verify_capacity(fabric, path[i]) < parts)
			parts = verify_capacity(fabric, path[i]);
	for (uint32_t part = 0; part < parts; part++, search->pairs++) {
		search->count[search->pairs] = pair->count / parts + (part < pair->count % parts);
		search->steps[search->pairs] = steps;
		memcpy(search->path + (size_t)search->pairs * LIQUID_PATH_MAX, path,
		       steps * sizeof(*path));
	}
}

/* @most: number of transfers, so at least that of the pairs that load_pair() makes. */
static bool search_load(struct search *search, const struct liquid_fabric *fabric,
			const struct liquid_pair *pairs, size_t count, size_t most)
{
	search->steps = calloc(most, sizeof(*search->steps));
	search->count = calloc(most, sizeof(*search->count));
	search->path = calloc(most, LIQUID_PATH_MAX * sizeof(*search->path));
	search->capacity = calloc(most * LIQUID_PATH_MAX, sizeof(*search->capacity));
	search->least = calloc(most * LIQUID_PATH_MAX, sizeof(*search->least));
	if (!search->steps || !search->count || !search->path || !search->capacity ||
	    !search->least)
		return false;
	for (size_t pair = 0; pair < count; pair++)
		load_pair(search, fabric, &pairs[pair]);
	return true;
}

/* Number the links in use and compute their least loads. VERIFY_NO: a load is too large. */
static enum verify_answer search_links(struct search *search, const struct liquid_fabric *fabric)
{
	uint32_t fabric_links = liquid_fabric_link_count(fabric);
	uint32_t *number = malloc(((size_t)fabric_links + 1) * sizeof(*number));
	enum verify_answer answer = VERIFY_YES;

	if (!number)
		return VERIFY_NO_MEMORY;
	memset(number, 0xff, fabric_links * sizeof(*number));
	for (uint32_t pair = 0; pair < search->pairs; pair++)
		for (uint32_t i = 0; i < search->steps[pair]; i++) {
			uint32_t *link = &search->path[(size_t)pair * LIQUID_PATH_MAX + i];

			if (number[*link] == LIQUID_NONE) {
				search->capacity[search->links] = verify_capacity(fabric, *link);
				number[*link] = search->links++;
			}
			*link = number[*link];
			/* This is the load; what the other frames can carry is subtracted below */
			search->least[*link] += search->count[pair];
		}
	free(number);
	for (uint32_t link = 0; link < search->links; link++) {
		uint64_t others = (uint64_t)search->capacity[link] * (search->frames - 1);

		if (search->least[link] > others + search->capacity[link])
			answer = VERIFY_NO;
		search->least[link] -= search->least[link] > others ? (uint32_t)others :
			search->least[link];
	}
	return answer;
}

static enum verify_answer search_run(struct search *search)
{
	uint64_t all = search->frames == 64 ? UINT64_MAX : (UINT64_C(1) << search->frames) - 1;
	uint32_t *reach = calloc(used_size(search) + 1, sizeof(*reach));
	enum verify_answer answer = VERIFY_NO_MEMORY;
	struct node root = { 0 };

	if (reach && node_new(search, &root, NULL)) {
		memset(root.used, 0, used_size(search) * sizeof(*root.used));
		for (uint32_t pair = 0; pair < search->pairs; pair++) {
			root.open[pair] = all;
			root.placed[pair] = 0;
		}
		answer = search_node(search, &root, reach) ? VERIFY_YES : VERIFY_NO;
		if (search->exhausted)
			answer = VERIFY_UNDECIDED;
		if (search->no_memory)
			answer = VERIFY_NO_MEMORY;
		node_free(&root);
	}
	free(reach);
	return answer;
}

enum verify_answer verify_search(const struct liquid_fabric *fabric,
				 const struct liquid_traffic *traffic, uint32_t frames)
{
	size_t count = liquid_traffic_pair_count(traffic);
	uint64_t transfers = liquid_traffic_transfer_count(traffic);
	struct search search = { .frames = frames };
	enum verify_answer answer = VERIFY_NO_MEMORY;

	if (!count)
		return VERIFY_YES;
	if (transfers > SEARCH_TRANSFERS_MAX || !frames || frames > SEARCH_FRAMES_MAX)
		return VERIFY_UNDECIDED;
	if (search_load(&search, fabric, liquid_traffic_pairs(traffic), count, transfers))
		answer = search_links(&search, fabric);
	if (answer == VERIFY_YES)
		answer = search_run(&search);
	free(search.steps);
	free(search.count);
	free(search.path);
	free(search.capacity);
	free(search.least);
	return answer;
}
