// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ask CUDA and HIP, if they are in the process already: nothing is linked or loaded for it. */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/device.h"

#define MEMORY_TYPE	2	/* of attributes of a pointer, in CUDA and HIP alike */
#define CUDA_HOST	1	/* the type of the host's memory in CUDA; versions of HIP differ */

/* cuPointerGetAttribute() and hipPointerGetAttribute(): 0 if the pointer is known */
typedef int (*get_attribute)(void *value, int attribute, uintptr_t at);

/*
 * The result at this count of loaded and unloaded objects. To look for a library
 * that is not loaded opens a file in each directory where it might be.
 */
static struct {
	uint64_t changes;
	get_attribute cuda, hip;
} known;

/* A program may have loaded the library for itself alone, or be linked with it. */
static get_attribute device_find(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD), *symbol;

	symbol = dlsym(handle ? handle : RTLD_DEFAULT, name);
	if (handle)
		dlclose(handle);
	return (get_attribute)symbol;
}

/* The counters are of the process: the first object has them as well as any other. */
static int count_changes(struct dl_phdr_info *object, size_t size, void *changes)
{
	(void)size;
	*(uint64_t *)changes = object->dlpi_adds + object->dlpi_subs;
	return 1;
}

/* The count is read first: an object loaded during the search changes it again. */
static void device_look(void)
{
	uint64_t changes = 0;

	dl_iterate_phdr(count_changes, &changes);
	if (changes == known.changes)
		return;
	known.cuda = device_find("libcuda.so.1", "cuPointerGetAttribute");
	known.hip = device_find("libamdhip64.so", "hipPointerGetAttribute");
	known.changes = changes;
}

bool is_device_memory(const void *at)
{
	unsigned int type = 0;

	device_look();
	if (known.cuda && !known.cuda(&type, MEMORY_TYPE, (uintptr_t)at) && type != CUDA_HOST)
		return true;
	return known.hip && !known.hip(&type, MEMORY_TYPE, (uintptr_t)at);
}
