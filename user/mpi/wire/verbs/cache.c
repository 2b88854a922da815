// SPDX-License-Identifier: LGPL-2.1-or-later
/* Up to 256 registrations; libucm's events mark them stale. Without UCX nothing is kept. */
#include <errno.h>
#include <stdlib.h>

#include "wire/verbs/cache.h"

#ifdef LIQUID_HAVE_UCM
#include <dlfcn.h>
#include <pthread.h>
#include <ucm/api/ucm.h>

#define ENTRIES	256
#define PAGE_MAX 65536ULL		/* unmapped ranges end at the end of a page */

/* Times are in calls of cache_get(). */
struct entry {
	uintptr_t from, to;		/* from 0: none */
	int access;
	struct ibv_mr *mr;
	uint64_t used;			/* when last */
	bool held;			/* since the last cache_release() */
	bool stale;			/* some of it has been unmapped */
};

struct cache {
	struct port *port;
	typeof(ucm_unset_event_handler) *unwatch;	/* NULL: nothing is watched */
	pthread_mutex_t lock;		/* of from, to and stale of each entry */
	uint64_t time;
	struct entry entry[ENTRIES];
};

/* Any thread may unmap memory. This may neither allocate nor wait for what does. */
static void unmapped(ucm_event_type_t type, ucm_event_t *event, void *arg)
{
	uintptr_t from = (uintptr_t)event->vm_unmapped.address;
	uintptr_t to = (from + event->vm_unmapped.size + PAGE_MAX - 1) & ~(PAGE_MAX - 1);
	struct cache *cache = arg;

	(void)type;
	pthread_mutex_lock(&cache->lock);
	for (uint32_t i = 0; i < ENTRIES; i++)
		if (cache->entry[i].from < to && from < cache->entry[i].to)
			cache->entry[i].stale = true;
	pthread_mutex_unlock(&cache->lock);
}

static void set_range(struct cache *cache, struct entry *entry, uintptr_t from, uintptr_t to)
{
	pthread_mutex_lock(&cache->lock);
	entry->from = from;
	entry->to = to;
	entry->stale = false;
	pthread_mutex_unlock(&cache->lock);
}

static bool is_stale(struct cache *cache, const struct entry *entry)
{
	bool stale;

	pthread_mutex_lock(&cache->lock);
	stale = entry->stale;
	pthread_mutex_unlock(&cache->lock);
	return stale;
}

static void drop(struct cache *cache, struct entry *entry)
{
	set_range(cache, entry, 0, 0);
	if (entry->mr)
		ibv_dereg_mr(entry->mr);
	entry->mr = NULL;
}

/* The lock is not held while memory is registered, because that may unmap memory. */
static struct ibv_mr *cache_put(struct cache *cache, struct entry *entry, uintptr_t from,
				uintptr_t to, int access)
{
	drop(cache, entry);
	set_range(cache, entry, from, to);
	entry->access = access;
	entry->mr = ibv_reg_mr(cache->port->pd, (void *)from, to - from, access);
	if (!entry->mr) {
		int error = errno;

		drop(cache, entry);
		errno = error;
	}
	return entry->mr;
}

static bool covers(const struct entry *entry, uintptr_t from, uintptr_t to, int access)
{
	return entry->mr && entry->from <= from && to <= entry->to &&
	       (entry->access & access) == access;
}

/* The better of two entries to be replaced: an empty one, else the one not used for longest */
static struct entry *older(struct entry *a, struct entry *b)
{
	if (b->held)
		return a;
	return !a || !b->mr || (a->mr && b->used < a->used) ? b : a;
}

struct ibv_mr *cache_get(struct cache *cache, uintptr_t from, uintptr_t to, int access)
{
	struct entry *oldest = NULL;
	struct ibv_mr *mr;

	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct entry *entry = &cache->entry[i];

		if (!entry->held && entry->mr && is_stale(cache, entry))
			drop(cache, entry);
		if (covers(entry, from, to, access)) {
			entry->held = true;
			entry->used = ++cache->time;
			return entry->mr;
		}
		oldest = older(oldest, entry);
	}
	errno = ENOSPC;
	mr = oldest ? cache_put(cache, oldest, from, to, access) : NULL;
	if (mr) {
		oldest->held = true;
		oldest->used = ++cache->time;
	}
	return mr;
}

void cache_release(struct cache *cache)
{
	for (uint32_t i = 0; i < ENTRIES; i++)
		cache->entry[i].held = false;
}

/*
 * libucm replaces functions of the C library, so it is loaded by those alone who ask for a cache,
 * with libucs, without which it does not load. Both stay loaded.
 */
static bool cache_watch(struct cache *cache)
{
	void *library = dlopen("libucs.so.0", RTLD_NOW | RTLD_LOCAL);
	typeof(ucm_set_event_handler) *set = library ? dlsym(library, "ucm_set_event_handler") :
					     NULL;
	typeof(ucm_test_events) *test = library ? dlsym(library, "ucm_test_events") : NULL;

	if (!set || !test || set(UCM_EVENT_VM_UNMAPPED, 0, unmapped, cache) != UCS_OK)
		return false;
	cache->unwatch = dlsym(library, "ucm_unset_event_handler");
	return test(UCM_EVENT_VM_UNMAPPED) == UCS_OK;
}

int cache_open(struct cache **out, struct port *port, struct liquid_error *err)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	*out = cache;
	if (!cache)
		return liquid_no_memory(err);
	cache->port = port;
	pthread_mutex_init(&cache->lock, NULL);
	return cache_watch(cache) ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "LIQUID_MPI_REGISTRATION=cache: UCX's libucm cannot "
			   "watch this process unmap memory");
}

void cache_close(struct cache *cache)
{
	if (!cache)
		return;
	if (cache->unwatch)
		cache->unwatch(UCM_EVENT_VM_UNMAPPED, unmapped, cache);
	for (uint32_t i = 0; i < ENTRIES; i++)
		drop(cache, &cache->entry[i]);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

#else

int cache_open(struct cache **cache, struct port *port, struct liquid_error *err)
{
	(void)port;
	*cache = NULL;
	return liquid_fail(err, LIQUID_BAD_INPUT, "LIQUID_MPI_REGISTRATION=cache: built without "
			   "libucm (libucx-dev)");
}

void cache_close(struct cache *cache)
{
	(void)cache;
}

struct ibv_mr *cache_get(struct cache *cache, uintptr_t from, uintptr_t to, int access)
{
	(void)cache;
	(void)from;
	(void)to;
	(void)access;
	errno = ENOSYS;
	return NULL;
}

void cache_release(struct cache *cache)
{
	(void)cache;
}
#endif
