/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timeslots of WDM networks in the JSON format. */
#ifndef LIQUID_WAVELENGTHS_H
#define LIQUID_WAVELENGTHS_H

#include <jansson.h>

#include "schedule/schedule.h"

/* Returns NULL if out of memory. */
json_t *wavelengths_to_json(const struct liquid_schedule *schedule);
/* @value is the value of "wavelengths" in the file. */
int wavelengths_from_json(json_t *value, const char *label, struct liquid_schedule *schedule,
			  struct liquid_error *err);

#endif
