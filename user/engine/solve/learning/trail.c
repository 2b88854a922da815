// SPDX-License-Identifier: LGPL-2.1-or-later
/* The trail of a learning search: values, counts of the limits, and what follows from them. */
#include "solve/learning/trail.h"

void trail_push(struct learner *learner, uint32_t literal, uint32_t reason)
{
	uint32_t variable = literal / 2;

	learner->value[literal] = 1;
	learner->value[literal ^ 1] = -1;
	learner->level[variable] = learner->levels;
	learner->reason[variable] = reason;
	learner->place[variable] = learner->length;
	learner->trail[learner->length++] = literal;
}

static void uncount(struct learner *learner, uint32_t literal)
{
	for (uint32_t i = learner->first_use[literal]; i < learner->first_use[literal + 1]; i++)
		learner->filled[learner->use[i]]--;
	learner->work += learner->first_use[literal + 1] - learner->first_use[literal];
}

void trail_undo(struct learner *learner, uint32_t level)
{
	uint32_t start;

	if (learner->levels <= level)
		return;
	start = learner->level_start[level + 1];
	while (learner->length > start) {
		uint32_t literal = learner->trail[--learner->length];

		if (learner->length < learner->counted)
			uncount(learner, literal);
		learner->value[literal] = learner->value[literal ^ 1] = 0;
		learner->phase[literal / 2] = !(literal & 1);
		activity_put(&learner->activity, literal / 2);
	}
	if (learner->counted > start)
		learner->counted = start;
	learner->levels = level;
}

/* Count @literal in all its limits; returns one that has too many. */
static uint32_t count(struct learner *learner, uint32_t literal)
{
	uint32_t violated = REASON_NONE;

	for (uint32_t i = learner->first_use[literal]; i < learner->first_use[literal + 1]; i++) {
		uint32_t limit = learner->use[i];

		if (++learner->filled[limit] > learner->limits->most[limit])
			violated = REASON_LIMIT | limit;
	}
	learner->work += learner->first_use[literal + 1] - learner->first_use[literal];
	return violated;
}

/* No more literals of a full limit are true. */
static void close_limit(struct learner *learner, uint32_t limit)
{
	const struct limits *limits = learner->limits;

	for (uint32_t i = limits->first[limit]; i < limits->first[limit + 1]; i++)
		if (!learner->value[limits->literals[i]])
			trail_push(learner, limits->literals[i] ^ 1, REASON_LIMIT | limit);
	learner->work += limits->first[limit + 1] - limits->first[limit];
}

static void close_limits(struct learner *learner, uint32_t literal)
{
	for (uint32_t i = learner->first_use[literal]; i < learner->first_use[literal + 1]; i++) {
		uint32_t limit = learner->use[i];

		if (learner->filled[limit] == learner->limits->most[limit])
			close_limit(learner, limit);
	}
}

/* Another literal of @clause that is not false comes to place @watched; false: there is none. */
static bool replace(struct learner *learner, uint32_t *clause, uint32_t watched)
{
	uint32_t *literals = clause + CLAUSE_LITERALS;

	for (uint32_t i = 2; i < clause[CLAUSE_SIZE]; i++) {
		uint32_t literal = literals[i];

		if (learner->value[literal] < 0)
			continue;
		literals[i] = literals[watched];
		literals[watched] = literal;
		learner->work += i;
		return true;
	}
	learner->work += clause[CLAUSE_SIZE];
	return false;
}

/* @literal is false now: visit the clauses that watch it. Returns one without a true literal. */
static uint32_t visit(struct learner *learner, uint32_t literal)
{
	uint32_t *link = &learner->watch[literal];

	while (*link != REASON_NONE) {
		uint32_t at = *link, *clause = learner->store + at;
		uint32_t watched = clause[CLAUSE_LITERALS] != literal;
		uint32_t other = clause[CLAUSE_LITERALS + !watched];
		uint32_t *next = &clause[CLAUSE_NEXT + watched];

		learner->work += 4;
		if (learner->value[other] > 0) {
			link = next;
		} else if (replace(learner, clause, watched)) {
			uint32_t now = clause[CLAUSE_LITERALS + watched];

			*link = *next;
			*next = learner->watch[now];
			learner->watch[now] = at;
		} else if (learner->value[other] < 0) {
			return at;
		} else {
			trail_push(learner, other, at);
			link = next;
		}
	}
	return REASON_NONE;
}

uint32_t trail_propagate(struct learner *learner)
{
	while (learner->counted < learner->length) {
		uint32_t literal = learner->trail[learner->counted++];
		uint32_t violated = count(learner, literal);

		if (violated == REASON_NONE) {
			close_limits(learner, literal);
			violated = visit(learner, literal ^ 1);
		}
		if (violated != REASON_NONE)
			return violated;
	}
	return REASON_NONE;
}

/* As many true literals as fill the limit, or one more if it is violated. */
static uint32_t explain_limit(struct learner *learner, uint32_t limit, uint32_t literal)
{
	const struct limits *limits = learner->limits;
	uint32_t before = literal == LIQUID_NONE ? learner->length : learner->place[literal / 2];
	uint32_t wanted = limits->most[limit] + (literal == LIQUID_NONE), found = 0, why = 0;

	for (uint32_t i = limits->first[limit]; found < wanted; i++) {
		uint32_t other = limits->literals[i];

		learner->work++;
		if (learner->value[other] <= 0 || learner->place[other / 2] >= before)
			continue;
		found++;
		if (!why || learner->why[why - 1] != other)
			learner->why[why++] = other;
	}
	return why;
}

uint32_t trail_explain(struct learner *learner, uint32_t reason, uint32_t literal)
{
	const uint32_t *clause;
	uint32_t why = 0;

	if (reason & REASON_LIMIT)
		return explain_limit(learner, reason & ~REASON_LIMIT, literal);
	clause = learner->store + reason;
	for (uint32_t i = 0; i < clause[CLAUSE_SIZE]; i++)
		if (clause[CLAUSE_LITERALS + i] != literal)
			learner->why[why++] = clause[CLAUSE_LITERALS + i] ^ 1;
	learner->work += clause[CLAUSE_SIZE];
	return why;
}
