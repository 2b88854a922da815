// SPDX-License-Identifier: GPL-2.0-only
/*
 * An all-to-all on one switch
 *
 * In frame f each node sends to the one f + 1 after it, so each link has one transfer a frame.
 */
#include "gate/guard.h"
#include "trial/trial.h"
#include "util/units.h"

#define RELEASE_LAG_NS	10000		/* as push assumes */
#define FRAME_LEAST_NS	500000
#define CYCLE_MOST_NS	100000000	/* TCP takes a longer wait for a loss */

uint32_t trial_plan_dest(const struct trial_cycle *cycle, uint32_t frame)
{
	return (cycle->self + frame + 1) % cycle->count;
}

bool trial_plan_times(struct trial_cycle *cycle, uint64_t rate_bps, unsigned int mtu,
		      char why[TRIAL_WHY])
{
	const struct wire wire = {	/* of Ethernet */
		.rate_bps = rate_bps, .overhead = 24, .mpu = 84, .max_packet = mtu + 14,
	};
	const struct guard_terms terms = {
		.clock_error_ns = cycle->error_ns, .release_lag_ns = RELEASE_LAG_NS, .hops = 2,
	};
	char guard[UNIT_TEXT];

	cycle->guard_ns = guard_needed_ns(&wire, &terms);
	if (!cycle->frame_ns && cycle->guard_ns < CYCLE_MOST_NS)
		cycle->frame_ns = 20 * cycle->guard_ns < FRAME_LEAST_NS ? FRAME_LEAST_NS :
								      20 * cycle->guard_ns;
	if (cycle->guard_ns < cycle->frame_ns / 2 &&
	    cycle->frame_ns * (cycle->count - 1) <= CYCLE_MOST_NS)
		return true;
	snprintf(why, TRIAL_WHY, "the guard must be %s; there are no frames that are more than "
		 "twice as long and have a cycle of 100 ms or less, which TCP needs: set the "
		 "clocks by PTP or chrony, or state --frame-time",
		 format_time(cycle->guard_ns, guard));
	return false;
}
