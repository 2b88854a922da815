/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that devices write to for long, in separate pages
 *
 * After a fork() a write by the parent gives it another page, which the device does not know. So a
 * child does not get these pages; they contain nothing else that it could miss.
 */
#ifndef LIQUID_MPI_PAGES_H
#define LIQUID_MPI_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeros; NULL: no memory */
static inline void *pages_new(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	madvise(at, bytes, MADV_DONTFORK);
	return at;
}

static inline void pages_free(void *at, size_t bytes)
{
	if (at)
		munmap(at, bytes);
}

#endif
