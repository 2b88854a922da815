// SPDX-License-Identifier: GPL-2.0-only
/* liquid solve --bound: what frames are needed if they may be mixed in any proportion. */
#include "util/command.h"
#include "solve/solve.h"

/* The figures have errors of rounding. */
#define ROUND_EPS 1e-5

static void tell(const struct liquid_mix *mix, const struct liquid_schedule_info *info, FILE *text)
{
	fprintf(text, "%-12s ", "mix");
	if (mix->too_large) {
		fprintf(text, "not examined: %u classes of transfers are too many\n", mix->classes);
		return;
	}
	if (!mix->classes) {
		fputs("not examined: the schedule is as short as the lower bound\n", text);
		return;
	}
	fprintf(text, "%.4f to %.4f frames in any proportion, %u classes of transfers: ",
		mix->least, mix->most, mix->classes);
	if (mix->most <= info->lower_bound + ROUND_EPS)
		fprintf(text, "no prices prove more than %u\n", info->lower_bound);
	else if (mix->ended)
		fputs("nothing better was found\n", text);
	else
		fputs("the work was spent; more --work may find better\n", text);
}

int solve_bound(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		struct liquid_schedule *schedule, uint64_t work, FILE *text)
{
	struct liquid_mix mix = { 0 };
	struct liquid_error err;
	int status = liquid_raise_bound(fabric, traffic, schedule, work, &mix, &err);

	if (status)
		return complain_of(status, &err);
	tell(&mix, liquid_schedule_info(schedule), text);
	return EXIT_OK;
}
