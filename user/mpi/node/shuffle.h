/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A rank's order in the window shuffle: a packet to each peer in turn, again and again, while
 * fewer packets than the window are under way to all of them
 *
 * It needs no plan, no tokens and no clock. Each rank sends for itself, also where several share a
 * node, without a driver.
 */
#ifndef LIQUID_MPI_SHUFFLE_H
#define LIQUID_MPI_SHUFFLE_H

#include "wire/wire.h"

struct shuffle_options {
	const uint32_t *peer;		/* in the order of their turns */
	uint32_t peers;
	uint64_t window;		/* packets, 1 or more */
	uint64_t packet_bytes;		/* 1 or more */
};

struct shuffle {
	struct shuffle_options options;
	const struct wire_ops *ops;
	struct wire *wire;
	const struct span *out;		/* by rank */
	uint32_t next;			/* whose turn is next */
	uint64_t flying;		/* packets that have not left */
	uint64_t *posted;		/* by turn, bytes */
	uint64_t unposted;		/* of all messages, bytes */
	int64_t since;			/* the window is full since then, ns; 0: it is not */
	struct liquid_run_stats stats;	/* waits are those for the window */
};

/* Both return a liquid_status. @options->peer and @out are the caller's. */
int shuffle_open(struct shuffle *shuffle, const struct shuffle_options *options,
		 const struct wire_ops *ops, struct wire *wire, const struct span *out,
		 struct liquid_error *err);
/* Post as much as the window allows. *@moved: something has happened. */
int shuffle_step(struct shuffle *shuffle, bool *moved, struct liquid_error *err);
/* One packet has left. */
void shuffle_left(struct shuffle *shuffle);
/* Has all left? */
bool shuffle_done(const struct shuffle *shuffle);
void shuffle_close(struct shuffle *shuffle);

#endif
