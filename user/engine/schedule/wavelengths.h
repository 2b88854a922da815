/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rounds of optical networks in the interchange form. */
#ifndef LIQUID_WAVELENGTHS_H
#define LIQUID_WAVELENGTHS_H

#include <jansson.h>

#include "schedule/schedule.h"

/* NULL where memory is short. */
json_t *wavelengths_to_json(const struct liquid_schedule *schedule);
/* @value is what "wavelengths" is in the file. */
int wavelengths_from_json(json_t *value, const char *label, struct liquid_schedule *schedule,
			  struct liquid_error *err);

#endif
