// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ordering hosts so that neighbours in the order are close in the fabric, and counting the
 * frames of a shift exchange in a given order
 *
 * Hosts of a switch are ordered by its ports. The next switch is the nearest one that was not
 * visited. So in a tree, all switches of a subtree come before those of the next.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "traffic/ranks.h"

/* Where a host is connected. */
struct attachment {
	uint32_t host;
	uint32_t sw;			/* switch to which the host is connected, or LIQUID_NONE */
	uint32_t port;			/* port of that switch */
	uint32_t order;			/* position of that switch in the order of switches */
};

struct walk {
	const struct liquid_fabric *fabric;
	uint32_t *first;		/* by switch: index of its first neighbour in next[] */
	uint32_t *next;			/* neighbours of all switches */
	uint32_t *distance;		/* by switch: links from the start of nearest() */
	uint32_t *queue;
	uint32_t *order;		/* by switch: position; LIQUID_NONE: not visited */
	bool *wanted;			/* by switch: it has one of the hosts */
};

static bool joins_switches(const struct liquid_fabric *fabric, const struct liquid_link *link)
{
	return link->from >= fabric->hosts && link->to >= fabric->hosts;
}

static void fill_neighbours(struct walk *walk)
{
	const struct liquid_fabric *fabric = walk->fabric;
	uint32_t *at = walk->queue;	/* not in use before the walk begins */

	for (uint32_t l = 0; l < fabric->links; l++)
		if (joins_switches(fabric, &fabric->link[l]))
			walk->first[fabric->link[l].from - fabric->hosts + 1]++;
	for (uint32_t s = 0; s < fabric->switches; s++)
		walk->first[s + 1] += walk->first[s];
	memcpy(at, walk->first, fabric->switches * sizeof(*at));
	for (uint32_t l = 0; l < fabric->links; l++)
		if (joins_switches(fabric, &fabric->link[l]))
			walk->next[at[fabric->link[l].from - fabric->hosts]++] =
				fabric->link[l].to - fabric->hosts;
}

static void walk_clear(struct walk *walk)
{
	free(walk->first);
	free(walk->next);
	free(walk->distance);
	free(walk->queue);
	free(walk->order);
	free(walk->wanted);
}

static int walk_open(struct walk *walk, const struct liquid_fabric *fabric,
		     struct liquid_error *err)
{
	size_t switches = (size_t)fabric->switches + 1;

	*walk = (struct walk){
		.fabric = fabric,
		.first = calloc(switches + 1, sizeof(uint32_t)),
		.next = calloc((size_t)fabric->links + 1, sizeof(uint32_t)),
		.distance = calloc(switches, sizeof(uint32_t)),
		.queue = calloc(switches, sizeof(uint32_t)),
		.order = malloc(switches * sizeof(uint32_t)),
		.wanted = calloc(switches, sizeof(bool)),
	};
	if (!walk->first || !walk->next || !walk->distance || !walk->queue || !walk->order ||
	    !walk->wanted) {
		walk_clear(walk);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the order of %u switches",
				   fabric->switches);
	}
	memset(walk->order, 0xff, switches * sizeof(uint32_t));
	fill_neighbours(walk);
	return LIQUID_OK;
}

/*
 * Find by breadth-first search the nearest switch from @sw that is wanted and was not visited;
 * among equally near ones, that with the lowest number. LIQUID_NONE: there is none.
 */
static uint32_t nearest(struct walk *walk, uint32_t sw)
{
	uint32_t head = 0, tail = 0, found = LIQUID_NONE;

	memset(walk->distance, 0xff, walk->fabric->switches * sizeof(*walk->distance));
	walk->distance[sw] = 0;
	walk->queue[tail++] = sw;
	while (head < tail) {
		uint32_t at = walk->queue[head++];

		if (found != LIQUID_NONE && walk->distance[at] > walk->distance[found])
			break;
		if (walk->wanted[at] && walk->order[at] == LIQUID_NONE &&
		    (found == LIQUID_NONE || at < found))
			found = at;
		for (uint32_t i = walk->first[at]; i < walk->first[at + 1]; i++) {
			uint32_t to = walk->next[i];

			if (walk->distance[to] != LIQUID_NONE)
				continue;
			walk->distance[to] = walk->distance[at] + 1;
			walk->queue[tail++] = to;
		}
	}
	return found;
}

/* Visit all switches that are wanted. */
static void visit_switches(struct walk *walk)
{
	uint32_t switches = walk->fabric->switches, order = 0, at = LIQUID_NONE;

	for (uint32_t start = 0; start < switches; start++) {
		if (!walk->wanted[start] || walk->order[start] != LIQUID_NONE)
			continue;
		/* The next connected part of the fabric begins here */
		for (at = start; at != LIQUID_NONE; at = nearest(walk, at))
			walk->order[at] = order++;
	}
}

static int compare_attachments(const void *a, const void *b)
{
	const struct attachment *left = a, *right = b;

	if (left->order != right->order)
		return left->order < right->order ? -1 : 1;
	if (left->port != right->port)
		return left->port < right->port ? -1 : 1;
	return left->host < right->host ? -1 : left->host > right->host;
}

static void find_attachment(const struct liquid_fabric *fabric, uint32_t host,
			    struct attachment *at)
{
	uint32_t link = liquid_fabric_host_out(fabric, host);

	*at = (struct attachment){ .host = host, .sw = LIQUID_NONE };
	/* A host without an outgoing link counts at the switch of its incoming link */
	if (link != LIQUID_NONE && fabric->link[link].to >= fabric->hosts) {
		at->sw = fabric->link[link].to - fabric->hosts;
		at->port = fabric->link[link].to_port;
		return;
	}
	link = liquid_fabric_host_in(fabric, host);
	if (link != LIQUID_NONE && fabric->link[link].from >= fabric->hosts) {
		at->sw = fabric->link[link].from - fabric->hosts;
		at->port = fabric->link[link].from_port;
	}
}

int ranks_order_switches(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count,
			 struct liquid_error *err)
{
	struct attachment *list;
	struct walk walk;
	int status = walk_open(&walk, fabric, err);

	if (status)
		return status;
	list = calloc(count + 1, sizeof(*list));
	if (!list) {
		walk_clear(&walk);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %zu hosts", count);
	}
	for (size_t i = 0; i < count; i++) {
		find_attachment(fabric, hosts[i], &list[i]);
		if (list[i].sw != LIQUID_NONE)
			walk.wanted[list[i].sw] = true;
	}
	visit_switches(&walk);
	for (size_t i = 0; i < count; i++)
		list[i].order = list[i].sw == LIQUID_NONE ? LIQUID_NONE :
							      walk.order[list[i].sw];
	qsort(list, count, sizeof(*list), compare_attachments);
	for (size_t i = 0; i < count; i++)
		hosts[i] = list[i].host;
	free(list);
	walk_clear(&walk);
	return LIQUID_OK;
}

/* Compute the frames of a step of the exchange: the largest load / capacity, rounded up. */
static int step_frames(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t count,
		       size_t step, uint32_t *load, uint32_t *most, struct liquid_error *err)
{
	uint32_t path[LIQUID_PATH_MAX];

	memset(load, 0, fabric->links * sizeof(*load));
	*most = 0;
	for (size_t i = 0; i < count; i++) {
		int length = liquid_fabric_route(fabric, host_at(hosts, i),
						 host_at(hosts, (i + step) % count), path, err);

		if (length < 0)
			return length;
		for (int l = 0; l < length; l++) {
			uint32_t capacity = liquid_fabric_capacity(fabric, path[l]);
			uint32_t frames = (++load[path[l]] + capacity - 1) / capacity;

			*most = frames > *most ? frames : *most;
		}
	}
	return LIQUID_OK;
}

int liquid_ranks_shift_frames(const struct liquid_fabric *fabric, const uint32_t *hosts,
			      size_t count, uint64_t *frames, struct liquid_error *err)
{
	uint32_t *load = calloc((size_t)fabric->links + 1, sizeof(*load));
	uint32_t most;
	int status = load ? LIQUID_OK : liquid_no_memory(err);

	*frames = 0;
	for (size_t step = 1; step < count && !status; step++) {
		status = step_frames(fabric, hosts, count, step, load, &most, err);
		*frames += most;
	}
	free(load);
	return status;
}
