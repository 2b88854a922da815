/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A call as a step machine
 *
 * Nothing in it blocks, and each call of MPI takes it further, so a non-blocking call goes the
 * same way as a blocking one:
 *
 *	QUEUED > SETUP > ANSWER > (PLAN | WIRE > ANSWER)* > EXCHANGE | OWN > DONE
 *
 * Decisions are made from values that are the same on all ranks, in the order in which the calls
 * were started: never from what happens to be complete already.
 */
#ifndef LIQUID_MPI_MACHINE_H
#define LIQUID_MPI_MACHINE_H

#include "call/group.h"
#include "node/exchange.h"

enum state {
	STATE_QUEUED,
	STATE_SETUP,			/* the group does not have its duplicate yet */
	STATE_ANSWER,			/* of the agreement */
	STATE_PLAN,
	STATE_WIRE,
	STATE_EXCHANGE,
	STATE_OWN,			/* the MPI's own way, by a request on the duplicate */
	STATE_OWN_BLOCKING,		/* ... or by the thread that has made the call */
	STATE_DONE,
};

struct call {
	struct call *next;
	struct group *group;
	struct args args;
	bool blocking;
	enum state state;
	MPI_Request request;		/* that the state waits for */
	void *user;			/* the program's request, if not blocking */
	struct messages messages;
	struct agreement mine, all;
	struct digest rows;
	uint64_t *row;			/* bytes to each rank */
	struct group_plan *plan;
	struct exchange *exchange;	/* under way */
	bool decided;			/* passes() has been asked */
	bool filled, prepared;
	bool chosen;			/* @way, from @class and the book */
	bool planned;			/* a plan was made for this call */
	bool asked_plan;		/* ranks have said if their wires suffice for it */
	bool alarmed;			/* another rank has had an error, not this one */
	bool timed;			/* the book wants to know how long the call takes */
	uint64_t class;			/* bytes by which the way is decided */
	enum way way;
	int64_t started, asked, begun, exchanging;	/* ns */
	int64_t spent;			/* before @begun, if it goes liquid, ns */
	int error;
	struct liquid_error err;
};

/* Does the call have its own plan matrix? A shuffle uses one for all calls. */
static inline bool has_rows(const struct call *call)
{
	return is_matrix(&call->args) && call->group->env->mode != MODE_SHUFFLE;
}

/*
 * Decide what can be decided without asking others. Returns true if it is the MPI's own way and
 * nothing more is to be known of the call. The set-up is complete and no call is before this one.
 */
bool machine_passes(struct call *call);
/* Go on. *@moved: something has happened. */
void machine_step(struct call *call, bool *moved);
/* The MPI's own way has ended with the MPI error @error. */
int machine_own_done(struct call *call, int error);

#endif
