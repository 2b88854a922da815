// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checking the routes of a finished fabric, from all switches to each host */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

/* Number of links from a switch to the current destination, or one of these states */
enum { WALK_UNKNOWN = 0, WALK_DEAD = UINT16_MAX, WALK_HERE = UINT16_MAX - 1 };

struct walk {
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
	uint32_t link, to;

	while (walk->distance[sw] == WALK_UNKNOWN) {
		walk->distance[sw] = WALK_HERE;
		walk->stack[walk->depth++] = sw;
		link = liquid_fabric_forward(fabric, sw, dst);
		if (link == LIQUID_NONE)
			return walk_back(fabric, dst, WALK_DEAD, walk, err);
		to = fabric->link[link].to;
		if (to == fabric->host[dst].owner)
			return walk_back(fabric, dst, 0, walk, err);
		sw = to - fabric->hosts;
	}
	if (walk->distance[sw] == WALK_HERE)
		return refuse_loop(fabric, dst, sw, err);
	return walk_back(fabric, dst, walk->distance[sw], walk, err);
}

static int check_routes(const struct liquid_fabric *fabric, struct walk *walk,
			struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t dst = 0; dst < fabric->hosts && !status; dst++) {
		memset(walk->distance, 0, fabric->switches * sizeof(*walk->distance));
		walk->depth = 0;
		for (uint32_t s = 0; s < fabric->switches && !status; s++)
			status = walk_from(fabric, dst, s, walk, err);
	}
	return status;
}

int fabric_check_routes(const struct liquid_fabric *fabric, struct liquid_error *err)
{
	struct walk walk = { 0 };
	int status;

	walk.distance = malloc((fabric->switches + 1) * sizeof(*walk.distance));
	walk.stack = malloc((fabric->switches + 1) * sizeof(*walk.stack));
	if (walk.distance && walk.stack)
		status = check_routes(fabric, &walk, err);
	else
		status = liquid_fail(err, LIQUID_NO_MEMORY, "out of memory");
	free(walk.distance);
	free(walk.stack);
	return status;
}
