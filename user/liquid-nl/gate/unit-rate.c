// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rate of a gate against its schedule's: a unit must fit into the frame that it was planned
 * for.
 */
#include <string.h>

#include "gate/unit-rate.h"
#include "util/units.h"

/* A stated rate replaces the unit's, but the gate must still be fast enough for its frames. */
static int check_parts(const struct unit_rate *unit, uint64_t units, const char *gate,
		       const char *rate, struct liquid_error *err)
{
	if (units >= unit->parts)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "%s: the gate's rate is %s, and %s sends %u units of %s at once",
			   unit->device, gate, unit->what, unit->parts, rate);
}

int unit_rate_check(const struct unit_rate *unit, uint64_t gate_bps, struct liquid_error *err)
{
	uint64_t bps = unit->stated_bps ? unit->stated_bps : unit->bps;
	uint32_t capacity = unit->capacity ? unit->capacity : 1;
	char rate[UNIT_TEXT], gate[UNIT_TEXT];

	if (!bps)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s does not say the rate of a unit, which the gate's is "
				   "compared with: --unit-rate RATE (in liquid.conf: link-rate) "
				   "states it", unit->what);
	format_rate(bps, rate);
	format_rate(gate_bps, gate);
	if (gate_bps < bps)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: the gate's rate is %s, less than a unit of %s, which is "
				   "%s: no unit fits its frame. Is the link degraded, or --rate "
				   "wrong? --unit-rate RATE goes on",
				   unit->device, gate, unit->what, rate);
	if (!unit->stated_bps && gate_bps / bps != capacity)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: the gate's rate is %s, which is %llu units of %s each, "
				   "but %s has %u for this node%s: --rate (of attach and set) "
				   "states the gate's rate, --unit-rate RATE goes on",
				   unit->device, gate, (unsigned long long)(gate_bps / bps), rate,
				   unit->what, capacity,
				   unit->capacity ? "" : " without --fabric");
	return check_parts(unit, gate_bps / bps, gate, rate, err);
}
