/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which way calls go: the MPI's own, or liquid
 *
 * In MODE_AUTO both ways are tried by turns, the faster is kept, and the choice is looked at again
 * when it no longer holds. A book is of one communicator and one kind of call, and has a class for
 * each power of two of bytes. It decides by its input alone, in integers, and allocates
 * nothing: with the same input on all ranks, it decides the same on all ranks.
 */
#ifndef LIQUID_MPI_WAY_H
#define LIQUID_MPI_WAY_H

#include "settings/environment.h"

enum way { WAY_OWN, WAY_LIQUID };

#define WAY_TIMES 12		/* calls of each way that a trial compares at most */
#define WAY_CLASSES 48		/* larger messages are in the last class */

/* Times of the last calls of one way */
struct way_times {
	int64_t ns[WAY_TIMES];
	uint32_t count;			/* since a trial began */
};

enum way_state { WAY_TRIAL, WAY_KEEPS_OWN, WAY_KEEPS_LIQUID };

struct way_class {
	struct way_times own, liquid;
	enum way_state state;
	bool measured;			/* the call that was decided last */
	bool warm_own, warm_liquid;	/* the first call, which sets up, has been made */
	uint32_t calls;			/* since the state began */
	uint32_t wait, soonest;		/* calls before the next trial, and at least */
	uint32_t failures;		/* trials that liquid has lost one after the other */
	uint32_t looks;			/* calls of the own way to make next, to see its time */
	uint32_t slow;			/* slow calls of the own way one after the other */
	int64_t record_ns;		/* the own way's time in the last trial */
	/* By how much liquid was slower than the own way, until it has made up for it. */
	int64_t debt_ns;		/* each call in part, as one alone proves little */
	int64_t lost_ns;		/* in truth */
};

struct way_book {
	enum env_mode mode;
	uint64_t min_bytes;
	struct way_class class[WAY_CLASSES];
};

/* @book is zeros. */
void way_init(struct way_book *book, enum env_mode mode, uint64_t min_bytes);
enum way way_next(struct way_book *book, uint64_t bytes);
/* Is the time of the call that way_next() has just decided asked for? */
bool way_measures(const struct way_book *book, uint64_t bytes);
/*
 * Enter the time of the slowest rank, of a call that went @way: also later than the call after it,
 * but in the order of the calls. A call that could not go liquid may be left out.
 */
void way_learn(struct way_book *book, uint64_t bytes, enum way way, int64_t slowest_ns);

#endif
