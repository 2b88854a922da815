/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compute ranks agree on a value, in bounded time */
#ifndef LIQUID_SFIO_AGREE_H
#define LIQUID_SFIO_AGREE_H

#include "client/context.h"

/*
 * Replace each of @value by the least that a rank has. Returns 0, -EIO, or -ETIMEDOUT if a rank
 * does not come; from then on all collective calls return that.
 */
int agree(struct context *context, int64_t *value, int count);
/* The least of @error, which is negative or 0, on all ranks */
int agree_error(struct context *context, int error);
/* @name and @number are the same on all ranks, and no rank has an error. */
int agree_same(struct context *context, int error, const char *name, uint64_t number);

#endif
