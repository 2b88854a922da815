// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libliquid-mpiio-*.so, preloaded, interposes MPI's collective calls on files
 *
 * Loaded into another MPI, or another series of it, it says so once and passes everything on. So
 * its functions take their arguments as words: another MPI's handles may be pointers.
 */
#include <dlfcn.h>

#include "file/call.h"
#include "file/file.h"
#include "series.h"

typedef uintptr_t word;

#ifdef OPEN_MPI
#define OWN_OBJECT "libliquid-mpiio-openmpi.so"
#else
#define OWN_OBJECT "libliquid-mpiio-mpich.so"
#endif

static bool foreign;			/* this object does nothing */

__attribute__((constructor)) static void look_at_library(void)
{
	foreign = !series_is_own(OWN_OBJECT);
}

/* ---- functions of MPI ---- */

/* Each is defined under a name of ours: mpi.h declares the others with the MPI's own types. */
#define STANDS_FOR(mpi, ours, WORDS)							\
__attribute__((visibility("default"))) int ours(WORDS) __asm__(mpi);			\
int ours(WORDS)

/* In another MPI: the function of that name behind this object, which has this one's arguments */
#define PASS_ON(mpi, WORDS, ...) do {							\
	if (foreign) {									\
		int (*next)(WORDS) = (int (*)(WORDS))dlsym(RTLD_NEXT, mpi);		\
											\
		return next(__VA_ARGS__);						\
	}										\
} while (0)

#define OPEN_WORDS word comm, word name, word amode, word info, word handle

STANDS_FOR("MPI_File_open", liquid_file_open, OPEN_WORDS)
{
	int error;

	PASS_ON("MPI_File_open", OPEN_WORDS, comm, name, amode, info, handle);
	error = PMPI_File_open((MPI_Comm)comm, (const char *)name, (int)amode, (MPI_Info)info,
			       (MPI_File *)handle);
	file_opened((MPI_Comm)comm, (const char *)name, (int)amode,
		    error ? MPI_FILE_NULL : *(MPI_File *)handle, error);
	return error;
}

#define CLOSE_WORDS word handle

STANDS_FOR("MPI_File_close", liquid_file_close, CLOSE_WORDS)
{
	PASS_ON("MPI_File_close", CLOSE_WORDS, handle);
	file_closes(*(MPI_File *)handle);
	return PMPI_File_close((MPI_File *)handle);
}

#define VIEW_WORDS word handle, word disp, word etype, word view, word representation, word info

STANDS_FOR("MPI_File_set_view", liquid_file_set_view, VIEW_WORDS)
{
	int error;

	PASS_ON("MPI_File_set_view", VIEW_WORDS, handle, disp, etype, view, representation, info);
	error = PMPI_File_set_view((MPI_File)handle, (MPI_Offset)disp, (MPI_Datatype)etype,
				   (MPI_Datatype)view, (const char *)representation,
				   (MPI_Info)info);
	file_viewed((MPI_File)handle, (MPI_Offset)disp, (MPI_Datatype)etype, (MPI_Datatype)view,
		    (const char *)representation, error);
	return error;
}

/* The MPI's own function @how of a call */
#define OWN(how, place, count_type)							\
static int own_##how(const struct call *c)						\
{											\
	return PMPI_File_##how(c->handle, place c->buffer, (count_type)c->count, c->type,	\
			       c->status);						\
}

#define HERE
#define THERE c->offset,

#define COLLECTIVE_WORDS word handle, word buffer, word count, word type, word status
#define AT_WORDS word handle, word offset, word buffer, word count, word type, word status

#define CALL(how, is_write, is_at, place, count_type)					\
	struct call call = {								\
		.handle = (MPI_File)handle, .write = is_write, .explicit_offset = is_at,	\
		.offset = place, .buffer = (void *)buffer, .count = (count_type)count,	\
		.type = (MPI_Datatype)type, .status = (MPI_Status *)status,		\
		.own = own_##how,							\
	};										\
											\
	return file_call(&call)

#define COLLECTIVE(how, is_write, count_type)						\
OWN(how, HERE, count_type)								\
STANDS_FOR("MPI_File_" #how, liquid_##how, COLLECTIVE_WORDS)				\
{											\
	PASS_ON("MPI_File_" #how, COLLECTIVE_WORDS, handle, buffer, count, type, status);	\
	CALL(how, is_write, false, 0, count_type);					\
}

#define COLLECTIVE_AT(how, is_write, count_type)					\
OWN(how, THERE, count_type)								\
STANDS_FOR("MPI_File_" #how, liquid_##how, AT_WORDS)					\
{											\
	PASS_ON("MPI_File_" #how, AT_WORDS, handle, offset, buffer, count, type, status);	\
	CALL(how, is_write, true, (MPI_Offset)offset, count_type);			\
}

COLLECTIVE(write_all, true, int)
COLLECTIVE(read_all, false, int)
COLLECTIVE_AT(write_at_all, true, int)
COLLECTIVE_AT(read_at_all, false, int)
#if MPI_VERSION >= 4
COLLECTIVE(write_all_c, true, MPI_Count)
COLLECTIVE(read_all_c, false, MPI_Count)
COLLECTIVE_AT(write_at_all_c, true, MPI_Count)
COLLECTIVE_AT(read_at_all_c, false, MPI_Count)
#endif
