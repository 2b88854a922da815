/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of the header as pure parts of the modules use. */
#ifndef UNIT_LINUX_LOG2_H
#define UNIT_LINUX_LOG2_H

#include <linux/types.h>

static inline unsigned long roundup_pow_of_two(unsigned long value)
{
	unsigned long power = 1;

	while (power < value)
		power *= 2;
	return power;
}

#endif
