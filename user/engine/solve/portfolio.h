/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several methods that take turns at one problem. */
#ifndef LIQUID_PORTFOLIO_H
#define LIQUID_PORTFOLIO_H

#include "problem/solving.h"

struct member {
	const char *name;
	int (*solve)(struct solving *solving, struct liquid_error *err);
	bool (*applies)(const struct solving *solving);	/* NULL: always, or it says so itself */
	uint32_t prepares;		/* before it begins: operations for each link of a path */
	bool once;			/* it plans nothing by the work that is left, and ends */
};

#define MEMBERS_MAX 24

/*
 * Let all of @count members that apply take turns until the bound is reached, the work is done or
 * all have ended. Each has its own stack and goes on where its last turn ended; only one runs
 * at a time, and all share the best solution. One that fails with LIQUID_BAD_INPUT does not apply.
 * Another failure counts only where none has found a solution.
 */
int portfolio_run(struct solving *solving, const struct member *members, uint32_t count,
		  struct liquid_error *err);

/* Those of auto */
extern const struct member auto_members[];
extern const uint32_t auto_member_count;

/*
 * What a member does in its turns, also if it runs alone: unless it is done once and for all, it
 * begins anew, with twice the work and another seed, when it has used up its work.
 */
int member_run(const struct member *member, struct solving *solving, struct liquid_error *err);

#endif
