/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One exchange: a rank's run, and the wire that does what it asks for. It never blocks. */
#ifndef LIQUID_MPI_EXCHANGE_H
#define LIQUID_MPI_EXCHANGE_H

#include "wire.h"

struct exchange;

struct exchange_options {
	const struct wire_ops *ops;
	struct wire *wire;		/* prepared for @epoch */
	const struct liquid_plan *plan;	/* slice of @rank */
	uint32_t rank, ranks;
	const struct span *out;		/* messages by rank */
	uint64_t tail;			/* bytes */
	uint64_t epoch;
	uint64_t *slots;		/* those of the wire */
	enum liquid_sync sync;
	int64_t timeout_ns;
	int64_t frame_ns, base_ns;	/* with a clock, by CLOCK_TAI */
};

/*
 * Begin; all ranks have agreed on it. What the options point to outlives the exchange. All of
 * these return a liquid_status, and after an error the exchange can only be freed.
 */
int exchange_new(const struct exchange_options *options, struct exchange **exchange,
		 struct liquid_error *err);
/* Go on. *@done: all has left and all has come. *@moved: something has happened. */
int exchange_step(struct exchange *exchange, bool *done, bool *moved, struct liquid_error *err);
const struct liquid_run_stats *exchange_stats(const struct exchange *exchange);
void exchange_free(struct exchange *exchange);

#endif
