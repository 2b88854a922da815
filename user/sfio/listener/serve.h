/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A listener's work on a request. It knows nothing of MPI. */
#ifndef LIQUID_SFIO_SERVE_H
#define LIQUID_SFIO_SERVE_H

#include "listener/access.h"
#include "listener/gather.h"

struct serve {
	struct files files;
	struct access access;
	struct gather gather;
};

void serve_new(struct serve *serve, uint32_t clients, int64_t timeout_ns);
void serve_free(struct serve *serve);
/* Serve @slot, and put into @done the slots that can be answered now, if any. */
void serve_slot(struct serve *serve, struct slot *slot, struct queue *done);
/* Answer requests that wait in vain for other ranks. */
void serve_late(struct serve *serve, struct queue *done);

#endif
