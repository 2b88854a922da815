/* SPDX-License-Identifier: GPL-2.0-only */
/* The rate of a unit (a link of capacity 1) against a gate's. */
#ifndef LIQUID_NL_UNIT_RATE_H
#define LIQUID_NL_UNIT_RATE_H

#include "liquidsched.h"

struct unit_rate {
	const char *device;		/* the gate's */
	const char *what;		/* who says it: "the schedule" */
	uint64_t bps;			/* what it says; 0: nothing */
	uint64_t stated_bps;		/* --unit-rate, which is believed; 0: not given */
	uint32_t capacity;		/* of the node's link, in units; 0: not known */
	uint32_t parts;			/* units that the node sends at once; 0: not known */
};

/*
 * A gate must be as many units fast as the node's link has in the fabric, unless the unit's rate is
 * stated; and as fast as what the node sends at once, whatever is stated.
 */
int unit_rate_check(const struct unit_rate *unit, uint64_t gate_bps, struct liquid_error *err);

#endif
