/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a schedule of orbits must be, and what flows in its frames. */
#ifndef LIQUID_VERIFY_ORBITS_H
#define LIQUID_VERIFY_ORBITS_H

#include "verify/verify.h"

/*
 * What is counted of a schedule at a time: of a list a frame, of orbits a base frame as its first
 * frame has it, of which all others are images
 */
struct frame {
	uint32_t number;
	size_t count;
	const struct liquid_transfer *transfer;	/* of a list */
	const uint32_t *unit;			/* of orbits */
};

/* A transfer of a frame: with those of other turns and its images, if it is of orbits */
struct flow {
	uint32_t src, dst;		/* hosts */
	uint32_t sender;		/* the counter of the link by which it is sent */
	uint32_t turn, turns;		/* it uses links in @turns turns from @turn on; 0: in all */
};

/*
 * Is the shape valid, and are its hosts there? LIQUID_INVALID: a finding says what is wrong, and
 * nothing else can be checked. @traffic: the all-to-all that it carries
 */
int orbits_open(struct checker *checker, struct liquid_traffic **traffic);
void orbits_close(struct checker *checker);
/* Do the tables keep the shifts? LIQUID_INVALID, as above */
int orbits_shifts(struct checker *checker);
/* The next base frame, with the classes of its kind; its number is LIQUID_NONE after the last. */
int orbits_next(struct checker *checker, struct frame *frame);
void orbits_flow(const struct checker *checker, uint32_t unit, struct flow *flow);
/* The host that sends @flow in @turn */
uint32_t orbits_sender(const struct checker *checker, const struct flow *flow, uint32_t turn);
/* Transfers on each link of the class of @counter, which counts @count */
uint32_t orbits_share(const struct checker *checker, uint32_t counter, uint32_t count);
/* Fill in checker->load. */
int orbits_loads(struct checker *checker);

#endif
