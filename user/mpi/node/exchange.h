/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One exchange, as each rank goes through it: it posts what its driver grants, exchanges messages
 * with the ranks of its node, and waits for what others send. It never blocks.
 */
#ifndef LIQUID_MPI_EXCHANGE_H
#define LIQUID_MPI_EXCHANGE_H

#include "node/driver.h"
#include "node/local.h"
#include "node/shuffle.h"

struct exchange;

/* By rank; the caller's */
struct exchange_spans {
	const struct span *out, *far_out, *in;	/* @far_out: of @out, those to other machines */
};

/*
 * Take all memory, before ranks agree on the exchange. @options->plan is NULL where this rank does
 * not drive its node, or follows @shuffle, which is NULL if there is a plan. All return a
 * liquid_status, and after an error the exchange can only be freed.
 */
int exchange_new(const struct driver_options *options, const struct shuffle_options *shuffle,
		 const struct exchange_spans *spans, struct exchange **exchange,
		 struct liquid_error *err);
/* All ranks have agreed on it, and the wire is prepared for the epoch. See driver_begin(). */
int exchange_begin(struct exchange *exchange, uint64_t tail, int64_t base_ns,
		   struct liquid_error *err);
/* Go on. *@done: all has left and all has come. *@moved: something has happened. */
int exchange_step(struct exchange *exchange, bool *done, bool *moved, struct liquid_error *err);
/* Of the run or the shuffle; NULL where this rank does not drive its node */
const struct liquid_run_stats *exchange_stats(const struct exchange *exchange);
void exchange_free(struct exchange *exchange);

#endif
