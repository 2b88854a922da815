// SPDX-License-Identifier: GPL-2.0-only
/*
 * For LD_PRELOAD: in the N-th communicator that the program makes, the N-th allocation of liquid's
 * object fails, whichever MPI it is of.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
/* Handles of one MPI are pointers, those of another int, in the same registers. */
int PMPI_Comm_dup(void *comm, void *to);
int MPI_Comm_dup(void *comm, void *to);

static int communicators, allocations;

static bool fails(const void *from)
{
	Dl_info object;

	return communicators && dladdr(from, &object) && object.dli_fname &&
	       strstr(strrchr(object.dli_fname, '/'), "liquid") && ++allocations == communicators;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *at, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(at, size);
}

int MPI_Comm_dup(void *comm, void *to)
{
	communicators++;
	allocations = 0;
	return PMPI_Comm_dup(comm, to);
}
