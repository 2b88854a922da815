// SPDX-License-Identifier: LGPL-2.1-or-later
/* The rounds of optical networks, checked: no two frames by one wavelength in one timeslot. */
#include <stdlib.h>

#include "verify/verify.h"

struct place {
	uint32_t timeslot, wavelength, frame;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->timeslot != right->timeslot)
		return left->timeslot < right->timeslot ? -1 : 1;
	if (left->wavelength != right->wavelength)
		return left->wavelength < right->wavelength ? -1 : 1;
	return left->frame < right->frame ? -1 : left->frame > right->frame;
}

static void check_range(struct checker *checker, const struct place *place)
{
	const struct liquid_schedule_info *info = checker->info;

	if (place->timeslot >= info->timeslots || place->wavelength >= info->wavelengths)
		verify_find(checker, "frame %u is in timeslot %u by wavelength %u, but there are %u "
			    "timeslots and %u wavelengths", place->frame, place->timeslot,
			    place->wavelength, info->timeslots, info->wavelengths);
}

/* @places are sorted; the number of timeslots that something is in. */
static uint32_t check_places(struct checker *checker, const struct place *places, uint32_t count)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		check_range(checker, &places[i]);
		used += !i || places[i].timeslot != places[i - 1].timeslot;
		if (i && places[i].timeslot == places[i - 1].timeslot &&
		    places[i].wavelength == places[i - 1].wavelength)
			verify_find(checker, "frames %u and %u are both in timeslot %u by wavelength "
				    "%u", places[i - 1].frame, places[i].frame, places[i].timeslot,
				    places[i].wavelength);
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
		verify_find(checker, "the \"lower_bound\" of timeslots is %u, but %u frames by %u "
			    "wavelengths make it %llu", info->timeslot_bound, info->lower_bound,
			    info->wavelengths, (unsigned long long)bound);
}

int verify_rounds(struct checker *checker)
{
	uint32_t count = checker->info->length;
	struct place *places;

	if (!checker->info->wavelengths)
		return LIQUID_OK;
	places = calloc((size_t)count + 1, sizeof(*places));
	if (!places)
		return liquid_fail(checker->err, LIQUID_NO_MEMORY, "no memory to verify");
	for (uint32_t frame = 0; frame < count; frame++) {
		places[frame].frame = frame;
		liquid_schedule_round(checker->schedule, frame, &places[frame].timeslot,
				      &places[frame].wavelength);
	}
	qsort(places, count, sizeof(*places), compare_places);
	check_counts(checker, check_places(checker, places, count));
	free(places);
	return LIQUID_OK;
}
