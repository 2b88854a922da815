/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The run of a node: pieces become grants for its ranks, and their reports go to the run */
#ifndef LIQUID_MPI_DRIVER_H
#define LIQUID_MPI_DRIVER_H

#include "node/node.h"
#include "wire/wire.h"

struct driver;

struct driver_options {
	const struct liquid_plan *plan;	/* of nodes: slice of this one */
	struct node *node;
	const struct wire_ops *ops;	/* for tokens */
	struct wire *wire;
	uint64_t epoch;
	uint64_t *slots;		/* slots of the wire */
	enum liquid_sync sync;
	int64_t timeout_ns;
	int64_t frame_ns;		/* with a clock */
};

/*
 * All return a liquid_status. After an error a driver can only be freed. All of its memory is taken
 * by driver_new(). @tail is in bytes, @base_ns by CLOCK_TAI, with a clock.
 */
int driver_new(const struct driver_options *options, struct driver **driver,
	       struct liquid_error *err);
int driver_begin(struct driver *driver, uint64_t tail, int64_t base_ns, struct liquid_error *err);
/* Go on. *@done: all of the node has left. *@moved: something has happened. */
int driver_step(struct driver *driver, bool *done, bool *moved, struct liquid_error *err);
const struct liquid_run_stats *driver_stats(const struct driver *driver);
void driver_free(struct driver *driver);

#endif
