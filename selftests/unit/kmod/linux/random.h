/* SPDX-License-Identifier: GPL-2.0-only */
/* The test chooses what is random. */
#ifndef UNIT_LINUX_RANDOM_H
#define UNIT_LINUX_RANDOM_H

#include <stddef.h>

void get_random_bytes(void *to, size_t size);

#endif
