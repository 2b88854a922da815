// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tries each count and stride of a digit, the largest first, that fits those already found. */
#include "problem/shifts.h"

/* Shifts commute where their digits do not overlap and belong to one mixed radix. */
static bool fits(const struct shifts *found, const struct liquid_shift *shift)
{
	uint64_t end = (uint64_t)shift->stride * shift->count;

	for (uint32_t i = 0; i < found->count; i++) {
		const struct liquid_shift *other = &found->shift[i];
		uint64_t other_end = (uint64_t)other->stride * other->count;

		if (shift->stride % other_end && other->stride % end)
			return false;
	}
	return found->count < LIQUID_SHIFTS_MAX;
}

static int try_count(uint32_t places, uint32_t count,
		     int (*try)(void *context, const struct liquid_shift *shift), void *context,
		     struct shifts *found)
{
	for (uint32_t stride = places / count; stride; stride--) {
		struct liquid_shift shift = { stride, count };
		int status = places / count % stride || !fits(found, &shift) ? 0 :
			     try(context, &shift);

		if (status < 0)
			return status;
		if (status)
			found->shift[found->count++] = shift;
	}
	return LIQUID_OK;
}

/* Larger digits first: a shift of a part of a digit would exclude that of the digit. */
int shifts_find(uint32_t places, int (*try)(void *context, const struct liquid_shift *shift),
		void *context, struct shifts *found)
{
	int status = LIQUID_OK;

	found->count = 0;
	for (uint32_t count = places; !status && count > 1; count--)
		if (places % count == 0)
			status = try_count(places, count, try, context, found);
	return status;
}
