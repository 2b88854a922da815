/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of many megabytes that is written once: with pages of 2 MB, where the kernel has them on
 * demand, a fault is rare. By free()
 */
#ifndef LIQUID_LARGE_H
#define LIQUID_LARGE_H

#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

static inline void *large_alloc(size_t bytes)
{
	size_t whole = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	void *memory;

	if (bytes < 2 * LARGE_PAGE || whole < bytes)
		return malloc(bytes ? bytes : 1);
	memory = aligned_alloc(LARGE_PAGE, whole);
	if (memory)
		madvise(memory, whole, MADV_HUGEPAGE);
	return memory;
}

#endif
