/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order of what one side sends to the other: requests of compute ranks to listeners, or the
 * data of reads from listeners to compute ranks. Each has its own plan.
 */
#ifndef LIQUID_SFIO_ORDER_H
#define LIQUID_SFIO_ORDER_H

#include "order/plan.h"

struct side {
	MPI_Comm comm;			/* of this side's ranks; used for the plan and tokens */
	const struct nodes *nodes;	/* of_rank: this side's ranks; of_peer: the other's */
	int rank, ranks;
	uint32_t peers;
};

struct order_options {
	const char *fabric;		/* its file */
	const char *method;		/* of the solver; NULL: its own choice */
	enum liquid_sync sync;		/* of collective calls */
	int64_t timeout_ns;		/* longest wait for a token */
};

/*
 * Collective on the side. The first rank solves, and each gets its part. Returns a liquid_status,
 * an error on all ranks if there is one on any.
 */
int order_new(const struct side *side, const struct order_options *options,
	      struct exchange **exchange, struct liquid_error *err);

#endif
