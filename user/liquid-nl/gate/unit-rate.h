/* SPDX-License-Identifier: GPL-2.0-only */
/* The rate of a unit (a link of capacity 1) against a gate's. */
#ifndef LIQUID_NL_UNIT_RATE_H
#define LIQUID_NL_UNIT_RATE_H

#include "liquidsched.h"

struct unit_rate {
	const char *device;		/* the gate's device */
	const char *what;		/* source of the rate, for messages: "the schedule" */
	uint64_t bps;			/* rate of a unit by that source; 0: unknown */
	uint64_t stated_bps;		/* --unit-rate, which replaces it; 0: not given */
	uint32_t capacity;		/* capacity of the node's link, units; 0: unknown */
	uint32_t parts;			/* units that the node sends at once; 0: unknown */
};

/*
 * The gate's rate must be that of the units which the node's link has in the fabric, unless the
 * rate of a unit is stated. In any case it must be enough for the units that the node sends at
 * once.
 */
int unit_rate_check(const struct unit_rate *unit, uint64_t gate_bps, struct liquid_error *err);

#endif
