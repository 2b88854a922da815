/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that serves requests, so that a disk is busy while the next ones arrive */
#ifndef LIQUID_SFIO_WORKER_H
#define LIQUID_SFIO_WORKER_H

#include "listener/slot.h"

struct worker;

/* A wait for other ranks in a collective call ends after @timeout_ns. NULL: no memory. */
struct worker *worker_new(uint32_t clients, int64_t timeout_ns);
void worker_put(struct worker *worker, struct slot *slot);
/* A slot to be answered, or NULL */
struct slot *worker_take(struct worker *worker);
/* It ends when it has served all its requests. */
void worker_free(struct worker *worker);

#endif
