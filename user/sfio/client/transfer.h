/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call: the cache's contents go to the listeners and back. Nothing here waits without end. */
#ifndef LIQUID_SFIO_TRANSFER_H
#define LIQUID_SFIO_TRANSFER_H

#include "client/context.h"

/*
 * Send what @cache has for each listener, with ->kind and ->file of @request, or read it. In a
 * collective call each listener of @uses hears of this rank, also if there is nothing for it, by at
 * least @rounds requests. Returns 0 or the first error, -errno.
 */
int transfer(struct context *context, const struct request *request, struct cache *cache,
	     const bool *uses, uint64_t rounds);
/* Send @request to each listener of @uses; the answers are in the first flight of each. */
int transfer_ask(struct context *context, const struct request *request, const bool *uses,
		 const struct batch *batch, char *const *names, const uint32_t *name_bytes);

#endif
