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

/*
 * Begin; all ranks have agreed on it, and the wire is prepared for the epoch. @options->plan is
 * NULL where this rank does not drive its node, or goes by @shuffle, which is NULL if there is a
 * plan. @out, those to other machines in @far_out, and @in are by rank; the caller's. All return a
 * liquid_status, and after an error the exchange can only be freed.
 */
int exchange_new(const struct driver_options *options, const struct shuffle_options *shuffle,
		 const struct span *out, const struct span *far_out, const struct span *in,
		 struct exchange **exchange, struct liquid_error *err);
/* Go on. *@done: all has left and all has come. *@moved: something has happened. */
int exchange_step(struct exchange *exchange, bool *done, bool *moved, struct liquid_error *err);
/* Of the run or the shuffle; NULL where this rank does not drive its node */
const struct liquid_run_stats *exchange_stats(const struct exchange *exchange);
void exchange_free(struct exchange *exchange);

#endif
