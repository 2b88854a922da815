/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which file a name led to: one digest on two ranks is one file, whose bytes both see at once */
#ifndef LIQUID_MPIIO_IDENTITY_H
#define LIQUID_MPIIO_IDENTITY_H

#include <stdint.h>

/* A digest of 0 or more; -1: no regular file, or nothing is known of it */
int64_t identity_of(int file);

#endif
