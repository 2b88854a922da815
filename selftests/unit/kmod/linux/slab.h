/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for pure parts of the modules. It is the test's: unit_alloc() may refuse. */
#ifndef UNIT_LINUX_SLAB_H
#define UNIT_LINUX_SLAB_H

#include <stddef.h>
#include <string.h>

void *unit_alloc(size_t size);
void unit_free(void *memory);

static inline void *unit_zalloc(size_t size)
{
	void *memory = unit_alloc(size);

	return memory ? memset(memory, 0, size) : NULL;
}

static inline void *unit_memdup(const void *from, size_t size)
{
	void *memory = unit_alloc(size);

	return memory ? memcpy(memory, from, size) : NULL;
}

#define kzalloc(size, flags)			unit_zalloc(size)
#define kvzalloc(size, flags)			unit_zalloc(size)
#define kvcalloc(count, size, flags)		unit_zalloc((count) * (size))
#define kvmalloc(size, flags)			unit_alloc(size)
#define kvmalloc_array(count, size, flags)	unit_alloc((count) * (size))
#define kmemdup(from, size, flags)		unit_memdup(from, size)
#define kfree(memory)				unit_free(memory)
#define kvfree(memory)				unit_free(memory)

#endif
