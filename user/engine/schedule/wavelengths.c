// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Timeslots of WDM networks: W frames run at once, each on its own wavelength
 *
 * Transfers on different wavelengths may share a link. So a schedule of L frames takes
 * ceil(L / W) timeslots, and a lower bound of B frames is one of ceil(B / W) timeslots.
 */
#include <stdlib.h>

#include "schedule/wavelengths.h"
#include "traffic/traffic.h"

static uint32_t timeslots(uint32_t frames, uint32_t wavelengths)
{
	return frames / wavelengths + (frames % wavelengths != 0);
}

static bool make_room(struct liquid_schedule *schedule)
{
	struct schedule_wdm *wdm = calloc((size_t)schedule->info.length + 1, sizeof(*wdm));

	if (!wdm)
		return false;
	free(schedule->wdm);
	schedule->wdm = wdm;
	return true;
}

int liquid_schedule_set_wavelengths(struct liquid_schedule *schedule, uint32_t wavelengths,
				    struct liquid_error *err)
{
	struct liquid_schedule_info *info = &schedule->info;

	if (!wavelengths || wavelengths > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u wavelengths, not within 1 ... %u",
				   wavelengths, LIQUID_TRANSFERS_MAX);
	if (schedule->orbits)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a compact schedule has no wavelengths");
	if (schedule->marks)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a schedule with marks has no "
				   "wavelengths");
	if (!make_room(schedule))
		return liquid_no_memory(err);
	for (uint32_t frame = 0; frame < info->length; frame++)
		schedule->wdm[frame] = (struct schedule_wdm){ frame / wavelengths,
								  frame % wavelengths };
	info->wavelengths = wavelengths;
	info->timeslots = timeslots(info->length, wavelengths);
	info->timeslot_bound = timeslots(info->lower_bound, wavelengths);
	return LIQUID_OK;
}

/* ---- JSON ---- */

json_t *wavelengths_to_json(const struct liquid_schedule *schedule)
{
	const struct liquid_schedule_info *info = &schedule->info;
	json_t *frames = json_array();
	int bad = 0;

	for (uint32_t frame = 0; frame < info->length; frame++)
		bad |= json_array_append_new(frames, json_pack("[I,I]",
				(json_int_t)schedule->wdm[frame].timeslot,
				(json_int_t)schedule->wdm[frame].wavelength));
	if (bad) {
		json_decref(frames);
		return NULL;
	}
	return json_pack("{s:I,s:I,s:I,s:o}", "count", (json_int_t)info->wavelengths,
			 "timeslots", (json_int_t)info->timeslots,
			 "lower_bound", (json_int_t)info->timeslot_bound, "frames", frames);
}

static bool read_number(json_t *value, uint32_t *number)
{
	json_int_t wide = json_is_integer(value) ? json_integer_value(value) : -1;

	if (wide < 0 || wide > LIQUID_TRANSFERS_MAX)
		return false;
	*number = (uint32_t)wide;
	return true;
}

static int read_timeslots(json_t *frames, const char *label, struct liquid_schedule *schedule,
		       struct liquid_error *err)
{
	json_t *value;
	size_t i;

	if (!json_is_array(frames) || json_array_size(frames) != schedule->info.length)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: \"frames\" of \"wavelengths\" must be an array of %u",
				   label, schedule->info.length);
	if (!make_room(schedule))
		return liquid_fail(err, LIQUID_NO_MEMORY, "%s: no memory for the timeslots",
				   label);
	json_array_foreach(frames, i, value)
		if (json_array_size(value) != 2 ||
		    !read_number(json_array_get(value, 0), &schedule->wdm[i].timeslot) ||
		    !read_number(json_array_get(value, 1), &schedule->wdm[i].wavelength))
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "%s: \"wavelengths\", frame %zu: must be "
					   "[timeslot,wavelength]", label, i);
	return LIQUID_OK;
}

int wavelengths_from_json(json_t *value, const char *label, struct liquid_schedule *schedule,
			  struct liquid_error *err)
{
	struct liquid_schedule_info *info = &schedule->info;

	if (!json_is_object(value) ||
	    !read_number(json_object_get(value, "count"), &info->wavelengths) ||
	    !info->wavelengths ||
	    !read_number(json_object_get(value, "timeslots"), &info->timeslots) ||
	    !read_number(json_object_get(value, "lower_bound"), &info->timeslot_bound))
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: \"wavelengths\" must be an object with \"count\" (1 or "
				   "more), \"timeslots\" and \"lower_bound\"", label);
	return read_timeslots(json_object_get(value, "frames"), label, schedule, err);
}
