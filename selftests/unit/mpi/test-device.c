// SPDX-License-Identifier: LGPL-2.1-or-later
/* Memory of a GPU: who has it is looked up once, and again when a library has come or gone. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plan/device.h"
#include "tap.h"

static int searches;

/* In front of the C library's: each search for a library that is not loaded opens files. */
void *dlopen(const char *library, int flags)
{
	void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");

	searches += !!(flags & RTLD_NOLOAD);
	return real(library, flags);
}

static void *load_cuda(void)
{
	char path[4096] = "";

	if (readlink("/proc/self/exe", path, sizeof(path) - 16) < 0)
		return NULL;
	strcpy(strrchr(path, '/') + 1, "libcuda.so.1");
	return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

static bool is_odd_found(void)
{
	static const char memory[2] __attribute__((aligned(2)));

	return is_device_memory(&memory[1]) && !is_device_memory(&memory[0]);
}

static int searches_of_calls(bool found)
{
	int before = searches;

	for (int i = 0; i < 100; i++)
		if (is_odd_found() != found)
			return -1;
	return searches - before;
}

int main(void)
{
	void *cuda;

	ok(searches_of_calls(false) == 2, "without a GPU's library each is looked for once");
	ok(!searches_of_calls(false), "and then no more");
	cuda = load_cuda();
	ok(cuda && searches_of_calls(true) == 2, "one loaded later is found, by one search");
	ok(!searches_of_calls(true), "and then no more");
	ok(cuda && !dlclose(cuda) && searches_of_calls(false) == 2,
	   "one that is unloaded is not called any more");
	return tap_exit();
}
