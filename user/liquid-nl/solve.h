/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid-nl solve from within: its options, and what it writes beside schedules. */
#ifndef LIQUID_NL_SOLVE_H
#define LIQUID_NL_SOLVE_H

#include "input.h"

struct solve {
	const char *fabric;
	struct traffic_args traffic;
	struct liquid_solve_options options;
	bool json, progress;
	const char *output;
	uint32_t wavelengths;		/* 0: not given */
	/* Models for other solvers: files, or NULL */
	const char *milp, *dimacs, *cnf;
	uint32_t frames;		/* of the models; 0: not given */
};

/* All return an exit code and complain by themselves. */
int solve_parse(int argc, char **argv, struct solve *solve);
bool solve_exports(const struct solve *solve);
int solve_export(const struct solve *solve, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic);

#endif
