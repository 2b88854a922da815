/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of streams and verbs: order, size and time of the exchange. */
#ifndef LIQUID_EXPERIMENTS_PLAN_H
#define LIQUID_EXPERIMENTS_PLAN_H

#include "machine.h"

static struct {
	bool gated;			/* false: pairwise */
	uint64_t cycles, message;	/* messages to each receiver; bytes of a message */
	int64_t at, limit;		/* base time; seconds after it to give up */
} plan = { .message = 116000, .limit = 100 };

static inline void plan_option(const char *name, const char *value)
{
	uint64_t number = strtoull(value, NULL, 10);

	if (!strcmp(name, "--cycles"))
		plan.cycles = number;
	else if (!strcmp(name, "--message"))
		plan.message = number;
	else if (!strcmp(name, "--limit"))
		plan.limit = (int64_t)number;
	else if (!strcmp(name, "--at"))
		plan.at = (int64_t)number;
	else
		fail(name);
}

/* Parse the arguments. Ends the program if a count is 0; the caller checks the upper limits. */
static inline void parse_plan(int argc, char **argv, uint64_t cycles)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s gated|pairwise [OPTION]... NODE...\n",
			program_invocation_short_name);
		exit(2);
	}
	errno = EINVAL;
	plan.cycles = cycles;
	plan.gated = !strcmp(argv[1], "gated");
	if (!plan.gated && strcmp(argv[1], "pairwise"))
		fail(argv[1]);
	parse_rest(argc, argv, plan_option);
	if (!nodes || !plan.cycles || !plan.message)
		fail("a count is 0");
}

static inline int64_t plan_end(void)
{
	return plan.at + plan.limit * SECOND;
}

#endif
