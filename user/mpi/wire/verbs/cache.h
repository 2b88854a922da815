/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registrations that are kept from one exchange to the next
 *
 * Memory that is unmapped and mapped again at the same address is other memory, which the old
 * registration does not reach: libucm reports each unmapping, by munmap, mremap, madvise, brk or
 * shmdt. Without it, at compile time or because it cannot watch this process, there is no cache.
 */
#ifndef LIQUID_MPI_VERBS_CACHE_H
#define LIQUID_MPI_VERBS_CACHE_H

#include "wire/verbs/port.h"

struct cache;

int cache_open(struct cache **cache, struct port *port, struct liquid_error *err);
void cache_close(struct cache *cache);
/*
 * A registration of @from ... @to with @access, which stays until cache_release(); NULL and errno
 * if there can be none. The caller keeps the memory mapped until then.
 */
struct ibv_mr *cache_get(struct cache *cache, uintptr_t from, uintptr_t to, int access);
/* None of the registrations that cache_get() has returned is in use any more. */
void cache_release(struct cache *cache);

#endif
