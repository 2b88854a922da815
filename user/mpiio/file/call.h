/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collective calls on files that are open */
#ifndef LIQUID_MPIIO_CALL_H
#define LIQUID_MPIIO_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Arguments of a collective call */
struct call {
	MPI_File handle;
	bool write, explicit_offset;
	int64_t offset;			/* elements of the view, with an explicit one */
	void *buffer;
	MPI_Count count;
	MPI_Datatype type;
	MPI_Status *status;
	int (*own)(const struct call *call);
};

int file_call(const struct call *call);

#endif
