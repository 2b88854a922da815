/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of the header as pure parts of the modules use. */
#ifndef UNIT_LINUX_COMPILER_H
#define UNIT_LINUX_COMPILER_H

#define likely(condition)	__builtin_expect(!!(condition), 1)
#define unlikely(condition)	__builtin_expect(!!(condition), 0)

#endif
