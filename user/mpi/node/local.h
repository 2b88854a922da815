/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages between ranks of one node, by the MPI's point to point */
#ifndef LIQUID_MPI_LOCAL_H
#define LIQUID_MPI_LOCAL_H

#include "node/node.h"
#include "wire/wire.h"

struct local {
	MPI_Request *request;
	int requests;
	int receives;			/* they come first */
};

/* @out and @in are by rank. Returns false without memory. */
bool local_new(struct local *local, const struct node *node, const struct span *out,
	       const struct span *in);
/* Both return an MPI error. */
int local_start(struct local *local, const struct node *node, const struct span *out,
		const struct span *in);
int local_step(struct local *local, bool *done, bool *moved);
/* After it nothing is written any more. Messages being sent may still be read. */
void local_clear(struct local *local);

#endif
