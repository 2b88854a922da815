/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of the header as pure parts of the modules use. */
#ifndef UNIT_LINUX_STRING_H
#define UNIT_LINUX_STRING_H

#include <string.h>

#endif
