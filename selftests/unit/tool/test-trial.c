// SPDX-License-Identifier: GPL-2.0-only
/* The pure parts of a trial: its frames. */
#include <string.h>

#include "trial/trial.h"
#include "tap.h"

static void dests(void)
{
	bool good = true;

	for (unsigned int count = 2; count <= TRIAL_NODES_MAX; count++)
		for (uint32_t frame = 0; frame < count - 1; frame++) {
			unsigned int to = 0, self = 0;

			for (unsigned int node = 0; node < count; node++) {
				const struct trial_cycle cycle = { .self = node, .count = count };

				to |= 1U << trial_plan_dest(&cycle, frame);
				self += trial_plan_dest(&cycle, frame) == node;
			}
			good = good && to == (1U << count) - 1 && !self;
		}
	ok(good, "2 to 8 nodes: in each frame each node has one sender, another node");
	for (unsigned int count = 2; count <= TRIAL_NODES_MAX; count++) {
		const struct trial_cycle cycle = { .self = 1, .count = count };
		unsigned int to = 0;

		for (uint32_t frame = 0; frame < count - 1; frame++)
			to |= 1U << trial_plan_dest(&cycle, frame);
		good = good && to == ((1U << count) - 1) - 2;
	}
	ok(good, "in a cycle a node sends to each other one");
}

static void times(void)
{
	struct trial_cycle cycle = { .count = 4, .error_ns = 1000 };
	char why[TRIAL_WHY] = "";

	ok(trial_plan_times(&cycle, 10000000000, 1500, why) && cycle.guard_ns == 13231 &&
	   cycle.frame_ns == 500000,
	   "a guard of 2 us for clocks, 10 us of lag, and a packet in a switch");
	cycle.error_ns = 100000;
	cycle.frame_ns = 0;
	ok(trial_plan_times(&cycle, 10000000000, 1500, why) && cycle.guard_ns == 211231 &&
	   cycle.frame_ns == 20 * 211231, "frames are twenty times the guard");
	cycle.error_ns = 10000000;
	cycle.frame_ns = 0;
	ok(!trial_plan_times(&cycle, 10000000000, 1500, why) && strstr(why, "100 ms"),
	   "clocks that are too bad");
	cycle.error_ns = 1000;
	cycle.frame_ns = 20000;
	ok(!trial_plan_times(&cycle, 10000000000, 1500, why), "a frame of less than two guards");
	cycle.frame_ns = 30000;
	ok(trial_plan_times(&cycle, 10000000000, 1500, why) && cycle.frame_ns == 30000,
	   "a frame of more is taken as it is given");
}

int main(void)
{
	dests();
	times();
	return tap_exit();
}
