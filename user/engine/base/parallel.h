/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a task, done by several threads side by side. */
#ifndef LIQUID_PARALLEL_H
#define LIQUID_PARALLEL_H

#include <stdint.h>

#define PARALLEL_THREADS_MAX 64

/*
 * Call @part for the numbers 0 ... @parts - 1, by at most @threads threads, of which the caller's
 * is one; 0: by the caller's alone. Returns when all are done. If no thread can be created, those
 * that there are do all parts. Nothing may depend on which thread does a part, or when.
 */
void parallel_do(uint32_t threads, uint32_t parts, void (*part)(void *context, uint32_t number),
		 void *context);

#endif
