// SPDX-License-Identifier: LGPL-2.1-or-later
/* Annealing: a transfer takes a frame, or turns its tree, and displaces others at a price. */
#include <stdlib.h>
#include <string.h>

#include "problem/grid.h"
#include "problem/random.h"
#include "route/joint.h"
#include "solve/ejection/ejection.h"

/* Of each transfer more that a move puts out, times 2^32: 1 / e^2, falling to 1 / e^4 */
#define CHANCE_FIRST 581260615u
#define CHANCE_STEP 4160760663u
#define STEPS 64
#define TRIES 3				/* for each length */
#define AWAY 12				/* most moves for which a transfer stays out of its frame */
#define ANYWAY 10			/* one of these moves turns though that is no better */
#define BEHIND_MAX 8			/* transfers that may turn together */
#define LINKS_MAX (LIQUID_PATH_MAX + 2)

struct item {
	uint32_t src, dst;		/* hosts */
	uint32_t tree, s;		/* tree and switch of its route; NONE: two links at most */
	uint32_t frame;			/* LIQUID_NONE: it waits */
	uint32_t left;			/* the frame that it was in before */
	uint64_t until;			/* when it may be there again */
};

struct path {
	uint32_t count, link[LINKS_MAX];
};

struct joint {
	struct forest *forest;
	const struct route_graph *graph;
	const struct joint_options *options;
	struct random random;
	struct item *item;		/* by transfer */
	uint32_t items;
	uint32_t *first, *list;		/* by tree and switch: transfers list[first[place]] ... */
	uint32_t frames;
	uint32_t *slot;			/* by link: where its owners begin, in rows */
	uint32_t *owner;		/* by slot and frame: a transfer, or LIQUID_NONE */
	struct ejection table;		/* its cells[]: 0, or the tag of a full link and a 1 */
	uint32_t *waiting, waiting_count;
	uint64_t now;			/* moves so far */
	uint32_t chance;		/* of 2^32 */
	/* Scratch: what turns with a switch, and the way there was from it */
	uint32_t behind[BEHIND_MAX], behind_count;
	uint32_t *stack;		/* of switches */
	uint32_t *stamp, stamps;	/* by switch */
	/* The best so far */
	uint32_t *best_next, *best_frame;
};

/* ---- memory ---- */

static void joint_close(struct joint *joint)
{
	free(joint->item);
	free(joint->first);
	free(joint->list);
	free(joint->slot);
	free(joint->owner);
	free(joint->table.kind->cells);
	free(joint->table.cost);
	free(joint->waiting);
	free(joint->stack);
	free(joint->stamp);
	free(joint->best_next);
	free(joint->best_frame);
}

static bool is_routed(const struct route_graph *graph, const struct joint_options *options,
		      const struct liquid_pair *pair)
{
	return options->tree[pair->dst] != LIQUID_NONE &&
	       graph->source[pair->src] != LIQUID_NONE &&
	       graph->source[pair->src] != graph->home[pair->dst];
}

static void fill_items(struct joint *joint)
{
	const struct joint_options *options = joint->options;
	const struct liquid_pair *pair = liquid_traffic_pairs(options->traffic);
	uint32_t at = 0;

	for (size_t i = 0; i < liquid_traffic_pair_count(options->traffic); i++)
		for (uint32_t k = 0; k < pair[i].count; k++) {
			struct item *item = &joint->item[at++];

			item->src = pair[i].src;
			item->dst = pair[i].dst;
			item->tree = LIQUID_NONE;
			if (!is_routed(joint->graph, options, &pair[i]))
				continue;
			item->tree = options->tree[pair[i].dst];
			item->s = joint->graph->source[pair[i].src];
		}
}

/* Sort the transfers by tree and switch, by counting. */
static void fill_lists(struct joint *joint)
{
	const struct forest *forest = joint->forest;
	size_t places = forest_place(forest, forest->trees, 0);
	uint32_t *first = joint->first;

	for (uint32_t i = 0; i < joint->items; i++)
		if (joint->item[i].tree != LIQUID_NONE)
			first[forest_place(forest, joint->item[i].tree, joint->item[i].s) + 2]++;
	for (size_t place = 0; place < places; place++)
		first[place + 2] += first[place + 1];
	for (uint32_t i = 0; i < joint->items; i++) {
		const struct item *item = &joint->item[i];

		if (item->tree != LIQUID_NONE)
			joint->list[first[forest_place(forest, item->tree, item->s) + 1]++] = i;
	}
}

/* False: no memory. */
static bool open_table(struct joint *joint, uint32_t length)
{
	const struct liquid_fabric *fabric = joint->graph->fabric;
	uint32_t links = liquid_fabric_link_count(fabric), slots = 0;
	uint32_t stride = (length / EJECTION_BLOCK + 1) * EJECTION_BLOCK;

	joint->slot = calloc((size_t)links + 1, sizeof(*joint->slot));
	for (uint32_t link = 0; joint->slot && link < links; link++) {
		slots += liquid_fabric_capacity(fabric, link);
		joint->slot[link + 1] = slots;
	}
	joint->table.once = true;
	joint->table.kind->stride = stride;
	joint->owner = calloc((size_t)slots + 1, stride * sizeof(*joint->owner));
	joint->table.kind->cells = aligned_alloc(64, ((size_t)links + 1) * stride *
						 sizeof(*joint->table.kind->cells));
	joint->table.cost = aligned_alloc(64, stride * sizeof(*joint->table.cost));
	return joint->slot && joint->owner && joint->table.kind->cells && joint->table.cost;
}

static bool joint_open(struct joint *joint, struct forest *forest,
		       const struct joint_options *options, uint32_t length)
{
	const struct liquid_pair *pair = liquid_traffic_pairs(options->traffic);
	size_t places = forest_place(forest, forest->trees, 0), items = 1;

	*joint = (struct joint){
		.forest = forest, .graph = forest->graph, .options = options,
		.random.state = options->seed,
	};
	for (size_t i = 0; i < liquid_traffic_pair_count(options->traffic); i++)
		joint->items += pair[i].count;
	items += joint->items;
	joint->item = calloc(items, sizeof(*joint->item));
	joint->first = calloc(places + 2, sizeof(*joint->first));
	joint->list = calloc(items, sizeof(*joint->list));
	joint->waiting = calloc(items, sizeof(*joint->waiting));
	joint->stack = calloc((size_t)joint->graph->switches + 1, sizeof(*joint->stack));
	joint->stamp = calloc((size_t)joint->graph->switches + 1, sizeof(*joint->stamp));
	joint->best_next = calloc(places + 1, sizeof(*joint->best_next));
	joint->best_frame = calloc(items, sizeof(*joint->best_frame));
	if (!joint->item || !joint->first || !joint->list || !joint->waiting || !joint->stack ||
	    !joint->stamp || !joint->best_next || !joint->best_frame ||
	    !open_table(joint, length))
		return false;
	fill_items(joint);
	fill_lists(joint);
	return true;
}

/* ---- paths ---- */

/* The links of the way of @tree from @s; false: there are too many. */
static bool add_way(const struct joint *joint, struct path *path, uint32_t tree, uint32_t s)
{
	const uint32_t *next = &joint->forest->next[forest_place(joint->forest, tree, 0)];

	for (; next[s] != LIQUID_NONE; s = joint->graph->to[next[s]]) {
		if (path->count == LIQUID_PATH_MAX)
			return false;
		path->link[path->count++] = joint->graph->link[next[s]];
	}
	return true;
}

static void begin_path(const struct joint *joint, struct path *path, uint32_t transfer)
{
	path->count = 1;
	path->link[0] = liquid_fabric_host_out(joint->graph->fabric, joint->item[transfer].src);
}

static void end_path(const struct joint *joint, struct path *path, uint32_t transfer)
{
	uint32_t in = liquid_fabric_host_in(joint->graph->fabric, joint->item[transfer].dst);

	if (in != path->link[0])
		path->link[path->count++] = in;
}

/* The present path of @transfer */
static bool find_path(const struct joint *joint, struct path *path, uint32_t transfer)
{
	const struct item *item = &joint->item[transfer];
	bool fits = true;

	begin_path(joint, path, transfer);
	if (item->tree != LIQUID_NONE)
		fits = add_way(joint, path, item->tree, item->s);
	end_path(joint, path, transfer);
	return fits;
}

/* Its path if its tree turned to @arc. */
static bool find_turned(const struct joint *joint, struct path *path, uint32_t transfer,
			uint32_t arc)
{
	const struct item *item = &joint->item[transfer];
	const struct route_graph *graph = joint->graph;
	const uint32_t *next = &joint->forest->next[forest_place(joint->forest, item->tree, 0)];
	bool fits = true;

	begin_path(joint, path, transfer);
	for (uint32_t s = item->s; s != graph->from[arc] && fits; s = graph->to[next[s]]) {
		fits = path->count < LIQUID_PATH_MAX;
		path->link[path->count++] = graph->link[next[s]];
	}
	path->link[path->count++] = graph->link[arc];
	fits = fits && add_way(joint, path, item->tree, graph->to[arc]);
	end_path(joint, path, transfer);
	return fits;
}

/* ---- the table of links and frames ---- */

static uint32_t capacity(const struct joint *joint, uint32_t link)
{
	return joint->slot[link + 1] - joint->slot[link];
}

static uint32_t *owners(const struct joint *joint, uint32_t link, uint32_t frame)
{
	return &joint->owner[(size_t)joint->slot[link] * joint->table.kind->stride + frame];
}

static uint16_t *cell(const struct joint *joint, uint32_t link, uint32_t frame)
{
	return &joint->table.kind->cells[(size_t)link * joint->table.kind->stride + frame];
}

/* Put @to in the place of @from, an owner of a link: a full link has the first one's tag. */
static void replace(struct joint *joint, uint32_t link, uint32_t frame, uint32_t from, uint32_t to)
{
	uint32_t *owner = owners(joint, link, frame), *at = owner, tag;
	bool full = true;

	while (*at != from)
		at += joint->table.kind->stride;
	*at = to;
	for (uint32_t i = 0; i < capacity(joint, link) && full; i++)
		full = owner[(size_t)i * joint->table.kind->stride] != LIQUID_NONE;
	tag = *owner * 0x9e3779b1u >> (32 - 7);
	*cell(joint, link, frame) = full ? (uint16_t)(tag << EJECTION_WEIGHT_BITS | 1) : 0;
}

static void place(struct joint *joint, uint32_t transfer, const struct path *path, uint32_t frame)
{
	for (uint32_t i = 0; i < path->count; i++)
		replace(joint, path->link[i], frame, LIQUID_NONE, transfer);
	joint->item[transfer].frame = frame;
}

static void vacate(struct joint *joint, uint32_t transfer, const struct path *path)
{
	for (uint32_t i = 0; i < path->count; i++)
		replace(joint, path->link[i], joint->item[transfer].frame, transfer, LIQUID_NONE);
	joint->item[transfer].frame = LIQUID_NONE;
}

static void await_place(struct joint *joint, uint32_t transfer)
{
	joint->waiting[joint->waiting_count++] = transfer;
}

static bool has_room(const struct joint *joint, const struct path *path, uint32_t frame)
{
	for (uint32_t i = 0; i < path->count; i++)
		if (*cell(joint, path->link[i], frame))
			return false;
	return true;
}

/*
 * About how many transfers are in the way of @path in the frame where they are the fewest; not in
 * the one that @transfer has just left.
 */
static uint32_t weigh(struct joint *joint, const struct path *path, uint32_t transfer,
		      uint32_t *frame)
{
	const struct item *item = &joint->item[transfer];
	uint32_t start = random_below(&joint->random, joint->frames), weighed, count;
	uint16_t *left = NULL, before = 0;

	if (item->until > joint->now && item->left < joint->frames) {
		left = cell(joint, path->link[0], item->left);
		before = *left;
		*left |= EJECTION_WEIGHT_MAX;
	}
	joint->table.kind->frames = joint->frames;
	count = ejection_weigh(&joint->table, joint->table.kind, path->link, path->count, start,
			       UINT32_MAX, frame, &weighed);
	if (left)
		*left = before;
	return count;
}

/* ---- moves ---- */

static void put_out(struct joint *joint, uint32_t transfer)
{
	struct item *item = &joint->item[transfer];
	struct path path;

	find_path(joint, &path, transfer);
	item->left = item->frame;
	item->until = joint->now + 1 + random_below(&joint->random, AWAY);
	vacate(joint, transfer, &path);
	await_place(joint, transfer);
}

/* Place @transfer where the fewest are in its way, and put these out. */
static void put_in(struct joint *joint, uint32_t transfer)
{
	struct path path;
	uint32_t frame = 0;

	find_path(joint, &path, transfer);
	weigh(joint, &path, transfer, &frame);
	for (uint32_t i = 0; i < path.count; i++) {
		uint32_t link = path.link[i], at;

		if (!*cell(joint, link, frame))
			continue;
		at = random_below(&joint->random, capacity(joint, link));
		put_out(joint, owners(joint, link, frame)[(size_t)at * joint->table.kind->stride]);
	}
	place(joint, transfer, &path, frame);
}

/* Gather the transfers of @tree from switch @s and those behind it; false: they are too many. */
static bool gather(struct joint *joint, uint32_t tree, uint32_t s)
{
	const struct route_graph *graph = joint->graph;
	const uint32_t *next = &joint->forest->next[forest_place(joint->forest, tree, 0)];
	uint32_t count = 1;

	joint->behind_count = 0;
	joint->stack[0] = s;
	while (count) {
		uint32_t at = joint->stack[--count];
		const uint32_t *first = &joint->first[forest_place(joint->forest, tree, at)];

		if (first[1] - first[0] > BEHIND_MAX - joint->behind_count)
			return false;
		for (uint32_t i = first[0]; i < first[1]; i++)
			joint->behind[joint->behind_count++] = joint->list[i];
		for (uint32_t k = graph->first_in[at]; k < graph->first_in[at + 1]; k++)
			if (next[graph->from[graph->in[k]]] == graph->in[k])
				joint->stack[count++] = graph->from[graph->in[k]];
	}
	return true;
}

/* Mark the switches on the way of @tree from @s on. */
static void mark_way(struct joint *joint, uint32_t tree, uint32_t s)
{
	const uint32_t *next = &joint->forest->next[forest_place(joint->forest, tree, 0)];

	joint->stamps++;
	joint->stamp[s] = joint->stamps;
	while (next[s] != LIQUID_NONE) {
		s = joint->graph->to[next[s]];
		joint->stamp[s] = joint->stamps;
	}
}

static bool has_load_left(const struct joint *joint, uint32_t arc, uint32_t demand)
{
	return joint->forest->load[arc] + demand <=
	       (uint64_t)joint->graph->capacity[arc] * joint->frames;
}

/*
 * The links from @arc on until it meets the way that is marked; false: @tree cannot turn to it, or
 * more would use a link than there are frames.
 */
static bool find_detour(const struct joint *joint, struct path *path, uint32_t tree, uint32_t arc)
{
	const struct forest *forest = joint->forest;
	const struct route_graph *graph = joint->graph;
	const uint32_t *next = &forest->next[forest_place(forest, tree, 0)];
	uint32_t from = graph->from[arc], demand = forest->demand[forest_place(forest, tree, from)];

	if (next[from] == arc)
		return false;
	for (path->count = 0; arc != LIQUID_NONE; arc = next[graph->to[arc]]) {
		if (!has_load_left(joint, arc, demand) || path->count == LIQUID_PATH_MAX)
			return false;
		path->link[path->count++] = graph->link[arc];
		if (joint->stamp[graph->to[arc]] == joint->stamps)
			return graph->to[arc] != from;
	}
	return false;
}

/* How many of the transfers gathered, but @except, no longer fit into their frames by @detour */
static uint32_t count_losers(const struct joint *joint, const struct path *detour, uint32_t except)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < joint->behind_count; i++) {
		const struct item *item = &joint->item[joint->behind[i]];

		count += joint->behind[i] != except && item->frame != LIQUID_NONE &&
			 !has_room(joint, detour, item->frame);
	}
	return count;
}

/*
 * The turn of its tree after which the fewest are put out for @transfer; LIQUID_NONE: none has
 * fewer than *@count, which is set.
 */
static uint32_t find_turn(struct joint *joint, uint32_t transfer, uint32_t *count)
{
	const struct joint_options *options = joint->options;
	const struct route_graph *graph = joint->graph;
	uint32_t tree = joint->item[transfer].tree, best = LIQUID_NONE, frame;
	const uint32_t *next = &joint->forest->next[forest_place(joint->forest, tree, 0)];

	for (uint32_t s = joint->item[transfer].s; next[s] != LIQUID_NONE && *count;
	     s = graph->to[next[s]]) {
		if (!gather(joint, tree, s))
			break;
		mark_way(joint, tree, s);
		for (uint32_t arc = graph->first[s]; arc < graph->first[s + 1]; arc++) {
			struct path detour, path;
			uint32_t lost;

			if (!find_detour(joint, &detour, tree, arc) ||
			    !find_turned(joint, &path, transfer, arc) ||
			    (options->stretch &&
			     !stretch_allows(options->stretch, joint->forest, tree, arc)))
				continue;
			lost = weigh(joint, &path, transfer, &frame);
			if (lost < *count)
				lost += count_losers(joint, &detour, transfer);
			if (lost >= *count)
				continue;
			*count = lost;
			best = arc;
		}
	}
	return best;
}

/* Turn @tree to @arc; its transfers behind that keep their frames where they fit. */
static void turn(struct joint *joint, uint32_t tree, uint32_t arc)
{
	uint32_t frame[BEHIND_MAX];
	struct path path;

	gather(joint, tree, joint->graph->from[arc]);
	for (uint32_t i = 0; i < joint->behind_count; i++) {
		uint32_t transfer = joint->behind[i];

		frame[i] = joint->item[transfer].frame;
		if (frame[i] == LIQUID_NONE)
			continue;
		find_path(joint, &path, transfer);
		vacate(joint, transfer, &path);
	}
	forest_move(joint->forest, tree, arc);	/* where that closes a circle, nothing turns */
	for (uint32_t i = 0; i < joint->behind_count; i++) {
		uint32_t transfer = joint->behind[i];

		if (frame[i] == LIQUID_NONE)
			continue;
		if (find_path(joint, &path, transfer) && has_room(joint, &path, frame[i]))
			place(joint, transfer, &path, frame[i]);
		else
			await_place(joint, transfer);
	}
}

/* A move puts one in, and may put out @count. */
static bool accepts(struct joint *joint, uint32_t count)
{
	uint64_t chance = UINT64_C(1) << 32;

	while (chance && count-- > 1)
		chance = chance * joint->chance >> 32;
	return chance >> 32 || random_next(&joint->random) >> 32 < chance;
}

static void move(struct joint *joint, uint32_t transfer)
{
	uint32_t frame, count, turned, arc = LIQUID_NONE;
	struct path path;

	joint->now++;
	find_path(joint, &path, transfer);
	count = turned = weigh(joint, &path, transfer, &frame);
	if (count && joint->item[transfer].tree != LIQUID_NONE) {
		turned += !random_below(&joint->random, ANYWAY);
		arc = find_turn(joint, transfer, &turned);
	}
	if (!accepts(joint, arc == LIQUID_NONE ? count : turned)) {
		await_place(joint, transfer);
		return;
	}
	if (arc != LIQUID_NONE)
		turn(joint, joint->item[transfer].tree, arc);
	put_in(joint, transfer);
}

static uint32_t take_waiting(struct joint *joint)
{
	uint32_t at = random_below(&joint->random, joint->waiting_count);
	uint32_t transfer = joint->waiting[at];

	joint->waiting[at] = joint->waiting[--joint->waiting_count];
	return transfer;
}

/* ---- lengths ---- */

/* Make the emptiest frame of the best schedule its last one. */
static void empty_last(struct joint *joint)
{
	uint32_t *size = joint->waiting, least = 0, last = joint->frames;

	memset(size, 0, ((size_t)last + 1) * sizeof(*size));
	for (uint32_t i = 0; i < joint->items; i++)
		size[joint->best_frame[i]]++;
	for (uint32_t frame = 1; frame <= last; frame++)
		least = size[frame] < size[least] ? frame : least;
	for (uint32_t i = 0; i < joint->items; i++) {
		uint32_t *frame = &joint->best_frame[i];

		*frame = *frame == least ? last : *frame == last ? least : *frame;
	}
}

/* No transfer is ever placed in the frames that fill the last block. */
static void close_padding(struct joint *joint)
{
	for (uint32_t link = 0; link < liquid_fabric_link_count(joint->graph->fabric); link++)
		for (uint32_t frame = joint->frames; frame % EJECTION_BLOCK; frame++)
			*cell(joint, link, frame) = (uint16_t)(link << EJECTION_WEIGHT_BITS |
							       EJECTION_WEIGHT_MAX);
}

/* Let all transfers of the first joint->frames frames of the best stay there; the others wait. */
static void lay_out(struct joint *joint)
{
	size_t links = liquid_fabric_link_count(joint->graph->fabric);
	size_t stride = joint->table.kind->stride;
	struct path path;

	memset(joint->owner, 0xff, joint->slot[links] * stride * sizeof(*joint->owner));
	memset(joint->table.kind->cells, 0, links * stride * sizeof(*joint->table.kind->cells));
	close_padding(joint);
	joint->waiting_count = 0;
	for (uint32_t i = 0; i < joint->items; i++) {
		joint->item[i].frame = LIQUID_NONE;
		find_path(joint, &path, i);
		if (joint->best_frame[i] < joint->frames)
			place(joint, i, &path, joint->best_frame[i]);
		else
			await_place(joint, i);
	}
}

static void keep(struct joint *joint)
{
	const struct forest *forest = joint->forest;

	memcpy(joint->best_next, forest->next,
	       forest_place(forest, forest->trees, 0) * sizeof(*joint->best_next));
	for (uint32_t i = 0; i < joint->items; i++)
		joint->best_frame[i] = joint->item[i].frame;
}

static void return_to_best(struct joint *joint)
{
	struct forest *forest = joint->forest;

	for (uint32_t tree = 0; tree < forest->trees; tree++)
		forest_fell(forest, tree);
	memcpy(forest->next, joint->best_next,
	       forest_place(forest, forest->trees, 0) * sizeof(*joint->best_next));
	for (uint32_t tree = 0; tree < forest->trees; tree++)
		forest_plant(forest, tree);	/* has no circle, as before */
}

/* All into a frame less than the best has; false: some wait in the end. */
static bool anneal(struct joint *joint)
{
	joint->chance = CHANCE_FIRST;
	for (uint32_t step = 0; step < STEPS && joint->waiting_count; step++) {
		for (uint64_t i = 0; i <= joint->options->moves / STEPS && joint->waiting_count;
		     i++)
			move(joint, take_waiting(joint));
		joint->chance = (uint32_t)((uint64_t)joint->chance * CHANCE_STEP >> 32);
	}
	return !joint->waiting_count;
}

/* Make the best schedule one of @frames frames; false: some transfers wait in the end. */
static bool try_shorter(struct joint *joint, uint32_t frames)
{
	joint->frames = frames;
	empty_last(joint);
	lay_out(joint);
	if (anneal(joint)) {
		keep(joint);
		return true;
	}
	return_to_best(joint);
	return false;
}

static bool is_too_large(const struct liquid_fabric *fabric, uint32_t length)
{
	uint64_t bytes = 0;

	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++)
		bytes += 4 * (uint64_t)liquid_fabric_capacity(fabric, link) + 2;
	return bytes * (length + EJECTION_BLOCK) > GRID_BYTES_MAX;
}

bool joint_run(struct forest *forest, const struct joint_options *options, uint32_t *frame,
	       uint32_t *length)
{
	struct joint joint;
	uint32_t tries = 0;
	bool done;

	if (is_too_large(forest->graph->fabric, *length))
		return true;
	done = joint_open(&joint, forest, options, *length);

	if (done) {
		memcpy(joint.best_next, forest->next,
		       forest_place(forest, forest->trees, 0) * sizeof(*joint.best_next));
		memcpy(joint.best_frame, frame, joint.items * sizeof(*frame));
		while (tries < TRIES && *length > options->least) {
			if (try_shorter(&joint, *length - 1)) {
				--*length;
				tries = 0;
			} else {
				tries++;
			}
		}
		memcpy(frame, joint.best_frame, joint.items * sizeof(*frame));
	}
	joint_close(&joint);
	return done;
}
