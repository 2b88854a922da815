/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A communicator: its duplicate, hosts, plans and wire
 *
 * A group is made by the first call that may go liquid. Everything in it that decides how calls go
 * is the same on all ranks, because it changes by agreement alone, in the order of the calls.
 */
#ifndef LIQUID_MPI_GROUP_H
#define LIQUID_MPI_GROUP_H

#include <stdatomic.h>

#include "node/exchange.h"
#include "plan/agree.h"
#include "plan/planning.h"
#include "plan/sides.h"
#include "plan/turns.h"
#include "plan/way.h"
#include "wire/wiring.h"

#define GROUP_PLANS	16
/* Duplicates of a process at once: MPICH has 2,048 communicators, and the program needs them. */
#define GROUPS_MOST	256

/* A plan that was made for a matrix, or for equal messages */
struct group_plan {
	struct digest rows, own;	/* of all ranks, of this one; zeros: equal messages */
	bool made;			/* false: an empty place */
	struct liquid_plan *plan;	/* slice of this node; NULL where another rank drives it */
	uint32_t *turn;			/* peers in the order of the shuffle; NULL: a plan */
	uint32_t turns;
	uint8_t *use;			/* by rank: enum wire_use */
	uint32_t slots;
	struct plan_head head;
	uint64_t used;			/* number of the call that used it last */
	bool wired;			/* all ranks' wires suffice for it, and will */
	struct exchange *exchange;	/* memory for the call that asks, or NULL */
};

/* How long a call took on this rank, until all ranks exchange their times */
struct untold {
	enum call_kind kind;
	uint64_t class;
	enum way way;
	int64_t ns;			/* 0: nothing to report */
};

struct call;

struct group {
	struct group *next;		/* of all groups of the process */
	const struct environment *env;
	const struct agree *agree;
	char label[MPI_MAX_OBJECT_NAME];	/* the program's name of the communicator */
	MPI_Comm comm;			/* the duplicate; MPI_COMM_NULL until it is there */
	uint32_t rank, ranks;
	int step;			/* of the set-up */
	MPI_Request request;		/* of the set-up */
	MPI_Comm program;		/* the communicator of the program, during the set-up */
	MPI_Errhandler handler;		/* and its error handler */
	uint64_t cannot;		/* of the set-up: of this rank, then of all */
	struct agreement said, heard;	/* of the agreement that is under way */
	host_name *names;		/* places by rank (place.h) */
	struct environment own;		/* as *@env, with the device of this rank's rail */
	struct map map;
	struct node node;
	struct planner *planner;	/* the leader's */
	uint64_t fabric;		/* stamp of the file that the plans are of */
	struct group_plan plan[GROUP_PLANS];
	struct planning planning;	/* a plan that is being made */
	bool planning_failed;		/* on the leader, which all know */
	bool barren[2];			/* none of equal, of other messages in the file as it is */
	struct wiring wiring;
	uint64_t epoch, calls;
	struct untold untold;
	int64_t ask_ns;			/* lower bound of an agreement's time */
	struct way_book *book;		/* by kind of call */
	/* Calls with a matrix that go the MPI's own way without asking; how many next time */
	uint32_t skip, skip_next;
	struct call *head, *last;	/* calls in the order in which they were started */
	struct call *apart;		/* non-blocking calls that go the MPI's own way */
	bool foreign;			/* it has processes that another MPI_COMM_WORLD has */
	uint64_t off;			/* cannot_say(): all calls go the MPI's own way */
	bool unused;			/* the set-up has set it off: the duplicate is not used */
	struct liquid_error detail;	/* this rank's own reason */
	bool told;			/* the reason was reported */
	atomic_bool released;		/* the communicator is gone */
	bool leaving;			/* @request is that of group_left() */
	MPI_Request alarm;		/* of another rank's word that it has had an error */
	uint32_t looks;			/* for it */
	int error;			/* final MPI error */
};

static inline struct seat group_seat(const struct group *group)
{
	return (struct seat){ group->comm, group->rank, group->ranks, &group->map };
}

bool group_is_foreign(MPI_Comm comm);
/* NULL: no memory */
struct group *group_new(const struct environment *env, const struct agree *agree, MPI_Comm comm);
/*
 * Has every rank asked this? Before that none may free the group, because others may still need
 * acknowledgements of this one. Nothing is under way in the group.
 */
bool group_left(struct group *group);
/* Give the duplicate away, after that. */
MPI_Comm group_take_duplicate(struct group *group);
/*
 * Frees all but the duplicate if MPI is about to end. After an error it frees the wire alone:
 * operations that the MPI has started may still use the rest.
 */
void group_free(struct group *group, bool finalizing);
/*
 * Set up, in a blocking call on the communicator @comm of the program. What fails on any rank sets
 * the group off on all. Both return an MPI error: that ranks cannot agree any more.
 */
int group_setup(struct group *group, MPI_Comm comm);
int group_setup_step(struct group *group, bool *done, bool *moved);

static inline bool group_is_set_up(const struct group *group)
{
	return group->off || group->comm != MPI_COMM_NULL;
}

/* Use the wire that needs no devices, if the user has not asked for the other one. */
bool group_other_wire(struct group *group);

/*
 * An error of one rank ends the group: it notifies all others, which check now and then. Returns
 * false or the message.
 */
void group_alarm(struct group *group);
bool group_alarmed(struct group *group, struct liquid_error *err);

struct group_plan *group_find_plan(struct group *group, const struct digest *rows);
/* Make a plan and keep it. *@cannot is the same on all ranks, except after a lack of memory. */
int group_plan_start(struct group *group, const uint64_t *row);
int group_plan_step(struct group *group, const struct digest *rows, const struct messages *messages,
		    bool *done, int *cannot, bool *moved);
/* Forget all plans: the fabric has changed. */
void group_forget_plans(struct group *group);
/* Report once why calls of this communicator go the MPI's own way; or, why not by RDMA. */
void group_tell(struct group *group, uint64_t cannot);
void group_tell_wire(const struct group *group, uint64_t cannot);

#endif
