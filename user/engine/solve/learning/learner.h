/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A search that learns from its conflicts
 *
 * Literal 2v says that variable v is true, 2v + 1 that it is false. A *limit* says that at most
 * a number of its literals are true; a literal that is in it twice counts twice. The search
 * decides one variable after the other, and from each conflict it learns a *clause*: literals of
 * which one must be true (Marques-Silva and Sakallah, "GRASP", 1999; Moskewicz et al., "Chaff",
 * 2001). Limits stay counters, they are not written as clauses: a link has one in each frame.
 *
 * No library: those that are good at this end the process when memory is short, and another
 * version finds another schedule, so that two nodes would not agree.
 */
#ifndef LIQUID_LEARNER_H
#define LIQUID_LEARNER_H

#include "problem/budget.h"

struct limits {
	uint32_t variables, count;
	uint32_t *first;		/* by limit: its first literal; count + 1 entries */
	uint32_t *literals;		/* of a limit in ascending order */
	uint32_t *most;			/* by limit: literals that may be true */
};

enum learner_outcome { LEARNER_FOUND, LEARNER_NONE, LEARNER_STOPPED, LEARNER_NO_MEMORY };

/*
 * Variables are decided in the order of their numbers, until conflicts change that. With @attempt
 * 0 the first one comes first, with 1 the last one; others begin like these, except for a random
 * number by @seed. @limits must live as long as the search. NULL: no memory.
 */
struct learner;
struct learner *learner_new(const struct limits *limits, uint32_t attempt, uint64_t seed);
/*
 * Search on until all variables have values that keep all limits, or there are none, or @budget
 * ends; it takes a few operations to go on at all. After LEARNER_NO_MEMORY, only free it.
 */
enum learner_outcome learner_run(struct learner *learner, struct budget *budget);
/* After LEARNER_FOUND. */
bool learner_is_true(const struct learner *learner, uint32_t variable);
void learner_free(struct learner *learner);

#endif
