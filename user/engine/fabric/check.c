// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checking the routes of a finished fabric, from all switches to each host
 *
 * The entries for a host make trees, which a walk goes through. Hosts of a switch are mostly as far
 * from everywhere as the first of them, whatever their ways. So the others are not walked to, but
 * proven by one look at each entry: it must lead to a node that is one link nearer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "fabric/fabric.h"

/* Number of links from a switch to the current destination, or one of these states */
enum { WALK_UNKNOWN = 0, WALK_DEAD = UINT16_MAX, WALK_HERE = UINT16_MAX - 1 };

struct walk {
	const uint32_t *to;		/* see fabric_find_next() */
	uint32_t *next;
	uint16_t *distance;		/* by switch */
	uint32_t *stack;
	uint32_t depth;
};

static int refuse_loop(const struct liquid_fabric *fabric, uint32_t dst, uint32_t sw,
		       struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "the route to host %s loops through switch %s",
			   fabric->host[dst].name, fabric->sw[sw].name);
}

static int walk_back(const struct liquid_fabric *fabric, uint32_t dst, uint32_t distance,
		     struct walk *walk, struct liquid_error *err)
{
	while (walk->depth) {
		uint32_t sw = walk->stack[--walk->depth];

		/* A whole route also has the sender's own link */
		if (distance != WALK_DEAD && ++distance >= LIQUID_PATH_MAX)
			return liquid_fail(err, LIQUID_BAD_INPUT, "the route from switch %s to "
					   "host %s has more than %d links", fabric->sw[sw].name,
					   fabric->host[dst].name, LIQUID_PATH_MAX - 1);
		walk->distance[sw] = (uint16_t)distance;
	}
	return LIQUID_OK;
}

static int walk_from(const struct liquid_fabric *fabric, uint32_t dst, uint32_t sw,
		     struct walk *walk, struct liquid_error *err)
{
	while (walk->distance[sw] == WALK_UNKNOWN) {
		walk->distance[sw] = WALK_HERE;
		walk->stack[walk->depth++] = sw;
		if (walk->next[sw] == NEAR_NOTHING)
			return walk_back(fabric, dst, WALK_DEAD, walk, err);
		if (walk->next[sw] == NEAR_HOST)
			return walk_back(fabric, dst, 0, walk, err);
		sw = walk->next[sw] - NEAR_SWITCHES;
	}
	if (walk->distance[sw] == WALK_HERE)
		return refuse_loop(fabric, dst, sw, err);
	return walk_back(fabric, dst, walk->distance[sw], walk, err);
}

static int walk_to(const struct liquid_fabric *fabric, uint32_t dst, struct walk *walk,
		   struct liquid_error *err)
{
	int status = LIQUID_OK;

	/* All at once, because each is far from the others in memory */
	fabric_find_next(fabric, dst, walk->to, walk->next);
	memset(walk->distance, 0, fabric->switches * sizeof(*walk->distance));
	walk->depth = 0;
	for (uint32_t s = 0; s < fabric->switches && !status; s++)
		status = walk_from(fabric, dst, s, walk, err);
	return status;
}

/* ---- the other hosts of a switch ---- */

#define LANES 64u			/* hosts that are looked at side by side */
#define NEAR_DEAD UINT8_MAX

_Static_assert(LIQUID_PATH_MAX < NEAR_DEAD, "no distance is taken for that of a dead end");

struct trees {
	const struct liquid_fabric *fabric;
	uint32_t *to;			/* see fabric_find_next() */
	uint32_t *order;		/* hosts, those of a switch one after the other */
	struct part {
		struct walk walk;
		uint8_t *near;		/* see fabric_compare_near() */
		uint8_t wrong[LANES];
		bool right;
	} *part;			/* of the hosts, for each thread */
};

/* The switch before @host; all that have none count as those of one more. */
static uint32_t switch_before(const struct liquid_fabric *fabric, uint32_t host)
{
	uint32_t in = liquid_fabric_host_in(fabric, host);
	uint32_t from = in == LIQUID_NONE ? 0 : fabric->link[in].from;

	return from < fabric->hosts ? fabric->switches : from - fabric->hosts;
}

/* By counting; @first has two entries more than there are switches, all 0. */
static void order_hosts(const struct liquid_fabric *fabric, uint32_t *first, uint32_t *order)
{
	for (uint32_t h = 0; h < fabric->hosts; h++)
		first[switch_before(fabric, h) + 1]++;
	for (uint32_t s = 0; s < fabric->switches; s++)
		first[s + 1] += first[s];
	for (uint32_t h = 0; h < fabric->hosts; h++)
		order[first[switch_before(fabric, h)]++] = h;
}

static void find_ends(const struct liquid_fabric *fabric, uint32_t *to)
{
	for (uint32_t s = 0; s < fabric->switches; s++) {
		*to++ = NEAR_NOTHING;
		for (uint32_t n = 0; n < fabric->sw[s].outs; n++) {
			uint32_t end = fabric->link[fabric->sw[s].out[n]].to;

			*to++ = end < fabric->hosts ? NEAR_HOST :
				NEAR_SWITCHES + end - fabric->hosts;
		}
	}
}

/* What is as far from everywhere as the host that the walk went to? */
static void compare_hosts(const struct liquid_fabric *fabric, const uint32_t *host, uint32_t count,
			  struct part *part)
{
	uint8_t *near = part->near;
	const uint32_t *to = part->walk.to;

	near[NEAR_HOST] = 0;
	near[NEAR_NOTHING] = NEAR_DEAD - 1;	/* so that what leads nowhere is one farther */
	for (uint32_t s = 0; s < fabric->switches; s++)
		near[NEAR_SWITCHES + s] = (uint8_t)part->walk.distance[s];
	memset(part->wrong, 0, count);
	for (uint32_t s = 0; s < fabric->switches; s++) {
		fabric_compare_near(fabric, s, host, count, to, near, part->wrong);
		to += fabric->sw[s].outs + 1;
	}
}

/* Are all routes to @count hosts of a switch right? */
static bool are_right(const struct liquid_fabric *fabric, const uint32_t *host, uint32_t count,
		      struct part *part)
{
	struct liquid_error err;
	int status = walk_to(fabric, host[0], &part->walk, &err);

	if (!status && count > 1)
		compare_hosts(fabric, host + 1, count - 1, part);
	for (uint32_t i = 1; !status && i < count; i++)
		if (part->wrong[i - 1])
			status = walk_to(fabric, host[i], &part->walk, &err);
	return !status;
}

static void check_part(void *context, uint32_t number)
{
	const struct trees *trees = context;
	const struct liquid_fabric *fabric = trees->fabric;
	uint64_t hosts = fabric->hosts;
	uint32_t i = (uint32_t)(hosts * number / fabric->threads), count;
	uint32_t end = (uint32_t)(hosts * (number + 1) / fabric->threads);
	struct part *part = &trees->part[number];
	const uint32_t *order = trees->order;

	for (part->right = true; part->right && i < end; i += count) {
		uint32_t sw = switch_before(fabric, order[i]);

		for (count = 1; count <= LANES && i + count < end; count++)
			if (switch_before(fabric, order[i + count]) != sw)
				break;
		part->right = are_right(fabric, order + i, count, part);
	}
}

static int check_routes(const struct liquid_fabric *fabric, struct trees *trees,
			struct liquid_error *err)
{
	int status = LIQUID_OK;
	bool right = true;

	parallel_do(fabric->threads, fabric->threads, check_part, trees);
	for (uint32_t i = 0; i < fabric->threads; i++)
		right &= trees->part[i].right;
	/* The first fault is reported */
	for (uint32_t h = 0; !right && h < fabric->hosts && !status; h++)
		status = walk_to(fabric, h, &trees->part[0].walk, err);
	return status;
}

static bool new_part(const struct trees *trees, struct part *part)
{
	size_t switches = trees->fabric->switches + (size_t)NEAR_SWITCHES;
	struct walk *walk = &part->walk;

	walk->to = trees->to;
	walk->next = malloc(switches * (sizeof(*walk->next) + sizeof(*walk->stack) +
					sizeof(*walk->distance) + sizeof(*part->near)));
	if (!walk->next)
		return false;
	walk->stack = walk->next + switches;
	walk->distance = (uint16_t *)(walk->stack + switches);
	part->near = (uint8_t *)(walk->distance + switches);
	return true;
}

static bool new_trees(struct trees *trees)
{
	const struct liquid_fabric *fabric = trees->fabric;
	size_t switches = fabric->switches + (size_t)NEAR_SWITCHES;
	uint32_t *first = calloc(switches, sizeof(*first));
	bool done;

	trees->order = malloc(fabric->hosts * sizeof(*trees->order));
	trees->to = malloc((fabric->links + switches) * sizeof(*trees->to));
	trees->part = calloc(fabric->threads, sizeof(*trees->part));
	done = first && trees->order && trees->to && trees->part;
	for (uint32_t i = 0; done && i < fabric->threads; i++)
		done = new_part(trees, &trees->part[i]);
	if (done) {
		order_hosts(fabric, first, trees->order);
		find_ends(fabric, trees->to);
	}
	free(first);
	return done;
}

int fabric_check_routes(const struct liquid_fabric *fabric, struct liquid_error *err)
{
	struct trees trees = { .fabric = fabric };
	int status;

	if (new_trees(&trees))
		status = check_routes(fabric, &trees, err);
	else
		status = liquid_no_memory(err);
	for (uint32_t i = 0; trees.part && i < fabric->threads; i++)
		free(trees.part[i].walk.next);
	free(trees.part);
	free(trees.order);
	free(trees.to);
	return status;
}
