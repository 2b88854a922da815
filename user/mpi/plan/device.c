// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ask CUDA and HIP, if they are in the process already: nothing is linked or loaded for it. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/device.h"

#define MEMORY_TYPE	2	/* of attributes of a pointer, in CUDA and HIP alike */
#define CUDA_HOST	1	/* the type of the host's memory in CUDA; versions of HIP differ */

/* cuPointerGetAttribute() and hipPointerGetAttribute(): 0 if the pointer is known */
typedef int (*get_attribute)(void *value, int attribute, uintptr_t at);

/* A program may have loaded the library for itself alone, or be linked with it. */
static get_attribute find(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD), *symbol;

	symbol = dlsym(handle ? handle : RTLD_DEFAULT, name);
	if (handle)
		dlclose(handle);
	return (get_attribute)symbol;
}

bool is_device_memory(const void *at)
{
	get_attribute cuda = find("libcuda.so.1", "cuPointerGetAttribute");
	get_attribute hip = find("libamdhip64.so", "hipPointerGetAttribute");
	unsigned int type = 0;

	if (cuda && !cuda(&type, MEMORY_TYPE, (uintptr_t)at) && type != CUDA_HOST)
		return true;
	return hip && !hip(&type, MEMORY_TYPE, (uintptr_t)at);
}
