/* SPDX-License-Identifier: GPL-2.0-only */
/* liquid solve from within: its options, and its output in addition to the schedule. */
#ifndef LIQUID_SOLVE_H
#define LIQUID_SOLVE_H

#include "input/input.h"

struct solve {
	const char *fabric;
	struct traffic_args traffic;
	struct liquid_solve_options options;
	bool json, progress, explain, bound, compact;
	const char *output, *html;	/* files of the schedule and of the page, or NULL */
	uint32_t wavelengths;		/* 0: not given */
	const char *from;		/* file of an earlier schedule, or NULL */
	/* Files for models of other solvers, or NULL */
	const char *milp, *dimacs, *cnf;
	uint32_t frames;		/* frames of the models; 0: not given */
	const char *list;		/* one of solve_lists, or NULL */
};

extern const struct opt solve_opts[];
extern const char *const solve_lists[];

/* All return an exit code, after a message. */
int solve_parse(int argc, char **argv, struct solve *solve);
bool solve_exports(const struct solve *solve);
/* Read the earlier schedule into the options, and its traffic unless another one is named. */
int change_read(struct solve *solve, const struct liquid_fabric *fabric,
		struct liquid_schedule **from, struct liquid_traffic **traffic);
/* The changes since the earlier schedule, as JSON in @schedule and as lines in @text */
int change_tell(const struct liquid_schedule *from, struct liquid_schedule *schedule, FILE *text);
/* --html; if that is stdout, *@text becomes stderr. */
int solve_page(const struct solve *solve, const struct liquid_schedule *schedule,
	       const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
	       FILE **text);
/* Raise the lower bound of @schedule, and print in @text the need of mixed frames. */
int solve_bound(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		struct liquid_schedule *schedule, uint64_t work, FILE *text);
int solve_list(const struct solve *solve, const struct liquid_fabric *fabric,
	       const struct liquid_traffic *traffic);
int solve_export(const struct solve *solve, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic);

#endif
