/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which MPI runs: an object that is preloaded may meet another one than it was built for. */
#ifndef LIQUID_MPI_SERIES_H
#define LIQUID_MPI_SERIES_H

#include <stdbool.h>

/*
 * Is the MPI that the program uses, which need not be the one that this object was linked to, of
 * the series that this object was built for? If not, the first rank says that @object does nothing.
 */
bool series_is_own(const char *object);

#endif
