/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of a GPU, which a processor cannot read and which is not registered here */
#ifndef LIQUID_MPI_DEVICE_H
#define LIQUID_MPI_DEVICE_H

#include <stdbool.h>

/*
 * Does CUDA or HIP, where the program has loaded it, say that @at is not the host's own memory? One
 * thread asks at a time. They are looked for again only after the process has loaded or unloaded
 * a library.
 */
bool is_device_memory(const void *at);

#endif
