/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Types as runs, kept with the types for as long as these live */
#ifndef LIQUID_MPIIO_TYPES_H
#define LIQUID_MPIIO_TYPES_H

#include "types/flatten.h"

/* NULL as flatten(). types_drop() gives it back. */
struct flat *types_take(MPI_Datatype type);
void types_drop(struct flat *flat);

#endif
