/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The plan that the prologue of `liquid-nl job` leaves on a node whose job is gated by a service
 *
 * It is this node's slice of a plan for equal messages between all nodes of the job, made once on
 * the controller; by `rail all` the slices of this node's rails, in their order. With it no rank
 * needs the fabric, nor a solver. The file is empty while there is no such plan, or when routes
 * have changed since it was made.
 */
#ifndef LIQUID_MPI_PREPARED_H
#define LIQUID_MPI_PREPARED_H

#include <sys/types.h>

#include "node/map.h"

#define PREPARED_SLICES_MAX 64

struct prepared_slice {
	const void *at;			/* in the text */
	size_t size;			/* bytes */
};

struct prepared {
	char *text;			/* the file, as far as its lines are cut up */
	const char **node;		/* by rank of the plan; by RAIL_ALL: endpoints */
	uint32_t nodes, slices;
	uint64_t rail;			/* of each node, from 1, or RAIL_ALL */
	uint64_t rate;			/* of a link, bit/s; 0: not known */
	struct prepared_slice slice[PREPARED_SLICES_MAX];
};

/*
 * Read the file, which must be @owner's alone. LIQUID_BAD_INPUT: there is none, or nothing in it,
 * or it is being written. prepared_clear() frees it.
 */
int prepared_read(struct prepared *prepared, const char *path, uid_t owner,
		  struct liquid_error *err);
void prepared_clear(struct prepared *prepared);
/*
 * The slice of node @self, nodes as @map numbers them, whose places are @names by rank. *@unit:
 * bytes of a transfer, for messages of a byte between ranks. LIQUID_BAD_INPUT if those are not the
 * nodes of the plan, with equally many ranks each, or it is not a plan for equal messages.
 */
int prepared_plan(const struct prepared *prepared, const struct map *map, const host_name *names,
		  uint32_t self, struct liquid_plan **plan, uint64_t *unit,
		  struct liquid_error *err);

#endif
