/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shifts of a digit of numbers in a mixed radix: the digit plus one, modulo its count */
#ifndef LIQUID_SHIFTS_H
#define LIQUID_SHIFTS_H

#include "liquidsched.h"

static inline uint32_t shift_digit(const struct liquid_shift *shift, uint32_t place)
{
	return place / shift->stride % shift->count;
}

/* The image of @place by one step of @shift */
static inline uint32_t shift_step(const struct liquid_shift *shift, uint32_t place)
{
	uint32_t digit = shift_digit(shift, place);

	return place + ((digit + 1) % shift->count - digit) * shift->stride;
}

struct shifts {
	uint32_t count;
	struct liquid_shift shift[LIQUID_SHIFTS_MAX];
};

/*
 * Find digits of the numbers below @places, none a part of another, whose shifts are translations:
 * @try returns 1 for these, 0 for others, and an error of liquidsched.h to end the search with it.
 */
int shifts_find(uint32_t places, int (*try)(void *context, const struct liquid_shift *shift),
		void *context, struct shifts *found);

#endif
