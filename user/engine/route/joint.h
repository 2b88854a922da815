/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Routes and a schedule in one search
 *
 * Where nearly every link is full, a schedule for routes that are given ends up above their
 * greatest load: some transfers are left over that fit into no frame. Here such a transfer may also
 * change its route. It goes into the frame where the fewest are in its way, which are put out and
 * wait in their turn; or its tree turns at a switch behind which few transfers are, if fewer are in
 * the way then. That is annealed: few are put out for nothing, and ever fewer.
 */
#ifndef LIQUID_ROUTE_JOINT_H
#define LIQUID_ROUTE_JOINT_H

#include "route/forest.h"

struct joint_options {
	const struct liquid_traffic *traffic;
	const uint32_t *tree;		/* by host: its tree; LIQUID_NONE: none */
	const struct stretch *stretch;	/* or NULL */
	uint32_t least;			/* no schedule is shorter */
	uint64_t moves;			/* for each try of a length */
	uint64_t seed;
};

/*
 * joint.c: shorten the schedule @frame[], by transfer in the order of the traffic, of *@length
 * frames, which is valid for the forest. All three end as the best that was found, or as they were;
 * so they do if a table of links x frames would be too large. False: no memory.
 */
bool joint_run(struct forest *forest, const struct joint_options *options, uint32_t *frame,
	       uint32_t *length);

#endif
