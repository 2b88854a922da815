// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From frames of units back to transfers, by edge colouring
 *
 * Each entry of the plan gets a receiver and a sender of its unit's groups. For each group of
 * receivers, the frames on one side and the groups of senders on the other (each split into
 * vertices of as many entries as there are receivers) form a bipartite multigraph; a colour is
 * a receiver. Then for each group of senders, the frames and the receivers form one; a colour is
 * a sender. If a host takes c transfers in a frame, a frame is split into up to c vertices, and
 * a colour occurs once in each. The colouring needs all pairs of two groups; so self pairs,
 * which no traffic has, are put into an extra frame. Twins are then renamed so that each pair
 * in this frame is a self pair, and the frame is dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/edge-colour.h"
#include "solve/symmetry/quotient.h"

/* Entries of the plan and of the self frame, which has number plan->frames. */
struct expansion {
	const struct routes *routes;
	const struct quotient *quotient;
	struct konig konig;
	uint32_t entries, frames;
	uint32_t *frame, *unit;
	uint32_t *sender, *receiver;	/* by entry: its hosts */
	uint32_t *order;		/* entries sorted by group */
	uint32_t *begin;		/* by group: its first entry in order[] */
	uint32_t *member, *member_begin;	/* hosts sorted by group; by group: first of them */
	uint32_t *left, *right, *colour;	/* by edge of the graph of one group */
	uint32_t *used, *vertex;	/* by unit or host: entries so far, current vertex */
	uint32_t *taken, *part;		/* by frame: the same, if it is split */
};

static void expansion_clear(struct expansion *e)
{
	konig_clear(&e->konig);
	free(e->frame);
	free(e->unit);
	free(e->sender);
	free(e->receiver);
	free(e->order);
	free(e->begin);
	free(e->member);
	free(e->member_begin);
	free(e->left);
	free(e->right);
	free(e->colour);
	free(e->used);
	free(e->vertex);
	free(e->taken);
	free(e->part);
}

static uint32_t *words(uint64_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

static bool expansion_init(struct expansion *e, const struct quotient *quotient,
			   const struct unit_plan *plan)
{
	uint32_t groups = (quotient->senders > quotient->receivers ? quotient->senders :
			   quotient->receivers) + 1;
	uint32_t units = quotient->units.pair_count;
	uint32_t u, vertices = units > quotient->hosts ? units : quotient->hosts;
	uint64_t entries = plan->entries;

	for (u = 0; u < units; u++)
		entries += quotient->self[u];
	e->quotient = quotient;
	e->frames = plan->frames + 1;
	e->frame = words(entries);
	e->unit = words(entries);
	e->sender = words(entries);
	e->receiver = words(entries);
	e->order = words(entries);
	e->begin = words(groups);
	e->member = words(quotient->hosts);
	e->member_begin = words(groups);
	e->left = words(entries);
	e->right = words(entries);
	e->colour = words(entries);
	e->used = words(vertices);
	e->vertex = words(vertices);
	e->taken = words(e->frames);
	e->part = words(e->frames);
	return e->frame && e->unit && e->sender && e->receiver && e->order && e->begin &&
	       e->member && e->member_begin && e->left && e->right && e->colour && e->used &&
	       e->vertex && e->taken && e->part;
}

/* Sort the entries by frame: then most edges can be coloured without changing others. */
static void list_entries(struct expansion *e, const struct unit_plan *plan)
{
	const struct quotient *quotient = e->quotient;
	uint32_t i, u, k;

	memcpy(e->frame, plan->frame, plan->entries * sizeof(*e->frame));
	memcpy(e->unit, plan->unit, plan->entries * sizeof(*e->unit));
	i = plan->entries;
	for (u = 0; u < quotient->units.pair_count; u++)
		for (k = 0; k < quotient->self[u]; k++) {
			e->frame[i] = plan->frames;
			e->unit[i++] = u;
		}
	e->entries = i;
}

/* Counting sort of the entries by a group of their unit. */
static void sort_entries(struct expansion *e, bool receivers, uint32_t groups)
{
	const struct liquid_pair *pairs = e->quotient->units.pairs;
	uint32_t *group = e->left, i, g;

	memset(e->begin, 0, (groups + 1) * sizeof(*e->begin));
	for (i = 0; i < e->entries; i++) {
		group[i] = receivers ? pairs[e->unit[i]].dst : pairs[e->unit[i]].src;
		e->begin[group[i] + 1]++;
	}
	for (g = 0; g < groups; g++)
		e->begin[g + 1] += e->begin[g];
	for (i = 0; i < e->entries; i++)
		e->order[e->begin[group[i]]++] = i;
	for (g = groups; g; g--)
		e->begin[g] = e->begin[g - 1];
	e->begin[0] = 0;
}

static void list_members(struct expansion *e, const uint32_t *group, uint32_t groups)
{
	uint32_t hosts = e->quotient->hosts, h, g;

	memset(e->member_begin, 0, (groups + 1) * sizeof(*e->member_begin));
	for (h = 0; h < hosts; h++)
		if (group[h] != LIQUID_NONE)
			e->member_begin[group[h] + 1]++;
	for (g = 0; g < groups; g++)
		e->member_begin[g + 1] += e->member_begin[g];
	for (h = 0; h < hosts; h++)
		if (group[h] != LIQUID_NONE)
			e->member[e->member_begin[group[h]]++] = h;
	for (g = groups; g; g--)
		e->member_begin[g] = e->member_begin[g - 1];
	e->member_begin[0] = 0;
}

/* The vertex of the next entry of @frame; a new vertex begins after every @size entries. */
static uint32_t part_of(struct expansion *e, uint32_t frame, uint32_t size, uint32_t *lefts)
{
	uint32_t entry = e->taken[frame]++;

	if (entry % size == 0)
		e->part[frame] = entry ? (*lefts)++ : frame;
	return e->part[frame];
}

/*
 * Choose one end of each entry of group @g, which has @size members that take @limit transfers
 * in a frame each. A right vertex is a @key of entries (unit or receiver); a new vertex begins
 * after every @size entries of a key.
 */
static bool colour_group(struct expansion *e, uint32_t g, uint32_t size, uint32_t limit,
			 const uint32_t *key, uint32_t *host)
{
	const uint32_t *order = e->order + e->begin[g];
	const uint32_t *member = e->member + e->member_begin[g];
	uint32_t edges = e->begin[g + 1] - e->begin[g], lefts = e->frames, rights = 0, i;
	struct konig_graph graph = { .left = e->left, .right = e->right };

	if (limit > 1)
		memset(e->taken, 0, e->frames * sizeof(*e->taken));
	for (i = 0; i < edges; i++) {
		uint32_t k = key[order[i]];

		if (e->used[k]++ % size == 0)
			e->vertex[k] = rights++;
		e->left[i] = limit > 1 ? part_of(e, e->frame[order[i]], size, &lefts) :
			e->frame[order[i]];
		e->right[i] = e->vertex[k];
	}
	graph.edges = edges;
	graph.lefts = lefts;
	graph.rights = rights;
	if (!konig_colour(&e->konig, &graph, size, e->colour))
		return false;
	for (i = 0; i < edges; i++)
		host[order[i]] = member[e->colour[i]];
	return true;
}

static bool name_receivers(struct expansion *e)
{
	const struct quotient *q = e->quotient;
	uint32_t g;

	sort_entries(e, true, q->receivers);
	list_members(e, q->receiver_group, q->receivers);
	memset(e->used, 0, q->units.pair_count * sizeof(*e->used));
	for (g = 0; g < q->receivers; g++)
		if (!colour_group(e, g, q->receiver_size[g], q->receiver_limit[g], e->unit,
				  e->receiver))
			return false;
	return true;
}

static bool name_senders(struct expansion *e)
{
	const struct quotient *q = e->quotient;
	uint32_t g;

	sort_entries(e, false, q->senders);
	list_members(e, q->sender_group, q->senders);
	for (g = 0; g < q->senders; g++) {
		memset(e->used, 0, q->hosts * sizeof(*e->used));
		if (!colour_group(e, g, q->sender_size[g], q->sender_limit[g], e->receiver,
				  e->sender))
			return false;
	}
	return true;
}

/* Hosts without a new name get the remaining names of their group, in order. */
static void complete_renaming(const uint32_t *group, uint32_t hosts, uint32_t *rename,
			      uint32_t *taken, uint32_t *next)
{
	uint32_t h, to;

	for (h = 0; h < hosts; h++)
		if (rename[h] != LIQUID_NONE)
			taken[rename[h]] = 1;
	for (h = 0; h < hosts; h++) {
		if (group[h] == LIQUID_NONE || rename[h] != LIQUID_NONE)
			continue;
		for (to = next[group[h]]; taken[to] || group[to] != group[h]; to++)
			;
		next[group[h]] = to + 1;
		rename[h] = to;
	}
}

/* The next host, from @from on, that is in both groups of @unit. */
static uint32_t next_common(const struct quotient *q, uint32_t unit, uint32_t from)
{
	while (q->sender_group[from] != q->units.pairs[unit].src ||
	       q->receiver_group[from] != q->units.pairs[unit].dst)
		from++;
	return from;
}

/*
 * The self frame has as many entries of a unit as there are hosts in both of its groups: the
 * sender and the receiver of each such entry get the name of one of these hosts.
 */
static void rename_ends(struct expansion *e, uint32_t *sender_name, uint32_t *receiver_name,
			uint32_t *cursor)
{
	uint32_t i, to;

	for (i = 0; i < e->entries; i++) {
		if (e->frame[i] != e->frames - 1)
			continue;
		to = next_common(e->quotient, e->unit[i], cursor[e->unit[i]]);
		cursor[e->unit[i]] = to + 1;
		sender_name[e->sender[i]] = to;
		receiver_name[e->receiver[i]] = to;
	}
}

static bool settle_self(struct expansion *e)
{
	const struct quotient *q = e->quotient;
	uint32_t *name[2] = { words(q->hosts), words(q->hosts) };
	uint32_t *taken[2] = { words(q->hosts), words(q->hosts) };
	uint32_t *next[2] = { words(q->senders), words(q->receivers) };
	uint32_t *cursor = words(q->units.pair_count), i, side;
	bool memory = name[0] && name[1] && taken[0] && taken[1] && next[0] && next[1] && cursor;

	if (memory) {
		memset(name[0], 0xff, q->hosts * sizeof(**name));
		memset(name[1], 0xff, q->hosts * sizeof(**name));
		rename_ends(e, name[0], name[1], cursor);
		complete_renaming(q->sender_group, q->hosts, name[0], taken[0], next[0]);
		complete_renaming(q->receiver_group, q->hosts, name[1], taken[1], next[1]);
		for (i = 0; i < e->entries; i++) {
			e->sender[i] = name[0][e->sender[i]];
			e->receiver[i] = name[1][e->receiver[i]];
		}
	}
	for (side = 0; side < 2; side++) {
		free(name[side]);
		free(taken[side]);
		free(next[side]);
	}
	free(cursor);
	return memory;
}

/* Sort the entries by sender, so that the pairs of one sender can be looked up in a table. */
static bool sort_by_sender(struct expansion *e)
{
	uint32_t hosts = e->quotient->hosts, i, h;
	uint32_t *begin = words(hosts + 1);

	if (!begin)
		return false;
	for (i = 0; i < e->entries; i++)
		begin[e->sender[i] + 1]++;
	for (h = 0; h < hosts; h++)
		begin[h + 1] += begin[h];
	for (i = 0; i < e->entries; i++)
		e->order[begin[e->sender[i]]++] = i;
	free(begin);
	return true;
}

/* Fill in frame[] by transfer: the frames of the plan, then their repetitions. */
static bool fill_frames(struct expansion *e, uint32_t *frame)
{
	const struct routes *routes = e->routes;
	uint32_t *pair_of = e->used, *cursor = words(routes->pair_count);
	uint32_t length = e->frames - 1, repeat = e->quotient->repeat;
	uint32_t i = 0, k, p = 0, src, transfer;

	if (!cursor)
		return false;
	memset(pair_of, 0xff, e->quotient->hosts * sizeof(*pair_of));
	while (i < e->entries) {
		src = e->sender[e->order[i]];
		for (; p < routes->pair_count && routes->pairs[p].src <= src; p++)
			if (routes->pairs[p].src == src)
				pair_of[routes->pairs[p].dst] = p;
		for (; i < e->entries && e->sender[e->order[i]] == src; i++) {
			uint32_t entry = e->order[i], pair = pair_of[e->receiver[entry]];

			if (e->frame[entry] == length)
				continue;
			transfer = routes->first_transfer[pair] + cursor[pair];
			for (k = 0; k < repeat; k++)
				frame[transfer + k] = k * length + e->frame[entry];
			cursor[pair] += repeat;
		}
	}
	free(cursor);
	return true;
}

static bool expand(const struct routes *routes, const struct quotient *quotient,
		   const struct unit_plan *plan, uint32_t *frame)
{
	struct expansion e = { .routes = routes_whole(routes) };
	bool done = expansion_init(&e, quotient, plan);

	if (done) {
		list_entries(&e, plan);
		done = name_receivers(&e) && name_senders(&e) && settle_self(&e) &&
		       sort_by_sender(&e) && fill_frames(&e, frame);
	}
	expansion_clear(&e);
	return done;
}

int quotient_offer(struct solving *solving, const struct quotient *quotient,
		   const struct unit_plan *plan, struct liquid_error *err)
{
	const struct routes *routes = solving->routes;
	uint32_t *frame = malloc(((size_t)routes->transfer_count + 1) * sizeof(*frame));
	int status;

	if (frame && expand(routes, quotient, plan, frame))
		status = solving_offer(solving, frame, plan->frames * quotient->repeat, err);
	else
		status = liquid_fail(err, LIQUID_NO_MEMORY,
				     "no memory to expand %u frames of groups", plan->frames);
	free(frame);
	return status;
}
