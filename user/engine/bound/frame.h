/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking for the frame that is worth most: a tabu search by ejections
 *
 * A link with room is chosen, then the best of its kinds goes into the frame, and its occupants in
 * its way comes out and stays out for some moves. It proves nothing.
 */
#ifndef LIQUID_BOUND_FRAME_H
#define LIQUID_BOUND_FRAME_H

#include "bound/classes.h"
#include "problem/random.h"

struct frame_search {
	const struct classes *classes;
	struct random random;
	struct routes_inverse users;	/* kinds of each link */
	uint32_t *held, *best;		/* by kind: transfers in the frame, and in the best one */
	uint64_t *until;		/* by kind: the move from which on it may come in again */
	uint32_t *used;			/* by link: transfers on it */
	uint32_t *first_owner, *owner;	/* by link: its first entry in owner[], kinds on it */
	const double *price;		/* by kind */
	double noise;			/* added to what a move gains */
	uint64_t move;			/* number of the move; never begun anew */
	uint64_t work;			/* operations so far */
};

bool frame_open(struct frame_search *search, const struct classes *classes, uint64_t seed);
void frame_close(struct frame_search *search);
/* The worth of the best frame found, which is in best[]. */
double frame_seek(struct frame_search *search, const double *price, uint32_t moves);

#endif
