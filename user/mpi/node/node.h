/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranks that share a node share its run
 *
 * The message from a node to another is made of their ranks' messages, one after the other: by
 * sender, then by receiver. The driver of the node, its lowest rank, has the run. It grants each
 * piece, a range of that message, to the ranks whose bytes it is; they post them to their wires,
 * and report how much has left. A rank that is alone on its node grants to itself.
 */
#ifndef LIQUID_MPI_NODE_H
#define LIQUID_MPI_NODE_H

#include <mpi.h>

#include "node/map.h"

#define NODE_GRANTS	16		/* of a rank at a time */

enum grant_state { GRANT_FREE, GRANT_GIVEN, GRANT_MAIN_LEFT, GRANT_LEFT };

struct grant {
	uint32_t state;			/* enum grant_state; written last */
	uint32_t node;			/* receiver */
	uint64_t number;		/* of the rank's grants, from 1 */
	uint64_t from, tail, to;	/* of the message from node to node; the tail's first */
};

/* Shared by a rank and its driver */
struct seat_grants {
	struct grant grant[NODE_GRANTS];
};

static inline enum grant_state grant_state(const struct grant *grant)
{
	return (enum grant_state)__atomic_load_n(&grant->state, __ATOMIC_ACQUIRE);
}

static inline void grant_set(struct grant *grant, enum grant_state state)
{
	__atomic_store_n(&grant->state, (uint32_t)state, __ATOMIC_RELEASE);
}

struct node {
	const struct map *map;
	MPI_Comm comm;
	uint32_t rank;
	uint32_t self, members, own;	/* this node, its ranks, this rank's place in them */
	size_t bytes;
	void *memory;			/* shared; what follows points into it */
	struct seat_grants *seat;	/* by member */
	uint64_t *sums;			/* [2][members][nodes] */
	uint32_t turn;			/* which half of @sums the call uses */
	/* During the set-up: */
	char name[64];			/* of the shared memory */
	int step, requests, failed;
	MPI_Request *request;
	int *answer;			/* by member: 0 if it has the memory */
};

/* Returns false without memory. */
bool node_new(struct node *node, const struct map *map, MPI_Comm comm, uint32_t rank);
/* Both return an MPI error. A failure of this rank or its node alone is in ->failed. */
int node_start(struct node *node);
int node_step(struct node *node, bool *done, bool *moved);
void node_clear(struct node *node);

static inline bool node_drives(const struct node *node)
{
	return !node->own;
}

/*
 * Say how many bytes this rank sends to each rank, or with NULL that it will not. Others of the
 * node may read it when all have agreed on the call. It stays until the call after the next.
 */
void node_say(struct node *node, const uint64_t *bytes);
/* Bytes from the @member-th rank of this node to all of @to */
uint64_t node_sum(const struct node *node, uint32_t member, uint32_t to);

#endif
