/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid-nl solve from within: its options, and what it writes beside schedules. */
#ifndef LIQUID_NL_SOLVE_H
#define LIQUID_NL_SOLVE_H

#include "util/input.h"

struct solve {
	const char *fabric;
	struct traffic_args traffic;
	struct liquid_solve_options options;
	bool json, progress, explain;
	const char *output;
	uint32_t wavelengths;		/* 0: not given */
	const char *from;		/* an earlier schedule's file, or NULL */
	/* Models for other solvers: files, or NULL */
	const char *milp, *dimacs, *cnf;
	uint32_t frames;		/* of the models; 0: not given */
};

extern const struct opt solve_opts[];

/* All return an exit code and complain by themselves. */
int solve_parse(int argc, char **argv, struct solve *solve);
bool solve_exports(const struct solve *solve);
/* Reads the earlier schedule into the options, and its traffic where no other is named. */
int change_read(struct solve *solve, const struct liquid_fabric *fabric,
		struct liquid_schedule **from, struct liquid_traffic **traffic);
/* What has moved: as an object of @schedule, and of @text lines. */
int change_tell(const struct liquid_schedule *from, struct liquid_schedule *schedule, FILE *text);
int solve_export(const struct solve *solve, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic);

#endif
