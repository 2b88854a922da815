/* SPDX-License-Identifier: GPL-2.0-only */
/* Random types of MPI, by all constructors */
#ifndef RANDOM_TYPE_H
#define RANDOM_TYPE_H

#include <mpi.h>
#include <stdint.h>

uint64_t draw(uint64_t *state, uint64_t limit);
/* Of whole @base; not committed. At most @depth constructors, one in the other */
MPI_Datatype random_type(uint64_t *state, MPI_Datatype base, int depth);

#endif
