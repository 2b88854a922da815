/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types of MPI as runs, from the contents that MPI returns */
#ifndef LIQUID_MPIIO_FLATTEN_H
#define LIQUID_MPIIO_FLATTEN_H

#include <mpi.h>

#include "types/flat.h"

/* NULL: no memory, too many runs, or a type that is not known here. flat_free() frees it. */
struct flat *flatten(MPI_Datatype type);

#endif
