// SPDX-License-Identifier: LGPL-2.1-or-later
/* A search that learns from its conflicts: decisions, restarts, memory. */
#include <stdlib.h>
#include <string.h>

#include "problem/luby.h"
#include "solve/learning/trail.h"

/* Conflicts before the shortest restart, and before clauses are dropped. */
#define RESTART 1024
#define REDUCE_FIRST 2000
#define REDUCE_MORE 500
/* How far an order may differ: what shares links is near by, and should be decided together. */
#define JITTER 3
/* What a visit of a literal costs, about 1 ns each: most are not in the cache. */
#define WORK_EACH 5

/* ---- memory ---- */

void learner_free(struct learner *learner)
{
	if (!learner)
		return;
	activity_clear(&learner->activity);
	free(learner->first_use);
	free(learner->use);
	free(learner->filled);
	free(learner->watch);
	free(learner->store);
	free(learner->value);
	free(learner->phase);
	free(learner->target);
	free(learner->seen);
	free(learner->level);
	free(learner->reason);
	free(learner->place);
	free(learner->trail);
	free(learner->level_start);
	free(learner->why);
	free(learner->learnt);
	free(learner->stamp);
	free(learner);
}

static bool allocate(struct learner *learner)
{
	const struct limits *limits = learner->limits;
	size_t variables = (size_t)limits->variables + 2, literals = 2 * variables;

	learner->first_use = calloc(literals, sizeof(*learner->first_use));
	learner->use = calloc(limits->first[limits->count] + 1, sizeof(*learner->use));
	learner->filled = calloc((size_t)limits->count + 1, sizeof(*learner->filled));
	learner->watch = malloc(literals * sizeof(*learner->watch));
	learner->value = calloc(literals, sizeof(*learner->value));
	learner->phase = malloc(variables * sizeof(*learner->phase));
	learner->target = calloc(variables, sizeof(*learner->target));
	learner->seen = calloc(variables, sizeof(*learner->seen));
	learner->level = calloc(variables, sizeof(*learner->level));
	learner->reason = calloc(variables, sizeof(*learner->reason));
	learner->place = calloc(variables, sizeof(*learner->place));
	learner->trail = calloc(variables, sizeof(*learner->trail));
	learner->level_start = calloc(variables, sizeof(*learner->level_start));
	learner->why = calloc(variables, sizeof(*learner->why));
	learner->learnt = calloc(variables, sizeof(*learner->learnt));
	learner->stamp = calloc(variables, sizeof(*learner->stamp));
	return learner->first_use && learner->use && learner->filled && learner->watch &&
	       learner->value && learner->phase && learner->target && learner->seen &&
	       learner->level && learner->reason && learner->place && learner->trail &&
	       learner->level_start && learner->why && learner->learnt && learner->stamp;
}

static void list_uses(struct learner *learner)
{
	const struct limits *limits = learner->limits;
	uint32_t *first = learner->first_use, literals = 2 * limits->variables;

	for (uint32_t i = 0; i < limits->first[limits->count]; i++)
		first[limits->literals[i] + 1]++;
	for (uint32_t literal = 0; literal < literals; literal++)
		first[literal + 1] += first[literal];
	for (uint32_t limit = limits->count; limit-- > 0;)
		for (uint32_t i = limits->first[limit]; i < limits->first[limit + 1]; i++)
			learner->use[first[limits->literals[i]]++] = limit;
	for (uint32_t literal = literals; literal > 0; literal--)
		first[literal] = first[literal - 1];
	first[0] = 0;
}

/* ---- the search ---- */

/* Make @literal true for good; false: it cannot be. */
static bool settle(struct learner *learner, uint32_t literal)
{
	if (!learner->value[literal])
		trail_push(learner, literal, REASON_NONE);
	return learner->value[literal] > 0;
}

/* A literal that is in a limit more often than may be is false. */
static bool settle_limit(struct learner *learner, uint32_t limit)
{
	const struct limits *limits = learner->limits;
	uint32_t times = 0;

	for (uint32_t i = limits->first[limit]; i < limits->first[limit + 1]; i++) {
		bool again = i > limits->first[limit] &&
			     limits->literals[i] == limits->literals[i - 1];

		times = again ? times + 1 : 1;
		if (times > limits->most[limit] && !settle(learner, limits->literals[i] ^ 1))
			return false;
	}
	return true;
}

/* Remember the longest trail without a conflict of this search: decisions try to repeat it. */
static void aim(struct learner *learner)
{
	uint32_t start = learner->level_start[learner->levels];

	if (start <= learner->longest)
		return;
	learner->longest = start;
	for (uint32_t i = 0; i < start; i++)
		learner->target[learner->trail[i] / 2] = 1 - 2 * (learner->trail[i] & 1);
	learner->work += start;
}

static bool learn(struct learner *learner, uint32_t conflict)
{
	uint32_t back, size, clause = REASON_NONE;

	aim(learner);
	size = conflict_analyse(learner, conflict, &back);
	if (size > 1) {
		clause = clauses_add(learner, size);
		if (clause == REASON_NONE)
			return false;
	}
	trail_undo(learner, back);
	trail_push(learner, learner->learnt[0], clause);
	return true;
}

/* Decide the most active open variable as it was last; false: none is open. */
static bool decide(struct learner *learner)
{
	uint32_t variable;
	bool phase;

	do {
		variable = activity_take(&learner->activity);
		if (variable == LIQUID_NONE)
			return false;
	} while (learner->value[2 * variable]);
	learner->level_start[++learner->levels] = learner->length;
	phase = learner->target[variable] ? learner->target[variable] > 0 :
					    learner->phase[variable];
	trail_push(learner, 2 * variable + !phase, REASON_NONE);
	return true;
}

static bool charge(struct learner *learner, struct budget *budget)
{
	uint64_t work = learner->work;

	learner->work = 0;
	return budget_spend(budget, WORK_EACH * (work + 1));
}

static bool is_full(const struct learner *learner)
{
	return learner->stored > STORE_MAX;
}

/* Begin anew, without the decisions; from time to time, forget clauses. */
static bool restart(struct learner *learner)
{
	trail_undo(learner, 0);
	learner->patience = RESTART * luby(++learner->run);
	if (!is_full(learner) &&
	    learner->clauses <= REDUCE_FIRST + REDUCE_MORE * learner->reductions)
		return true;
	learner->reductions++;
	return clauses_reduce(learner);
}

/* One conflict, restart or decision. */
static enum learner_outcome step(struct learner *learner)
{
	uint32_t conflict = trail_propagate(learner);

	if (conflict != REASON_NONE) {
		if (!learner->levels)
			return LEARNER_NONE;
		learner->patience--;
		return learn(learner, conflict) ? LEARNER_STOPPED : LEARNER_NO_MEMORY;
	}
	if (learner->patience <= 0 || is_full(learner))
		return restart(learner) ? LEARNER_STOPPED : LEARNER_NO_MEMORY;
	return decide(learner) ? LEARNER_STOPPED : LEARNER_FOUND;
}

enum learner_outcome learner_run(struct learner *learner, struct budget *budget)
{
	enum learner_outcome outcome = learner->refuted ? LEARNER_NONE : LEARNER_STOPPED;

	while (outcome == LEARNER_STOPPED && charge(learner, budget))
		outcome = step(learner);
	learner->refuted |= outcome == LEARNER_NONE;
	return outcome;
}

bool learner_is_true(const struct learner *learner, uint32_t variable)
{
	return learner->value[2 * variable] > 0;
}

struct learner *learner_new(const struct limits *limits, uint32_t attempt, uint64_t seed)
{
	struct learner *learner = calloc(1, sizeof(*learner));

	if (!learner)
		return NULL;
	learner->limits = limits;
	if (!allocate(learner) ||
	    !activity_new(&learner->activity, limits->variables, attempt & 1,
			  attempt < 2 ? 1 : JITTER, seed + attempt)) {
		learner_free(learner);
		return NULL;
	}
	list_uses(learner);
	learner->work = 4 * ((uint64_t)limits->first[limits->count] + limits->variables);
	memset(learner->watch, 0xff, 2 * (size_t)limits->variables * sizeof(*learner->watch));
	memset(learner->phase, true, limits->variables * sizeof(*learner->phase));
	for (uint32_t limit = 0; limit < limits->count && !learner->refuted; limit++)
		learner->refuted = !settle_limit(learner, limit);
	return learner;
}
