/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a plan together: rows of the matrix go to the leader, slices of its plan come back. For the
 * window shuffle nothing goes there, and the ids of all ranks come back. Where the job has a plan,
 * each node has its slice, and the leader sends the number of the plan.
 */
#ifndef LIQUID_MPI_PLANNING_H
#define LIQUID_MPI_PLANNING_H

#include <mpi.h>

#include "plan/planner.h"
#include "settings/environment.h"

enum { LEADER = 0 };

/* What comes before the slice of a rank */
struct plan_head {
	uint64_t cannot;		/* enum cannot: the same for all */
	uint64_t size;			/* of the slice, bytes; 0: another rank drives the node */
	uint64_t rate;			/* of a link, bit/s; 0: not known */
	uint64_t fabric;		/* stamp of the file */
	uint64_t frames, unit;		/* of the plan: its length, and bytes of a transfer */
	uint64_t window;		/* of the shuffle, packets */
	uint64_t by_fabric;		/* 1: ids of the shuffle are by the fabric */
	uint64_t prepared;		/* 1: slices are on the nodes already (prepared.h) */
	uint64_t id;			/* of the plan then */
};

struct planning {
	MPI_Comm comm;
	MPI_Request request;
	uint32_t rank, ranks;
	const struct map *map;
	const host_name *names;		/* by rank */
	const char *job_plan;		/* file of the job's plan, or NULL */
	struct planner *planner;	/* the leader's */
	const struct environment *shuffle;	/* its settings; NULL: a plan */
	int step;
	uint64_t room;			/* cannot_say(): of this rank, then of all */
	uint64_t *row, *rows;		/* NULL: messages are equal */
	struct plan_head head, *heads;	/* own; on the leader all of them */
	int *sizes, *places;
	void *slice, *slices;
	/* When done: */
	int cannot;
	struct liquid_plan *plan;	/* NULL where this rank does not drive its node */
	uint32_t *id;			/* of the shuffle, by rank; NULL: a plan */
	struct liquid_error err;	/* on the leader */
};

/* @row: bytes to each rank, or NULL if all messages are equal. All return an MPI error. */
int planning_start(struct planning *planning, const uint64_t *row);
int planning_step(struct planning *planning, bool *done, bool *moved);
void planning_clear(struct planning *planning);

#endif
