// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checking the timeslots of WDM networks: frames of a timeslot must use different wavelengths. */
#include <stdlib.h>

#include "schedule/schedule.h"
#include "verify/verify.h"

/* Timeslot and wavelength of a frame. */
struct assignment {
	uint32_t timeslot, wavelength, frame;
};

static int compare_assignments(const void *a, const void *b)
{
	const struct assignment *left = a, *right = b;

	if (left->timeslot != right->timeslot)
		return left->timeslot < right->timeslot ? -1 : 1;
	if (left->wavelength != right->wavelength)
		return left->wavelength < right->wavelength ? -1 : 1;
	return left->frame < right->frame ? -1 : left->frame > right->frame;
}

static void check_range(struct checker *checker, const struct assignment *a)
{
	const struct liquid_schedule_info *info = checker->info;

	if (a->timeslot >= info->timeslots || a->wavelength >= info->wavelengths)
		verify_find(checker, "frame %u is in timeslot %u on wavelength %u, but there are "
			    "%u timeslots and %u wavelengths", a->frame, a->timeslot,
			    a->wavelength, info->timeslots, info->wavelengths);
}

/* Check the sorted @list. Returns the number of timeslots in use. */
static uint32_t check_assignments(struct checker *checker, const struct assignment *list,
				  uint32_t count)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		check_range(checker, &list[i]);
		used += !i || list[i].timeslot != list[i - 1].timeslot;
		if (i && list[i].timeslot == list[i - 1].timeslot &&
		    list[i].wavelength == list[i - 1].wavelength)
			verify_find(checker, "frames %u and %u are both in timeslot %u on "
				    "wavelength %u", list[i - 1].frame, list[i].frame,
				    list[i].timeslot, list[i].wavelength);
	}
	return used;
}

static void check_counts(struct checker *checker, uint32_t used)
{
	const struct liquid_schedule_info *info = checker->info;
	uint64_t bound = ((uint64_t)info->lower_bound + info->wavelengths - 1) / info->wavelengths;

	if (used != info->timeslots)
		verify_find(checker, "\"timeslots\" is %u, but frames are in %u of them",
			    info->timeslots, used);
	if (bound != info->timeslot_bound)
		verify_find(checker, "the \"lower_bound\" of timeslots is %u, but %u frames on %u "
			    "wavelengths make it %llu", info->timeslot_bound, info->lower_bound,
			    info->wavelengths, (unsigned long long)bound);
}

int verify_timeslots(struct checker *checker)
{
	uint32_t count = checker->info->length;
	struct assignment *list;

	if (!checker->info->wavelengths)
		return LIQUID_OK;
	list = calloc((size_t)count + 1, sizeof(*list));
	if (!list)
		return liquid_no_memory(checker->err);
	for (uint32_t frame = 0; frame < count; frame++) {
		list[frame].frame = frame;
		list[frame].timeslot = checker->schedule->wdm[frame].timeslot;
		list[frame].wavelength = checker->schedule->wdm[frame].wavelength;
	}
	qsort(list, count, sizeof(*list), compare_assignments);
	check_counts(checker, check_assignments(checker, list, count));
	free(list);
	return LIQUID_OK;
}
