/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a learning search knows: values, why they are so, and what follows from them. */
#ifndef LIQUID_TRAIL_H
#define LIQUID_TRAIL_H

#include "solve/learning/learner.h"
#include "solve/learning/activity.h"

/* Why a variable has its value: a clause, a limit, or a decision. */
#define REASON_NONE UINT32_MAX
#define REASON_LIMIT (UINT32_C(1) << 31)

/*
 * A clause in the store: its size, its levels, the next clauses of two watched literals, then its
 * literals, the watched ones first.
 */
enum { CLAUSE_SIZE, CLAUSE_LEVELS, CLAUSE_NEXT, CLAUSE_LITERALS = CLAUSE_NEXT + 2 };

struct learner {
	const struct limits *limits;
	uint32_t *first_use, *use;	/* by literal: the limits that it is in */
	uint32_t *filled;		/* by limit: its literals that are true, if counted */
	uint32_t *watch;		/* by literal: the first clause that watches it */
	uint32_t *store;		/* of clauses */
	uint32_t stored, room, clauses;
	int8_t *value;			/* by literal: 1 true, -1 false, 0 open */
	bool *phase;			/* by variable: its last value */
	int8_t *target;			/* by variable: its value in the longest trail */
	bool *seen;			/* by variable: met in the analysis of a conflict */
	uint32_t *level, *reason, *place;	/* by variable; place: on the trail */
	uint32_t *trail, length;	/* true literals in the order in which they became so */
	uint32_t counted;		/* of the trail: what the limits have counted */
	uint32_t longest;		/* trail without a conflict */
	uint32_t *level_start, levels;	/* by level: length of the trail before its decision */
	uint32_t *why, *learnt;		/* literals: reasons of one; the clause being learnt */
	uint64_t *stamp, stamps;	/* by level: when it was last counted */
	struct activity activity;
	uint64_t work;			/* operations not yet charged */
	uint64_t run, reductions;
	int64_t patience;		/* conflicts until the next restart */
	bool refuted;
};

/* Make @literal true. */
void trail_push(struct learner *learner, uint32_t literal, uint32_t reason);
/* Undo all levels above @level. */
void trail_undo(struct learner *learner, uint32_t level);
/* Push all that follows. Returns what is violated, in the form of a reason, or REASON_NONE. */
uint32_t trail_propagate(struct learner *learner);
/*
 * Fill why[] with the true literals from which @literal follows by @reason; LIQUID_NONE: those that
 * violate it. Returns their number.
 */
uint32_t trail_explain(struct learner *learner, uint32_t reason, uint32_t literal);

/*
 * Analyse a conflict at a level above 0: fill learnt[], the literal that follows first, and *@back
 * with the level where it does. Returns the size of the clause.
 */
uint32_t conflict_analyse(struct learner *learner, uint32_t conflict, uint32_t *back);

/* Words of all clauses, 128 MB: a search that has more begins anew and drops some. */
#define STORE_MAX (UINT32_C(1) << 25)
/* Keep the clause learnt[]. Returns it as a reason; REASON_NONE: no memory. */
uint32_t clauses_add(struct learner *learner, uint32_t size);
/*
 * At level 0: drop clauses that are true for good, and so many others that half of all are left,
 * those of many levels first. Returns false if out of memory.
 */
bool clauses_reduce(struct learner *learner);

#endif
